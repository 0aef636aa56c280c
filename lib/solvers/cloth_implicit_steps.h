#pragma once
#include "solvers/cloth_implicit_mesh.h"

namespace rtsim {

// What a substep works on.
struct ClothStep {
  const Exec& exec;
  cloth::Points points;
  cloth::Field field;
  double h;                 // [s]
  Span<cloth::Hold> holds;  // may be empty
  double friction;          // Coulomb's
};

// What a solve came to.
struct ClothSolve {
  int newton = 0, iterations = 0;  // of a step, over its substeps
  double residual = 0;             // the greatest of a substep, relative
  double change = 0;               // of a thread's stretch, likewise
};

// Implicit Euler.
class ClothSteps {
 public:
  ClothSteps(World&, const ClothImplicitParams&);

  const ClothMesh& mesh() const { return mesh_; }
  void advance(const ClothStep&, ClothSolve&);

 private:
  cloth::Elements elements();
  void linearise(const ClothStep&, const cloth::Ahead&);
  block_cg::Result solve(const ClothStep&);
  block_cg::Result solve_touching(const ClothStep&);
  void newton(const ClothStep&, ClothSolve&);
  bool search(const ClothStep&, cloth::Slope&);
  cloth::Slope descend(const ClothStep&, Span<const Row4> v);

  ClothImplicitParams p_;
  ClothMesh mesh_;
  ClothMatrix matrix_;
  cloth::Material material_{};
  Buffer<cloth::Conditions<Real>> triangle_start_;
  Buffer<Real> hinge_start_;
  Buffer<cloth::TriangleForces> triangle_forces_;
  Buffer<cloth::TriangleBlocks> triangle_blocks_;
  Buffer<cloth::HingeState> hinge_state_;
  Buffer<Sym3Slot> inverse_diagonal_;
  Buffer<Row4> b_, r_, p_cg_, q_, v_, change_, trial_;
};

}  // namespace rtsim
