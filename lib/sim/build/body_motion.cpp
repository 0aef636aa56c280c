#include "sim/build/body_motion.h"

#include "bodies/body_samples.h"

namespace rtsim {

namespace {

class BodyMotion final : public Stage {
 public:
  explicit BodyMotion(std::vector<SampledBodies> all) : all_(std::move(all)) {}

  // Nothing to refresh: where samples are is state.
  void advance(World& world, const Step&) override {
    for (const SampledBodies& b : all_)
      for (const std::string& samples : b.samples) place_body_samples(world, b.bodies, samples);
  }

 private:
  std::vector<SampledBodies> all_;
};

}  // namespace

std::unique_ptr<Stage> make_body_motion(std::vector<SampledBodies> all) {
  return std::make_unique<BodyMotion>(std::move(all));
}

}  // namespace rtsim
