#pragma once
#include "cloth_implicit/cloth_implicit.h"
#include "deformables/contacts/carrying_bodies.h"
#include "solvers/fem/fem_mesh.h"
#include "solvers/fem/fem_pieces.h"

namespace rtsim {

// What a substep works on.
struct FemStep {
  const Exec& exec;
  fem::Points points;
  fem::CompensatedPlaces places;
  Vec<3> gravity;
  double h;                                    // [s]
  Span<cloth::ContactConstraint> constraints;  // may be empty
  double friction;                             // Coulomb's
  CarryingBodies& bodies;                      // what of the constraints moves
  Span<const Vec<3>> force = {};               // [N] of loads, may be none
  bool reacts = false;                         // what pushes held points counts
  bool begun = false;                          // there is a step before
  fem::StepBefore before = {};                 // of implicit steps
};

// The integrators, see fem.h of the kernels.
class FemSteps {
 public:
  FemSteps(World&, const FemParams&);

  const FemMesh& mesh() const { return mesh_; }
  void set_plastic(Span<const fem::Strain> strain) { mesh_.set_plastic(strain), plastic_ = true; }
  void advance(const FemStep&, ImplicitSolve&);
  // How points change their velocities by impulses at the end of a step, elements along with them:
  //   (1 + h a) m dv + h^2 K dv + h b K dv = impulse,
  // with the stiffness K at the places where points are when it begins. Of implicit steps.
  void begin_response(const FemStep&);
  void respond(const FemStep&, Span<const Vec<3>> impulse, Span<Vec<3>> change);
  // Where points are.
  fem::Places places(const Exec&, const fem::CompensatedPlaces&);
  double elastic_energy(const Exec&, const fem::CompensatedPlaces&);  // [J]
  // Means of the elements of each point.
  void fill_columns(const Exec&, const fem::CompensatedPlaces&, const fem::ElementColumns&);
  // What surfaces gave to points in the substep [N s], where there are constraints.
  Span<const Vec<3>> impulses() const { return impulse_.span(); }
  // What pushed held points in the last step; `push_scale` makes it impulses.
  Span<const Row4> push_on_held() const;
  double push_scale(double h) const;

 private:
  // Of a substep: x = y + s w, k of the forces, c of damping.
  struct Scheme {
    Real s, k, c;
  };
  bool two_steps(const FemStep& s) const { return s.begun && p_.integrator == FemIntegrator::bdf2; }
  void begin(const FemStep&);
  void pack(const Exec&, const fem::CompensatedPlaces&);
  void keep_velocity(const FemStep&, Span<Vec<3>> to);
  void explicit_step(const FemStep&);
  fem::Places ahead(Span<const Row4> w, Real s) const {
    return {base_.span(), remainder_.span(), w, s};
  }
  fem::Stepping stepping(const FemStep&) const;
  fem::Places at_base() const { return {base_.span(), remainder_.span(), base_.span(), 0}; }
  void assemble(const FemStep&, const fem::Places&);
  void linearise_first(const FemStep&, const fem::Places&);
  void precondition(const FemStep&);
  block_cg::Result solve(const FemStep&, double found);
  block_cg::Result solve_and_react(const FemStep&, double found);
  block_cg::Result solve_contacts(const FemStep&);
  fem::Gradient gradient(const FemStep&, Span<const Row4> w);
  void newton(const FemStep&, ImplicitSolve&);
  void react(const FemStep&, Span<const Row4> left);

  FemParams p_;
  FemMesh mesh_;
  FemPieces pieces_;
  std::optional<FemMatrix> matrix_;  // of implicit steps
  Scheme scheme_{};
  Buffer<Row4> forces_;
  Buffer<Vec<3>> energy_at_, energy_remainder_;  // places with the elastic energy `energy_` [J]
  double energy_ = 0;
  bool plastic_ = false;
  Buffer<Mat3<Real>> pairs_;
  Buffer<Sym3Slot> inverse_diagonal_;
  Buffer<Vec<3>> impulse_, guess_;
  Buffer<Real> von_mises_, energy_density_, volume_ratio_;  // of elements, for frames
  Buffer<Row4> base_, remainder_, turned_, u_, filter_, b_, r_, p_cg_, q_, w_, change_, trial_;
};

}  // namespace rtsim
