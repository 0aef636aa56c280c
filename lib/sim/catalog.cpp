#include "sim/catalog.h"

#include "couplers/body_contact.h"
#include "couplers/couple.h"
#include "deformables/contacts/mesh_contact.h"
#include "deformables/mesh_shape.h"
#include "deformables/skin.h"
#include "forces/attach.h"
#include "forces/force_field.h"
#include "forces/wind.h"
#include "solvers/cloth_implicit/cloth_implicit.h"
#include "solvers/clouds/clouds.h"
#include "solvers/dfsph/dfsph.h"
#include "solvers/fem/fem.h"
#include "solvers/flip/flip.h"
#include "solvers/foam/foam.h"
#include "solvers/iisph/iisph.h"
#include "solvers/lbm/lbm.h"
#include "solvers/mass_spring/mass_spring.h"
#include "solvers/modal/modal.h"
#include "solvers/pbd/pbd.h"
#include "solvers/pbf/pbf.h"
#include "solvers/pcisph/pcisph.h"
#include "solvers/rigid/rigid.h"
#include "solvers/shallow_water/shallow_water.h"
#include "solvers/smoke/smoke.h"
#include "solvers/sph_bodin/sph_bodin.h"
#include "solvers/sph_clavet/sph_clavet.h"
#include "solvers/sph_mueller/sph_mueller.h"
#include "solvers/verlet/verlet.h"
#include "solvers/wcsph/wcsph.h"
#include "solvers/xpbd/xpbd.h"
#include "sources/emit.h"
#include "sources/remove.h"

namespace rtsim {

// Every stage a scene may name. To add one: include its header, add its line.
std::vector<StageType> stage_catalog() {
  // clang-format off
  return {
      attach_type(),
      cloth_implicit_type(),
      clouds_type(),
      dfsph_type(),
      emit_type(),
      fem_type(),
      flip_type(),
      foam_type(),
      force_field_type(),
      iisph_type(),
      lbm_type(),
      mass_spring_type(),
      mesh_contact_type(),
      mesh_shape_type(),
      modal_type(),
      pbd_type(),
      pbf_type(),
      pcisph_type(),
      remove_type(),
      rigid_type(),
      shallow_water_type(),
      skin_type(),
      smoke_type(),
      sph_bodin_type(),
      sph_clavet_type(),
      sph_mueller_type(),
      body_contact_type(),
      couple_type(),
      verlet_type(),
      wcsph_type(),
      wind_type(),
      xpbd_type(),
  };
  // clang-format on
}

}  // namespace rtsim
