#include "particles/body_response.h"

#include "bodies/fluid_push.h"
#include "particles/yielding_bodies.h"
#include "particles/yielding_mesh.h"

namespace rtsim {

namespace {

template <int D>
std::unique_ptr<YieldingSolid<D>> make_solid(World& world, const std::string& solid,
                                             const std::string& fluid) {
  if constexpr (D == 3)
    if (world.object(solid).kind == Kind::mesh)
      return std::make_unique<YieldingMesh>(world, solid, fluid);
  return std::make_unique<YieldingBodies<D>>(world, solid, fluid);
}

}  // namespace

template <int D>
BodyResponse<D>::BodyResponse(World& world, const std::string& fluid,
                              const std::vector<std::string>& boundaries)
    : fluid_(fluid), boundaries_(boundaries), mobility_bound_(world.exec) {}

template <int D>
void BodyResponse<D>::offer(World& world, int substeps) const {
  for (const std::string& b : boundaries_)
    if (world.object(b).kind != Kind::boundary)
      FluidPush<D>::find(world, b, fluid_)->offer_strong(world, 1.0 / substeps);
}

// Stages come one after the other: what `couple` asks for is known after it was made.
template <int D>
void BodyResponse<D>::find_solids(World& world) {
  if (looked_) return;
  looked_ = true;
  for (const std::string& b : boundaries_)
    if (world.object(b).kind != Kind::boundary &&
        FluidPush<D>::find(world, b, fluid_)->strong(world))
      solids_.push_back(make_solid<D>(world, b, fluid_));
  find_samples(world);
}

template <int D>
void BodyResponse<D>::find_samples(World& world) {
  for (auto& s : solids_) s->stand_from(first_sample(world, fluid_, boundaries_, s->name()));
}

template <int D>
void BodyResponse<D>::begin(World& world, double dt, bool stale) {
  find_solids(world);
  find_samples(world);
  lead_ = stale ? dt : 0;
  for (auto& s : solids_) {
    s->load(world, dt);
    if (!stale) continue;
    Table& t = s->samples(world);
    rigid::advance_samples<D>(world.exec, Real(dt), t.template column<const Vec<D>>("velocity"),
                              t.template column<Vec<D>>("position"));
  }
}

template <int D>
void BodyResponse<D>::aim(World& world, SphFluid<D>& fluid, double h) {
  for (auto& s : solids_) s->aim(world, fluid, h, lead_);
}

template <int D>
void BodyResponse<D>::move(World& world, SphFluid<D>& fluid, double h, double ahead) {
  lead_ = ahead;
  for (auto& s : solids_) s->move(world, fluid, h, ahead);
}

template class BodyResponse<2>;
template class BodyResponse<3>;

}  // namespace rtsim
