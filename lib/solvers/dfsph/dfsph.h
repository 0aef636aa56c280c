#pragma once
#include "particles/density_stage.h"
#include "stage/stage_type.h"

namespace rtsim {

struct DfsphParams {
  DensitySolveParams density;
  double divergence_error_mean = 1e-4;  // relative to rest density, a step
};

void describe(Describe&, DfsphParams&);
inline BoundaryMemory boundary_memory(const DfsphParams& p, int dim) {
  return boundary_memory(p.density, dim);
}

StageType dfsph_type();

}  // namespace rtsim
