#include "sim/catalog.h"

#include "forces/attach.h"
#include "forces/force_field.h"
#include "solvers/clouds.h"
#include "solvers/dfsph.h"
#include "solvers/iisph.h"
#include "solvers/lbm.h"
#include "solvers/pbd.h"
#include "solvers/pbf.h"
#include "solvers/pcisph.h"
#include "solvers/shallow_water.h"
#include "solvers/smoke.h"
#include "solvers/sph_bodin.h"
#include "solvers/sph_clavet.h"
#include "solvers/sph_mueller.h"
#include "solvers/wcsph.h"
#include "solvers/xpbd.h"
#include "sources/emit.h"
#include "sources/remove.h"

namespace rtsim {

// Every stage a scene may name. To add one: include its header, add its line.
std::vector<StageType> stage_catalog() {
  return {
      attach_type(),      clouds_type(),        dfsph_type(),     force_field_type(),
      iisph_type(),       lbm_type(),           pbd_type(),       pbf_type(),
      pcisph_type(),      shallow_water_type(), sph_bodin_type(), sph_clavet_type(),
      sph_mueller_type(), smoke_type(),         wcsph_type(),     xpbd_type(),
      emit_type(),        remove_type(),
  };
}

}  // namespace rtsim
