#pragma once
#include <deque>
#include <string>
#include <vector>

#include "boundaries/contact_solid.h"
#include "contact/push.h"
#include "stage/stage.h"

namespace rtsim {

// Velocities of a rigid body [m/s, rad/s], or impulses about its centre of mass [N s, N m s].
struct Twist {
  Vec3d linear, angular;
};

// The rigid bodies of one object as what a mesh touches, one solid for each shape. Within a step
// they move on their own and give way to what they push, substep by substep:
//   M (V' - V) = -J(V'),
// J what a body that goes through the substep with velocity V' gives to points. A body that is
// lighter than those so ends up with them, as in any inelastic impact, in place of being thrown
// back by what it would have given as a wall.
//
// The state table `<bodies>.seen@<mesh>` keeps where they were to be at the end of the last step.
// What the mesh took from them stands in `<bodies>.forces@<mesh>`, from where the stage
// `cloth_rigid` passes it on: the mean push, and the kick at the start of the step which, with a
// steady force for the rest, gives them both the velocity and the place that they came to here.
class TouchedBodies {
 public:
  // While stages are made.
  TouchedBodies(World&, const std::string& bodies, const std::string& mesh);

  const std::string& name() const { return bodies_; }
  Index size() const { return Index(shape_.size()); }
  const ContactSolid& solid(Index row) const {
    return solids_[std::size_t(shape_[std::size_t(row)])];
  }
  bool moves(Index row) const { return mass_[std::size_t(row)] > 0; }

  // Once a step, or again from its beginning.
  void begin(World&, const Step&);
  // Before anything meets in a substep of length h [s], as often as one likes.
  void enter(int substep, double h);

  Pose start(Index row) const { return pose(now_[std::size_t(row)].place); }
  // After the substep, with the velocity that is tried, and with the one that it was entered with.
  Pose end(Index row) const;
  Pose free_end(Index row) const;
  // To the beginning of the substep.
  void take_back();
  Vec3d centre(Index row) const { return now_[std::size_t(row)].place.position; }
  Vec3d end_centre(Index row) const { return end_of(now_[std::size_t(row)]).position; }
  contact::RigidMatrix inertia(Index row) const;
  double kinetic_energy() const;  // [J] of all, as they move now

  // What the body gave to points at the start of the substep, for good.
  void give(Index row, const contact::Push&);

  // A try of a substep: what the body gives to points that its velocity of this try pushes, where
  // they end: one that flies far within the substep is not turned by the way to where it touches.
  void forget_pushes();
  void push(Index row, const contact::Push&);
  bool pushes(Index row) const;
  // A better velocity to try, for the points that it pushed. Returns whether the one that was tried
  // will do: what is off makes less than a hundredth of the energy that the impact took, and no
  // more way than `slack` [m].
  bool give_way(Index row, const contact::PushedMass&, double slack);
  // Half the way back from a velocity at which the body pushed nothing. Whether that was no way.
  bool come_back(Index row, double slack);
  // How much of the pushes may be kept: what a body and what it meets have together never grows by
  // them. All of it, but where no velocity was found that fits.
  double bearable(Index row, const contact::PushedMass&) const;
  void keep(Index row, double share);

  void write(World&) const;

 private:
  struct Place {
    Vec3d position;           // [m] of the centre of mass
    VecT<double, 4> turning;  // the unit quaternion (x, y, z, w)
  };
  struct Motion {
    Place place;  // at the start of the substep
    Twist velocity, tried;
    contact::Push pushed;         // by what is tried
    Vec3d turned;                 // by what was given, until the start of the substep [rad]
    Twist given;                  // to points in this step, about the centre
    Twist entered, given_before;  // of the substep
  };
  static std::vector<Place> read(Table&);
  static Place moved(const Place&, const Twist&, double h);
  static Pose pose(const Place&);
  // I w of a body that is turned like that.
  Vec3d spin(std::size_t, const VecT<double, 4>& turning, const Vec3d& angular_velocity) const;
  Place end_of(const Motion& m) const { return moved(m.place, m.tried, h_); }
  static Twist about(const Vec3d& centre, const contact::Push&);
  void give(std::size_t, const Twist& impulse);
  Twist changed(std::size_t, const Twist& velocity, const Twist& impulse) const;

  std::string bodies_, seen_, forces_;
  std::vector<std::int32_t> shape_;  // of each body
  std::deque<ContactSolid> solids_;  // of each shape
  std::vector<double> mass_;         // [kg], 0 of what never moves
  std::vector<Vec3d> moments_;       // [kg m^2] about the body's axes
  std::vector<Place> from_, true_;   // at the start of the step: as seen, and as they are
  std::vector<Twist> approach_;      // velocities of that start
  std::vector<Motion> now_;
  std::int64_t step_ = -1;
  int substep_ = 0;
  double dt_ = 0, h_ = 0;  // [s]
};

}  // namespace rtsim
