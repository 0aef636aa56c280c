#pragma once
#include <string>
#include <vector>

#include "neighbours/cell_grid.h"
#include "particles/walls/virtual_fan.h"
#include "particles/walls/volume_map.h"

namespace rtsim {

// The boundaries of one fluid as volume maps: at every update each fluid row gets a wall row of its
// own from each boundary it is near. Maps are made once, in the frames of their boundaries.
//
// A lattice half a spacing from a plane has rest density, one in an edge or a corner is up to 5 %
// and 7 % off, one on a curve of radius R up to 0.18 spacings / R (see the tests). The
// force of a virtual neighbour has no potential: weakly damped water at rest goes on circulating
// slowly in concave corners. Solids of two boundaries that overlap count twice.
template <int D>
class WallMaps {
 public:
  // `cell` [m] of the maps. Throws Error{bad_input} for solids that a map cannot hold.
  WallMaps(World&, const std::string& fluid, const std::vector<std::string>& boundaries,
           const sph::CubicSpline&, double spacing, double cell);

  bool empty() const { return maps_.empty(); }

  // So that a lattice half a spacing from a plane has exactly rest density and the pressure force
  // of one that goes on, with the kernel W that densities are summed with. The first
  // call counts.
  void calibrate(const KernelOfSquare&);

  // Wall rows of the fluid rows; `ahead`: how long before the walls' own time the fluid is [s].
  void update(World&, Span<const Row4> fluid, double ahead);
  // Gives the wall rows the velocity of the walls as they are now.
  void aim(World&);

  // Bends the velocities of fluid rows whose way within dt leads into a wall. After update() and
  // aim(), and with `mass` [kg] of a row for the forces.
  void keep_out(Span<const Row4> fluid, Span<Row4> motion, double mass, double dt);

  CellRows cells() const;
  Span<const Row4> motion() const { return motion_.span(); }

  // Forces: begin with none, let kernels add to the span, end with the mean over the substeps in
  // the boundaries' tables of forces.
  void begin_forces(int substeps);
  Span<Row4> forces() { return force_.span(); }
  void end_forces(World&);

 private:
  struct Map {
    std::string boundary;
    VolumeMap volume;
    std::string pose_table;  // empty where the boundary never moves
  };
  boundary::Pose pose(World&, const Map&) const;
  Index rows() const;
  Index own_rows() const { return Index(maps_.size()) * sph::fan<D>; }
  void collect_forces();
  sph::Profile1 profile(const Buffer<Real>&) const;

  Exec ex_;
  std::string fluid_;
  double spacing_, support_;  // [m]
  std::vector<Map> maps_;
  Real first_ = 0, inv_step_ = 0;        // of the profiles
  Buffer<Real> reach_, aside_, volume_;  // of the virtual neighbours
  Buffer<Row4> rows_, motion_, force_;
  int substeps_ = 0;                   // while forces are taken down
  std::vector<boundary::Pose> poses_;  // at the last update, `ahead_` [s] before their own time
  double ahead_ = 0;
  std::vector<sph::ForceAndTorque> total_;
};

}  // namespace rtsim
