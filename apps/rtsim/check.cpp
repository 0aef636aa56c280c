#include <fmt/format.h>

#include "commands.h"
#include "sim/build.h"
#include "sim/catalog.h"
#include "sim/expect.h"
#include "sim/run.h"

namespace rtsim {

// Every problem of every scene, not only the first: one wants to mend them in one go.
ExitCode check_command(const CheckFlags& f) {
  const std::vector<StageType> catalog = stage_catalog();
  ExitCode code = ExitCode::done;
  for (const std::string& file : f.scenes) {
    try {
      const Scene scene = read_scene(file, f.set, catalog);
      Simulation sim = build(scene, make_exec("cpu", 0));
      check_expectations_early(scene, sim);
      fmt::print("{}: good\n", file);
    } catch (const Error& e) {
      if (e.code() != ExitCode::bad_input) throw;
      print_error(e);
      code = ExitCode::bad_input;
    }
  }
  return code;
}

}  // namespace rtsim
