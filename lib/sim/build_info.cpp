#include "sim/build_info.h"

#include <type_traits>

#include "base/types.h"
#include "build_facts.h"
#include "exec/cuda.h"

namespace rtsim {

BuildInfo build_info() {
  return {.version = RTSIM_VERSION,
          .commit = RTSIM_COMMIT,
          .compiler = RTSIM_COMPILER,
          .flags = RTSIM_FLAGS,
          .precision = std::is_same_v<Real, double> ? "double" : "float",
          .cuda = cuda::versions(),
          .diff_sha1 = RTSIM_DIFF_SHA1,
          .diff = rtsim_diff};
}

}  // namespace rtsim
