#include "scene_folder.h"

#include <fmt/format.h>

#include "base/error.h"

namespace rtsim {

namespace fs = std::filesystem;

fs::path scene_folder() {
  const fs::path binary = fs::canonical("/proc/self/exe").parent_path();
  const fs::path installed = binary.parent_path() / RTSIM_SCENES;
  if (fs::is_directory(installed)) return installed;
  for (fs::path at = binary; at != at.root_path(); at = at.parent_path())
    if (fs::is_directory(at / "configs/bench")) return at / "configs";
  throw Error(ExitCode::bad_input,
              fmt::format("no scenes near {}: an installed tree has them in share/rtsim/configs",
                          binary.string()));
}

fs::path scene_file(const fs::path& given) {
  if (fs::exists(given) || !given.is_relative() || *given.begin() != "configs") return given;
  const fs::path shipped = scene_folder().parent_path() / given;
  return fs::exists(shipped) ? shipped : given;
}

}  // namespace rtsim
