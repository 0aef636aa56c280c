#pragma once
#include <optional>

#include "cloth_implicit/cloth_implicit.h"
#include "deformables/groups.h"
#include "deformables/plates/plates.h"
#include "exec/buffer.h"
#include "solvers/cloth_implicit/cloth_implicit.h"
#include "world/world.h"

namespace rtsim {

// The triangles of a cloth at rest, as it is now.
class ClothMesh {
 public:
  // Throws Error{bad_input} where there are no triangles.
  ClothMesh(const ClothImplicitParams&, World&);

  cloth::Mesh view() const;
  cloth::Fabric<Real> fabric(double h) const;  // for steps of a length [s]

 private:
  ClothImplicitParams p_;
  Buffer<cloth::Corners3> triangles_;
  Buffer<cloth::TriangleRest<Real>> rest_;
  Buffer<Index> first_, corners_;
};

// How it bends at rest; nothing where it bends freely.
std::optional<PlatePatches> plates_of(const ClothImplicitParams&, World&);

// Which points of a cloth act on which and through what, and the matrix that comes of it. Points
// that bending alone joins stand apart.
class ClothMatrix {
 public:
  ClothMatrix(World&, const std::string& mesh, const PlatePatches*);

  std::size_t rows() const { return inertia_.size(); }  // points, filled up to whole slices
  cloth::Parts parts(Real bending) const {
    return {first_part_.span(), parts_.span(), bends_.span(), bending};
  }
  block_cg::BlockMatrix view(Real bending) const {
    return {first_.span(), blocks_.span(), inertia_.span(), more_.view(bending)};
  }
  Span<block_cg::BlockSlot> blocks() { return blocks_.span(); }
  Span<Real> inertia() { return inertia_.span(); }
  // Of the matrix that is there; S comes as it is.
  block_cg::Levels levels(Span<const Row4> filter) { return groups_.view(filter); }
  void invert_levels(const Exec&, Real bending, Span<const Row4> filter);

 private:
  Buffer<Index> first_;
  Buffer<block_cg::BlockSlot> blocks_;
  Buffer<Real> inertia_;
  Buffer<Index> first_part_, parts_;
  Buffer<Real> bends_;
  IsotropicBuffers more_;
  Groups groups_;
  Buffer<std::uint8_t> apart_, more_apart_;
};

}  // namespace rtsim
