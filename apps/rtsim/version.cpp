#include <fmt/format.h>

#include "commands.h"
#include "sim/build_info.h"

namespace rtsim {

std::string version_text() {
  const BuildInfo b = build_info();
  return fmt::format(
      "rtsim {}\ncommit     {}\ncompiler   {}\nflags      {}\nprecision  {}\ncuda       {}",
      b.version, b.commit, b.compiler, b.flags, b.precision, b.cuda);
}

}  // namespace rtsim
