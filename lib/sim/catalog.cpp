#include "sim/catalog.h"

#include "forces/force_field.h"
#include "solvers/dfsph.h"
#include "solvers/iisph.h"
#include "solvers/pcisph.h"
#include "solvers/sph_mueller.h"
#include "solvers/wcsph.h"

namespace rtsim {

// Every stage a scene may name. To add one: include its header, add its line.
std::vector<StageType> stage_catalog() {
  return {
      dfsph_type(),
      force_field_type(),
      iisph_type(),
      pcisph_type(),
      sph_mueller_type(),
      wcsph_type(),
  };
}

}  // namespace rtsim
