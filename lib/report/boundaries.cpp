#include "report/boundaries.h"

#include "base/error.h"
#include "sim/run.h"
#include "sim/scene.h"

namespace rtsim {

namespace {

// Frames of a deformation may be gone since; then it is drawn as its shape is.
std::shared_ptr<const AnimatedShape> deformation_of(const BoundarySpec& b) try {
  if (!b.deformation) return nullptr;
  return make_animated_shape(b.shape, *b.deformation);
} catch (const Error& e) {
  if (e.code() != ExitCode::bad_input) throw;
  return nullptr;
}

}  // namespace

std::vector<DrawnBoundary> boundaries_of(const std::filesystem::path& run) try {
  const Scene scene = scene_of_run(run);
  std::vector<DrawnBoundary> drawn;
  for (const ObjectSpec& o : scene.objects)
    if (const auto* b = o.as<BoundarySpec>())
      drawn.push_back({o.name, make_shape(b->shape, scene.dim), b->motion, b->shape.inside,
                       deformation_of(*b)});
  return drawn;
} catch (const Error& e) {
  if (e.code() != ExitCode::bad_input) throw;
  return {};
}

}  // namespace rtsim
