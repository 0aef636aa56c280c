#include "sim/catalog.h"

#include "solvers/dfsph.h"
#include "solvers/pbf.h"
#include "solvers/sph_clavet.h"
#include "solvers/wcsph.h"

namespace rtsim {

// Every stage a scene may name. To add one: include its header, add its line.
std::vector<StageType> stage_catalog() {
  return {
      dfsph_type(),
      pbf_type(),
      sph_clavet_type(),
      wcsph_type(),
  };
}

}  // namespace rtsim
