#pragma once
#include <optional>
#include <string>
#include <vector>

#include "rigid/body.h"
#include "world/world.h"

namespace rtsim {

// The hand-over from a fluid to solids: what its stage found that it did to them in a step, and
// when that acts, for the stage `couple` behind it; and what `couple` expects them to do, for the
// fluid's next step. A row for each rigid body, or for each point of a mesh, in state columns,
// since neither follows from positions.
template <int D>
class FluidPush {
 public:
  static constexpr int turns = D == 2 ? 1 : 3;
  using Force = VecT<double, D>;
  using Torque = VecT<double, turns>;
  using Angular = rigid::Angular<D>;
  struct Motion {
    std::vector<Vec<D>> velocity;
    std::vector<Angular> angular;  // none of points
  };

  // Made by the fluid's stage; of a boundary, one row that nobody is pushed by.
  static FluidPush make(World&, const std::string& solid, const std::string& fluid);
  static std::optional<FluidPush> find(World&, const std::string& solid, const std::string& fluid);

  // Mean force over the step, and its torque about the origin.
  std::vector<Force> force(World&) const;
  std::vector<Torque> torque(World&) const;
  void write(World&, const std::vector<Force>&, const std::vector<Torque>&) const;

  // Where the centre of a body is in the mean of a step, weighted as a force that is spread over it
  // moves it: on a parabola under gravity.
  static Vec3d mean_place(const Vec3d& position, const Vec3d& velocity, const World&, double dt);

  // The fluid saw bodies yield to its push. A part of that has to be a velocity at the start of the
  // step, as the fluid took it for; the rest is spread over the step.
  void offer_strong(World&, double part_at_start) const;
  bool offers_strong(World&) const;
  std::vector<Real> part_at_start(World&) const;
  // The solver of a mesh gives its points what has no part at the start throughout the step, and
  // `couple` does not: where the solver said so while stages are made.
  void take_steady(World&) const;
  bool steady(World&) const;
  // `couple` keeps what it expects: the fluid may take bodies to yield.
  void accept_strong(World&) const;
  bool strong(World&) const;
  void expect(World&, const Motion&) const;
  // What acted on bodies in both of the last two steps of dt besides the fluid's push and gravity,
  // such as the ground, as accelerations: the part that both have. An impact is over when it is
  // seen. Once a step.
  Motion other_accelerations(World&, double dt) const;

 private:
  FluidPush(std::string solid, std::string table)
      : solid_(std::move(solid)), table_(std::move(table)) {}

  std::string solid_, table_;
};

}  // namespace rtsim
