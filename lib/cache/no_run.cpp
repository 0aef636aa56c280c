#include "cache/no_run.h"

namespace rtsim {

namespace fs = std::filesystem;

Error no_run(const fs::path& folder, const std::string& what) {
  const std::string name = folder.string();
  if (!fs::exists(folder)) return Error(ExitCode::bad_input, name + ": no such run");
  if (fs::exists(folder / "sweep.json") && fs::is_directory(folder / "cases"))
    return Error(ExitCode::bad_input, name + " is a sweep: its runs are the folders " +
                                          (folder / "cases/*/run").string());
  return Error(ExitCode::bad_input, name + " holds no run: it has " + what);
}

}  // namespace rtsim
