#pragma once
#include <functional>
#include <vector>

#include "block_cg/isotropic.h"
#include "deformables/groups.h"
#include "deformables/plates/plate_constraints.h"
#include "exec/buffer.h"
#include "meshes/adjacency.h"
#include "plate_bending/plate.h"

namespace rtsim {

// Bending of a mesh of triangles as sums over patches (plate/law.h), on the host. At rest it is
// flat, or as its points are.
struct PlatePatches {
  PlatePatches(const std::vector<Vec3d>& points, const std::vector<CellMesh::Triangle>&, bool flat);

  std::vector<Index> first{0}, points;  // as in plate::Patches
  std::vector<Vec3d> weights;
  std::vector<Mat3<double>> rest;
  std::vector<Index> first_slot, slots;
  std::vector<Index> patch;  // of each slot
  std::vector<double> turn;  // how far the frame turns as the slot's point moves [1/m], if any rest

  // n_ij of a row, - d^2E/dx_i dx_j over B but for the turn of frames.
  struct Entry {
    Index column;
    double n;  // [1/m^2]
  };
  // In order of the columns, without its own.
  std::vector<Entry> row(std::size_t i) const;
  // No less than sum_j |d^2E/dx_i dx_j| over B at rest.
  double row_bound(std::size_t i) const;
};

// Those in memory, with the forces that they make.
class PlateBuffers {
 public:
  // Nothing bends.
  explicit PlateBuffers(const Exec&);
  // B [N m] and tau [s]
  PlateBuffers(const Exec&, const PlatePatches&, double stiffness, double damping = 0);

  bool any() const { return points_.size() > 0; }
  // A step of length h [s] begins: damping takes it back to these curvatures.
  void start(const Exec&, Span<const Vec<3>> position, double h);
  plate::Energies forces(const Exec&, const mass_spring::Ahead&);
  plate::SlotForces slot_forces() const;
  double energy(const Exec&, Span<const Vec<3>> position) const;
  // What of n_ij is in the matrix of a step: h^2 B, damped.
  Real scale(double h) const;

 private:
  plate::Patches view() const;

  double stiffness_ = 0, damping_ = 0, lag_ = 0;
  Buffer<Index> first_, points_;
  Buffer<Vec<3>> weights_;
  Buffer<Mat3<Real>> rest_, start_;
  Buffer<Index> first_slot_, slots_;
  Buffer<Vec<3>> force_;
};

// Rows of entries in memory, eight side by side.
class IsotropicBuffers {
 public:
  using Row = std::function<std::vector<PlatePatches::Entry>(std::size_t)>;
  explicit IsotropicBuffers(const Exec& ex) : first_(ex), slots_(ex) {}
  IsotropicBuffers(const Exec&, std::size_t rows, const Row&);

  std::vector<std::uint8_t> apart(const Groups& g) const {
    return g.apart(first_.download(), slots_.download());
  }
  block_cg::Isotropic view(Real scale) const { return {first_.span(), slots_.span(), scale}; }

 private:
  Buffer<Index> first_;
  Buffer<block_cg::IsotropicSlot> slots_;
};

}  // namespace rtsim
