#pragma once
#include <string>
#include <vector>

#include "grids/solids.h"

namespace rtsim {

// The rigid bodies among the solids that a fluid on a grid meets: how they move while it takes a
// step, in as many substeps as it likes, and what it hands over to them (bodies/fluid_push.h).
// Those that `couple` moves strongly yield to impulses at once; the others go on as they were, and
// get the sum at the end.
class BodyMotions {
 public:
  struct Body {
    std::size_t member;  // among the solids
    bool yields;
    double volume;                            // [m^D]
    double reach;                             // of its surface from its centre, at most [m]
    double inverse_mass, inverse_inertia[6];  // xx, yy, zz, xy, xz, yz about the centre
    Vec3d gravity, turn;                      // [m/s^2], [rad/s^2] of what else acts on it
    Vec3d impulse, moment;                    // of the step so far [N s], [N m s]

    Vec3d turned_by(const Vec3d& moment) const;  // [rad/s]
  };

  // `yields`: whether the fluid's stage lets bodies yield.
  BodyMotions(World&, const std::string& fluid, const std::vector<std::string>& objects,
              bool yields);

  bool empty() const { return objects_.empty(); }
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<SolidMotion>& motions() const { return motions_; }  // of all solids

  // Bodies as their tables have them, at the start of a step of dt; all that the fluid meets, the
  // bodies of an object in a row.
  void begin(World&, const std::vector<Solids::Member>&, double dt);
  void begin(World& world, const Solids& solids, double dt) { begin(world, solids.members(), dt); }
  // For h they fall, and feel what else acted on them in both of the last two steps.
  void fall(double h);
  // For h the fluid of this density in `box` lifts them by its weight, which is `gravity` and which
  // its pressure leaves out (Archimedes).
  void lift(const Solids&, const GridShape& box, double h, double density, const Vec3d& gravity);
  // An impulse, and its moment about the centre.
  void push(std::size_t body, const Vec3d& impulse, const Vec3d& moment);
  // They move on for h.
  void go(double h);
  void hand_over(World&, const std::vector<Solids::Member>&) const;
  void hand_over(World& world, const Solids& solids) const { hand_over(world, solids.members()); }

 private:
  template <int D>
  void begin_object(World&, const std::string& name, std::size_t member);
  template <int D>
  void hand_over_object(World&, const std::string& name, std::size_t body) const;

  std::string fluid_;
  std::vector<std::string> objects_;
  double dt_ = 0;
  std::vector<Body> bodies_;
  std::vector<SolidMotion> motions_;
};

}  // namespace rtsim
