#pragma once
#include "deformables/contacts/carrying_bodies.h"
#include "deformables/impulse_response.h"
#include "solvers/cloth_implicit/cloth_implicit_mesh.h"

namespace rtsim {

// What a substep works on.
struct ClothStep {
  const Exec& exec;
  cloth::Points points;
  cloth::Field field;
  double h;                                    // [s]
  Span<cloth::ContactConstraint> constraints;  // may be empty
  double friction;                             // Coulomb's
  CarryingBodies& bodies;                      // the bodies that points are in contact with
};

// What a solve came to.
struct ClothSolve : ImplicitSolve {
  double change = 0;  // of a thread's stretch, the greatest of a substep
};

// Implicit Euler.
class ClothSteps {
 public:
  ClothSteps(World&, const ClothImplicitParams&);

  const ClothMesh& mesh() const { return mesh_; }
  const PlateBuffers& plates() const { return plates_; }
  void advance(const ClothStep&, ClothSolve&);
  // The changes of velocity that come of impulses. `again`: points are where they were at the last
  // call.
  void respond(const ClothStep&, const ImpulseResponse&);
  // What surfaces gave to points in it [N s], where there are holds; Newton's further steps change
  // it.
  Span<const Vec<3>> impulses() const { return impulse_.span(); }
  // The impulses that pushed held points in the last step.
  Span<const Row4> push_on_held() const {
    return p_.solve.newton_iterations > 1 ? b_.span() : r_.span();
  }

 private:
  ClothSteps(World&, const ClothImplicitParams&, const std::optional<PlatePatches>&);
  cloth::Elements elements();
  block_cg::BlockMatrix matrix() const { return matrix_.view(bending_); }
  double forces(const ClothStep&, const cloth::Ahead&);  // their energy [J]
  void precondition(const ClothStep&);
  void linearise_at_start(const ClothStep&);
  void linearise(const ClothStep&, const cloth::Ahead&);
  block_cg::Result solve(const ClothStep&, double found);
  block_cg::Result solve_with_contacts(const ClothStep&, double found);
  block_cg::Result solve_contacts(const ClothStep&);
  void newton(const ClothStep&, ClothSolve&);
  cloth::Gradient gradient(const ClothStep&, Span<const Row4> v);

  ClothImplicitParams p_;
  ClothMesh mesh_;
  PlateBuffers plates_;
  ClothMatrix matrix_;
  cloth::Fabric<Real> fabric_{};
  Real bending_ = 0;  // what the matrix has of it
  Buffer<cloth::Conditions<Real>> start_;
  Buffer<cloth::TriangleForces> forces_;
  Buffer<cloth::TriangleBlocks> blocks_;
  Buffer<Sym3Slot> inverse_diagonal_;
  Buffer<Vec<3>> impulse_;
  Buffer<Row4> filter_, b_, r_, p_cg_, q_, v_, change_, trial_;
};

}  // namespace rtsim
