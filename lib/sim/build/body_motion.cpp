#include "sim/build/body_motion.h"

#include "bodies/body_samples.h"

namespace rtsim {

namespace {

class BodyMotion final : public Stage {
 public:
  BodyMotion(std::vector<SampledBodies> bodies, std::vector<MeshSamples> meshes)
      : bodies_(std::move(bodies)), meshes_(std::move(meshes)) {}

  // Nothing to refresh: where samples are is state.
  void advance(World& world, const Step&) override {
    for (const SampledBodies& b : bodies_)
      for (const std::string& samples : b.samples) place_body_samples(world, b.bodies, samples);
    for (const MeshSamples& m : meshes_) m.place(world);
  }

 private:
  std::vector<SampledBodies> bodies_;
  std::vector<MeshSamples> meshes_;
};

}  // namespace

std::unique_ptr<Stage> make_body_motion(std::vector<SampledBodies> bodies,
                                        std::vector<MeshSamples> meshes) {
  return std::make_unique<BodyMotion>(std::move(bodies), std::move(meshes));
}

}  // namespace rtsim
