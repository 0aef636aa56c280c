#pragma once
#include <optional>
#include <string>
#include <vector>

#include "particles/walls/carried_mesh.h"
#include "sph/walls.h"
#include "world/world.h"

namespace rtsim {

// Samples of bodies stand together, in the order of the bodies: those of o from starts[o] to
// starts[o + 1]; empty where the boundary is none.
Buffer<Index> starts_of_owners(World&, const std::string& boundary, const std::string& fluid);

// The first of a boundary's samples, those of all tables standing one behind the other.
Index first_sample(World&, const std::string& fluid, const std::vector<std::string>& boundaries,
                   const std::string& boundary);

// The samples of all boundaries of one fluid, in cell order, with their volumes. Static samples are
// packed once, moving ones at every update, with as many as there are then.
template <int D>
class SphWalls {
 public:
  SphWalls(World&, const std::string& fluid, const std::vector<std::string>& boundaries,
           const sph::CubicSpline&, double spacing, const PeriodicBox& = {});

  // `ahead`: how long before the samples' own time the fluid is [s].
  void update(World&, double ahead);

  // Gives the packed rows the velocity that takes them within dt to where the samples, `ahead`
  // seconds before their own time, are now.
  void aim(World&, double dt, double ahead);

  // From here on meshes give way to the fluid in each of so many substeps, where the stage `couple`
  // accepts that: for fluids that do not wait for it while they look for pressure.
  void let_meshes_yield(World&, int substeps);

  // Forces on the samples, in the order of the packed rows [N]: begin with none, let kernels add as
  // many times as there are `substeps`, end with the means in the samples' columns `force` and in
  // the boundaries' tables of forces.
  void begin_forces(World&, double dt, int substeps);
  Span<Row4> forces() { return force_.span(); }
  Span<Row4> couples() { return couple_.span(); }  // about the samples [N m]
  void end_forces(World&);

  CellRows cells() const;
  Span<const Row4> motion() const { return motion_.span(); }
  Span<Row4> motion() { return motion_.span(); }
  // Where the samples of all tables, one behind the other, stand among the packed rows; none where
  // no boundary is bodies or a mesh.
  Span<const Index> places() const { return places_.span(); }
  // Which of the samples of all tables, one behind the other, each packed row is.
  Span<const Index> order() const { return order_.span(); }
  bool empty() const { return count_ == 0; }
  bool moving() const { return moving_; }
  // Samples came or went since they were packed: those of a boundary whose frames change them.
  bool stale(World&) const;

 private:
  void count(World&);
  void gather(World&);
  void pack(World&, double ahead);
  void find_carried(World&);
  void collect_forces(World&);
  void sum_owners(World&, std::size_t boundary, Index first);

  std::string fluid_;
  std::vector<std::string> boundaries_;
  sph::CubicSpline kernel_;
  Real gamma_;
  PeriodicBox periodic_;
  bool moving_ = false, packed_ = false;
  int substeps_ = 0;  // while forces are taken down
  std::size_t count_ = 0;
  std::vector<std::uint64_t> revisions_;  // of the tables that were packed
  CellGrid grid_;
  Buffer<Vec<D>> position_, velocity_, collected_;  // of all tables, one behind the other
  Buffer<Index> layer_;
  Buffer<std::uint32_t> keys_;
  Buffer<Index> order_, first_;
  Buffer<Row4> rows_, motion_, force_, couple_;
  Buffer<Real> volume_;
  // Of each boundary's owners, or of a mesh's points.
  std::vector<std::vector<sph::ForceAndTorque>> total_;
  std::vector<Buffer<Index>> starts_;  // of their samples in each table, and its end; of one: none
  std::vector<std::optional<MeshSamples>> meshes_;  // of each boundary that is one
  bool meshes_yield_ = false;
  std::vector<CarriedMesh> carried_;
  bool owned_ = false;  // any such
  Buffer<Index> places_;
  Buffer<sph::ForceAndTorque> sums_;  // scratch
};

// What a full lattice layer of unit spacing sums to: Akinci's volume of a flat wall of one layer,
// times this, is spacing^D, so the wall completes the lattice of a fluid that touches it.
double wall_gamma(const sph::CubicSpline&, int dim, double spacing);

}  // namespace rtsim
