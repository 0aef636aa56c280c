#pragma once
#include <string>

namespace rtsim {

// Facts about this binary, for --version and every manifest.
struct BuildInfo {
  std::string version;  // 0.1.0
  std::string commit;  // 40 hex digits, "-dirty" behind it where the tree was changed, or "unknown"
  std::string compiler;  // GNU 12.2.0
  std::string flags;
  std::string precision;  // float, double
  std::string cuda;       // versions of runtime and driver, or none
  std::string diff_sha1 =
      {};                 // of what the sources were changed by since the commit; empty: nothing
  std::string diff = {};  // that itself, as `git diff` has it; empty where it is too long
};
BuildInfo build_info();

}  // namespace rtsim
