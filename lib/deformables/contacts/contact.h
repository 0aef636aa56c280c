#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contact/boundary_contact.h"
#include "contact/point_contact.h"
#include "deformables/contacts/contact_bodies.h"
#include "deformables/contacts/face_contact.h"
#include "deformables/contacts/self_contact.h"
#include "stage/stage.h"

namespace rtsim {

// The features of a mesh that collide with boundaries.
enum class ContactFeatures { points, faces };

struct ContactParams {
  ObjectNames boundary;
  ContactFeatures touch = ContactFeatures::points;
  std::optional<double> thickness;  // [m]
  double friction = 0.3;
  double restitution = 0;
  double recovery = 0.5;  // [m/s]
  bool self_contact = false;
  std::optional<double> proxy_spheres;  // radius [m]
  int self_passes = 4;
};

void describe(Describe&, ContactParams&);
// What it takes for each point of a sheet [bytes], with three edges and two triangles, where that
// lies flat: folds have more pairs that are near.
double contact_point_bytes(const ContactParams&);
// And what it takes more where some boundaries are bodies.
inline constexpr double body_contact_point_bytes = 3 * sizeof(Vec<3>) + sizeof(Index);

// Keeps the points of a mesh out of boundaries, standing or moving, for whatever solver moves them,
// and, if asked to, its triangles and edges from one another; of several meshes, whose points stand
// one mesh after the other, also those of one from another's. It keeps no state.
//
// A point that starts clear of the boundaries ends clear of them, and a mesh that starts free of
// intersections ends free of them; held points, which contact does not move, are the exception.
// Bodies react (contact_bodies.h): each push is tried until the body's velocity fits the points
// that it pushes.
class Contact {
 public:
  // While stages are made.
  Contact(const ContactParams&, World&, const std::string& mesh);
  Contact(const ContactParams&, World&, const std::vector<std::string>& meshes);

  bool any() const { return !solids_.empty() || self_; }
  bool meets_itself() const { return self_ != nullptr; }

  // The number of parts that each substep is to be taken in so that no body moves past points that
  // it may hit in this step by more than a mean edge in one part: points that are pushed further
  // are drawn back by their edges as fast as that, whatever speed the body loses.
  int parts(World&, const Step&, int substeps, Span<const Vec<3>> x, Span<const Vec<3>> v,
            Span<const Real> w);
  // Once a step, before its substeps.
  void begin(World&, const Step&, int substeps);

  // After a substep of length h [s] has moved points from `before` to x, with velocities v and
  // inverse masses w: x += correction, v += correction / h. Points with w = 0 are let through.
  void resolve(World&, int substep, Span<const Vec<3>> before, Span<Vec<3>> x, Span<Vec<3>> v,
               Span<const Real> w, Real h);

  // The same in two parts, without bodies, for who knows what else moves where points are pushed:
  // pushes, which move out what starts too near or inside by `recovery` [m]; `again`: from the same
  // places as the last time. Then ways that lead through one another all the same are shortened.
  void push(World&, int substep, const contact::Points&, double recovery, bool again);
  void stop_short(World&, int substep, const contact::Points&);

  // After the last substep, for a next step of the length h [s]: v leads apart what overlaps.
  void push_apart(Span<const Vec<3>> x, Span<Vec<3>> v, Span<const Real> w, Real h);

  // Whether points had to stop short since the step began, which takes speed from them alone.
  bool stopped_short() const { return stopped_; }
  double thickness() const { return thickness_; }  // [m]
  double recovery() const { return p_.recovery; }  // [m/s]
  double mass() const { return mass_; }            // [kg]
  // Whether meshes go through one another, or themselves.
  bool tangled(Span<const Vec<3>> position) const;

  // How often edges of what meets go through triangles.
  Index intersections(Span<const Vec<3>> position) const;
  // How many points are inside tetrahedra of other meshes; none where no mesh has any.
  std::optional<Index> points_inside(Span<const Vec<3>> position) const;
  // Of what is tangled at the start of the run, or sinks into bodies.
  const std::string& warning() const { return warning_; }

