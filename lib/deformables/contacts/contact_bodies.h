#pragma once
#include <deque>
#include <string>
#include <vector>

#include "boundaries/contact_solid.h"
#include "contact/impulse_sum.h"
#include "stage/stage.h"

namespace rtsim {

// Velocities of a rigid body [m/s, rad/s], or impulses about its centre of mass [N s, N m s].
struct Twist {
  Vec3d linear, angular;
};

// The rigid bodies of one object that a mesh is in contact with, one solid for each shape. Within a
// step the bodies move on their own, substep by substep, with the reaction of the points that they
// push; each push of each body is solved for by itself, in turn:
//   M (V' - V) = -J(V'),
// J the impulse on points of a body that goes through the substep with velocity V'. So a body that
// is lighter than these points ends up with their velocity, as in any inelastic impact; as a wall
// it would give them an impulse whose reaction throws it back.
//
// The state table `<bodies>.seen@<mesh>` keeps where the bodies were predicted at the end of the
// last step. The reactions of the mesh stand in `<bodies>.forces@<mesh>`, from where the stage
// `body_contact` applies them: the mean force, and the kick at the start of the step which, with a
// steady force for the rest, gives the bodies both the velocity and the place that they have here.
class ContactBodies {
 public:
  // While stages are made.
  ContactBodies(World&, const std::string& bodies, const std::string& mesh);

  const std::string& name() const { return bodies_; }
  Index size() const { return Index(shape_.size()); }
  const ContactSolid& solid(Index row) const {
    return solids_[std::size_t(shape_[std::size_t(row)])];
  }
  bool moves(Index row) const { return mass_[std::size_t(row)] > 0; }

  // Where a body is, while stages are made.
  Pose place(World&, Index row) const;
  // Once a step, or when a solver repeats it.
  void begin(World&, const Step&);
  // Before contacts of a substep of length h [s]; may be repeated.
  void enter(int substep, double h);

  Pose start(Index row) const { return pose(now_[std::size_t(row)].place); }
  // The poses at the end of the substep, with the velocity that is tried, and with the one at its
  // beginning.
  Pose end(Index row) const;
  Pose free_end(Index row) const;
  // Takes the bodies back to the beginning of the substep.
  void restore_substep();
  Vec3d centre(Index row) const { return now_[std::size_t(row)].place.position; }
  Vec3d end_centre(Index row) const { return end_of(now_[std::size_t(row)]).position; }
  contact::RigidMatrix inertia(Index row) const;
  double kinetic_energy() const;  // [J] of all, as they move now

  // The reaction to an impulse of the body on points at the start of the substep.
  void apply_impulse(Index row, const contact::ImpulseSum&);

  // A push is tried: the impulse is that on points which the body pushes with the velocity of this
  // try, at the places where the points end.
  //
  // Newton's next velocity to try. Returns whether the one that was tried has converged: its error
  // makes less than a hundredth of the energy that the impact dissipated, and no more displacement
  // than `slack` [m].
  bool newton_step(Index row, const contact::ImpulseSum&, const contact::PushedMass&, double slack);
  // Half the way back from a velocity at which the body pushed no points. Returns whether that is a
  // displacement of `slack` at most.
  bool back_off(Index row, double slack);
  // The share of the impulse, at most all of it, that leaves body and points the least energy, as
  // what does not bounce has it; and the largest with which that does not grow.
  double inelastic_share(Index row, const contact::ImpulseSum&, const contact::PushedMass&) const;
  double energy_safe_share(Index row, const contact::ImpulseSum&, const contact::PushedMass&) const;
  void accept_impulse(Index row, const contact::ImpulseSum&, double share);
  // The reaction to what stopped points short of the body, which ends where it was to end.
  void stop_short(Index row, const contact::ImpulseSum&, double share);

  void write(World&) const;

 private:
  struct Place {
    Vec3d position;           // [m] of the centre of mass
    VecT<double, 4> turning;  // the unit quaternion (x, y, z, w)
  };
  struct Motion {
    Place place;                    // at the start of the substep
    Twist velocity, tried;          // with which it leaves the substep, and goes through it
    Vec3d turned;                   // by the impulses, until the start of the substep [rad]
    Twist total_impulse;            // on points in this step, about the centre
    Twist entered, impulse_before;  // `velocity` and `total_impulse` before the substep
  };
  static std::vector<Place> read(Table&);
  static Place moved(const Place&, const Twist&, double h);
  static Pose pose(const Place&);
  // I w of a body that is turned like that.
  Vec3d spin(std::size_t, const VecT<double, 4>& turning, const Vec3d& angular_velocity) const;
  Place end_of(const Motion& m) const { return moved(m.place, m.tried, h_); }
  static Twist about(const Vec3d& centre, const contact::ImpulseSum&);
  void apply_impulse(std::size_t, const Twist& impulse);
  Twist after_impulse(std::size_t, const Twist& velocity, const Twist& impulse) const;

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
