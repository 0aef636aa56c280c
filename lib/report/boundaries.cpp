#include "report/boundaries.h"

#include "base/error.h"
#include "sim/run.h"
#include "sim/scene.h"

namespace rtsim {

std::vector<DrawnBoundary> boundaries_of(const std::filesystem::path& run) try {
  const Scene scene = scene_of_run(run);
  std::vector<DrawnBoundary> drawn;
  for (const ObjectSpec& o : scene.objects)
    if (const auto* b = o.as<BoundarySpec>())
      drawn.push_back({o.name, make_shape(b->shape, scene.dim), b->motion, b->shape.inside,
                       b->deformation
                           ? std::make_shared<const DeformingMesh>(b->shape, *b->deformation)
                           : nullptr});
  return drawn;
} catch (const Error& e) {
  if (e.code() != ExitCode::bad_input) throw;
  return {};
}

}  // namespace rtsim
