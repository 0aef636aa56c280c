#pragma once
#include "cloth_implicit/cloth_implicit.h"
#include "exec/buffer.h"
#include "solvers/cloth_implicit.h"
#include "world/world.h"

namespace rtsim {

// The triangles and hinges of a cloth at rest, as it is now.
class ClothMesh {
 public:
  // Throws Error{bad_input} where there are no triangles.
  ClothMesh(const ClothImplicitParams&, World&);

  cloth::Mesh view() const;
  cloth::Material material(double h) const;  // for steps of a length [s]

 private:
  void weave(const Vec3d& warp, const std::vector<Vec3d>& rest,
             const std::vector<CellMesh::Triangle>&);
  void fold(const std::vector<Vec3d>& rest, const std::vector<CellMesh::Triangle>&);

  ClothImplicitParams p_;
  Buffer<cloth::Corners3> triangles_;
  Buffer<cloth::TriangleRest<Real>> triangle_rest_;
  Buffer<cloth::Corners4> hinges_;
  Buffer<cloth::HingeRest> hinge_rest_;
  Buffer<Index> first_triangle_, triangle_corners_, first_hinge_, hinge_corners_;
};

// Which points of a cloth act on which and through what, and the matrix that comes of it.
class ClothMatrix {
 public:
  ClothMatrix(World&, const std::string& mesh);

  std::size_t rows() const { return inertia_.size(); }  // points, filled up to whole slices
  cloth::Parts parts() const;
  block_cg::BlockMatrix view() const { return {first_.span(), blocks_.span(), inertia_.span()}; }
  Span<block_cg::BlockSlot> blocks() { return blocks_.span(); }
  Span<Real> inertia() { return inertia_.span(); }

 private:
  Buffer<Index> first_;
  Buffer<block_cg::BlockSlot> blocks_;
  Buffer<Real> inertia_;
  Buffer<Index> first_triangle_, triangles_, first_hinge_, hinges_;
};

}  // namespace rtsim
