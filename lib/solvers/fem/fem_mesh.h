#pragma once
#include "exec/buffer.h"
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_coarse.h"
#include "world/world.h"

namespace rtsim {

// The elements of a mesh, at rest where its points are.
class FemMesh {
 public:
  // Throws Error{bad_input} where there are neither tetrahedra nor triangles in a plane of one z,
  // and for elements that are flat.
  FemMesh(const FemParams&, World&);

  fem::Elements view() const;
  Index count() const { return count_; }
  bool second_order() const { return middles_.size() > 0; }
  // How many points of quadrature elements have in all, and what is plastic of the strain at each.
  Index points() const { return count_ * (!second_order() ? 1 : flat_ ? 3 : 4); }
  void set_plastic(Span<const fem::Strain> strain) { plastic_ = strain; }
  // A bound of the greatest omega^2 = K/M of small strains [1/s^2].
  double stiffest() const { return stiffest_; }
  // What forces on corners round by: the sum of their squares over the masses of their points
  // [N^2/kg].
  double rounding() const { return rounding_; }
  // Elastic energy of strains as large as their rounding [J].
  double rounding_energy() const { return rounding_energy_; }

 private:
  fem::Material material_;
  Index count_ = 0;
  bool flat_ = false;
  double stiffest_ = 0, rounding_ = 0, rounding_energy_ = 0;
  Buffer<fem::ElementSlot> slots_;
  Buffer<fem::MiddleSlot> middles_;
  Buffer<Index> first_, where_;
  Span<const fem::Strain> plastic_{};
};

// Which points act on which through which elements, and the matrix that comes of it.
class FemMatrix {
 public:
  FemMatrix(World&, const std::string& mesh);

  std::size_t rows() const { return diagonal_.size(); }  // points, filled up to whole slices
  block_cg::BlockMatrix view() const {
    return {first_.span(), blocks_.span(), diagonal_.span(), {}};
  }
  void assemble(const Exec&, Span<const Mat3<Real>> pairs, Span<const Real> mass, Real inertia);
  // From then on every assembly adds `scale` of what is there, which gets it at once.
  void begin_damping(const Exec&, Real scale);
  void end_damping() { damps_ = false; }
  // to = D w of damping; returns w . D w.
  double damp(const Exec&, Span<const Row4> w, Span<Row4> to);

  // What a solve has besides the points' own blocks; none of a few points.
  FemCoarse* coarse() { return coarse_ ? &*coarse_ : nullptr; }
  // Of the matrix that is there, with S as of block_cg::Levels.
  void update_coarse(const Exec&, Span<const Row4> position, Span<const Row4> filter);

 private:
  Buffer<Index> first_;
  Buffer<block_cg::BlockSlot> blocks_, damping_;
  Buffer<Real> diagonal_, none_;
  Buffer<Index> first_part_, parts_;
  std::optional<FemCoarse> coarse_;
  bool damps_ = false;
};

}  // namespace rtsim