  // For solvers that take contacts as constraints into their systems: the contact that each point
  // may have within a substep; of several solids the first. `resolve` leaves points that end at the
  // thickness where they are, and adds no friction to them: that is the solver's, too.
  void find_contacts(World&, int substep, Span<const Vec<3>> x, Span<const Vec<3>> v,
                     Span<const Real> w, Real h, Span<contact::PointContact>);
  // After a solve for x and v: whether it left points in the path of a solid, because they had no
  // contact yet. Their contacts are added, bodies go back to the beginning of the substep, and the
  // solve is to be repeated.
  bool add_contacts(World&, int substep, Span<const Vec<3>> before, Span<const Vec<3>> x,
                    Span<const Vec<3>> v, Span<const Real> w, Real h, Span<contact::PointContact>);
  double friction() const { return p_.friction; }
  bool has_boundary() const { return !solids_.empty(); }
  bool has_bodies() const { return !bodies_.empty(); }
  Index boundaries() const { return Index(boundaries_.size()); }  // the first of the solids
  bool boundaries_move() const;
  // Bodies that react to the points that they hold, as such solvers take them.
  struct Carrier {
    Index solid;
    Vec3d centre;  // [m]
    contact::RigidMatrix inertia;
  };
  std::vector<Carrier> carriers() const;
  double kinetic_energy_of_bodies() const;  // [J]
  // The work of moving boundaries on points in the last substep [J], for who asked for it while
  // stages are made.
  void count_work() { counts_work_ = true; }
  double work_of_boundaries() const { return work_of_boundaries_; }
  // The energy that lifts the meshes by the accuracy of contact [J].
  double unseen_energy(World&) const;
  // The reactions on bodies to the impulses [N s] of those solvers on points in contact, which
  // began the substep at `before`.
  void apply_impulses(World&, Span<const Vec<3>> before, Span<const contact::PointContact>,
                      Span<const Vec<3>> impulse);
  // What bodies got in the step, for `body_contact`; `resolve` does so, too.
  void hand_over(World&) const;

  void measure(World&, const std::string& mesh, std::vector<Measurement>&) const;
  // Points inside walls are led out at `recovery`.
  Feed feed() const;

 private:
  // One of the solids that a mesh may hit: a boundary, or a body.
  struct Obstacle {
    const ContactSolid* solid;
    ContactBodies* bodies = nullptr;
    Index row = 0;
    double supporting_mass = 0;       // [kg] the most that a body pushed in the substep
    ContactSolid* deforms = nullptr;  // the solid, where it does
    Span<const Vec<3>> carried = {};  // by it, in the substep
  };
  void find_beginning(World&, const std::vector<std::string>& meshes);
  bool resolve_contacts(World&, int substep, const contact::Points&);
  void keep_out(World&, int substep, const contact::Points&, double recovery);
  void deform(World&, int substep, Span<const Vec<3>> before, Real h);
  contact::Course course(const Obstacle&, int substep) const;
  void keep_out_of_boundaries(World&, int substep, const contact::Points&, double recovery);
  void press(int substep, const contact::Points&, double recovery);
  bool stop(World&, int substep, const contact::Points&);
  Index mark(int substep, const contact::Points&);
  contact::ImpulseSum impulse_on(const contact::Points&) const;
  contact::PushedMass pushed_mass(const Obstacle&, const contact::Points&,
                                  const contact::ImpulseSum&) const;
  bool converged(const Obstacle&, const contact::ImpulseSum&, contact::PushedMass);
  void accept(Obstacle&, const contact::Points&, const contact::ImpulseSum&,
              const contact::PushedMass&);
  void warn_of_penetration(World&, const contact::Points&);
  Index cells_inside(World&, const Obstacle&, Span<const Vec<3>> x) const;
  double slack() const { return 1e-3 * thickness_; }  // [m]
  contact::Rules rules(const Obstacle&, double recovery) const;
  contact::Pose start(const Obstacle&, int substep) const;
  contact::Pose end(const Obstacle&, int substep) const;
  void enter(int substep, double h);
  Index number(const Obstacle&) const;
  // Runs `act`, which moves points out of a solid.
  template <class Act>
  void act_on(Obstacle&, const contact::Points&, const Act&);
  template <class Act>
  void push_by_body(Obstacle&, const contact::Points&, const Act&);
  template <class Act>
  void stop_by(Obstacle&, const contact::Points&, const Act&);
  void add_work(const Obstacle&, const contact::Points&);

  Exec ex_;
  ContactParams p_;
  std::string mesh_;                     // the first
  double mass_ = 0;                      // [kg] of the meshes
  double thickness_;                     // [m]
  double edge_ = 0;                      // [m] the mean one, where there are bodies
  std::deque<ContactSolid> boundaries_;  // those that stand together, then each that moves
  std::deque<ContactBodies> bodies_;
  std::vector<Obstacle> solids_;          // all of both
  Buffer<Vec<3>> earlier_x_, earlier_v_;  // before a solid acted
  // Where contacts are only detected: where pushes would move points, and the `number` of the last
  // solid that does, or 0.
  Buffer<Vec<3>> pushed_x_, pushed_v_;
  Buffer<Index> pushed_by_;
  std::unique_ptr<FaceContact> faces_;
  std::unique_ptr<SelfContact> self_;
  Buffer<std::uint32_t> marked_;  // points whose ways are shortened
  // [m] Distances of points at the start of the run, where that is less than the thickness; empty
  // where all are clear.
  Buffer<Real> began_;
  bool detects_only_ = false;  // finds contacts: no friction, and boundaries mark points as well
  bool stopped_ = false;
  bool at_start_ = false;  // of the run
  std::string warning_;
  double start_ = 0, share_ = 0;  // of the step, and the length of a substep [s]
  double now_ = 0;                // the middle of the substep [s]
  double work_of_boundaries_ = 0;
  bool counts_work_ = false;
  int substeps_ = 1;
};

}  // namespace rtsim
