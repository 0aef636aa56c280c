#pragma once
#include <string>
#include <vector>

#include "particles/mixture.h"
#include "particles/particle_cells.h"
#include "particles/periodic.h"
#include "particles/sph_params.h"
#include "particles/walls/sph_walls.h"
#include "particles/walls/wall_maps.h"
#include "particles/walls/wall_sensor.h"
#include "particles/walls/wall_shapes.h"
#include "sph/density.h"
#include "sph/medium.h"
#include "sph/motion.h"
#include "sph/pairs.h"
#include "stage/stage_type.h"

namespace rtsim {

// A fluid's rows in cell order, its walls, its neighbours, and the rows that pair loops read. All
// of it is scratch: made again from positions and velocities.
template <int D>
class SphFluid {
 public:
  // Adds the derived columns density and pressure. `support`: of the kernel [m].
  SphFluid(World&, const SphParams&, double support);

  // Sorts the rows, finds the neighbours and sums the density, with the walls where they were
  // `ahead` seconds before their own time.
  template <class Kernel>
  void find_neighbours(World& world, const Kernel& kernel, double ahead) {
    maps_.calibrate(
        [&](double r2) { return double(kernel.scale) * double(kernel.shape(Real(r2))); });
    place(world, ahead);
    sph::density(world.exec, kernel, medium.mass, medium.rest_density, cells_.view(), walls().cells,
                 lists_, density(world), neighbours_.span());
  }
  const std::string& name() const { return name_; }  // of its table
  // Whether other stages added, removed or reordered rows since.
  bool stale(World& world) const {
    return table(world).revision() != revision_ || walls_.stale(world);
  }

  // Of several phases: brings what other stages did to them into the table that is worked on, and
  // what the step made of it back to them. Else nothing. Afresh: see Mixture.
  void take_phases(World& world) { mixture_.take(world); }
  void take_phases_afresh(World& world) { mixture_.take_afresh(world); }
  void give_phases(World& world) const { mixture_.give(world); }
  const sph::Phases& phases() const { return mixture_.phases(); }
  const std::vector<typename Mixture<D>::Member>& members() const { return mixture_.members(); }

  std::vector<ColumnUse> uses() const;  // positions and velocities

  // Motion rows (velocity, w).
  void pack_motion(World&, Span<const Real> w);
  // w is the density, or with several phases which one it is.
  void pack_motion(World& world) {
    pack_motion(world, phases().mixed() ? phase(world) : density(world));
  }
  Span<const Real> phase(World& world) const {  // of each row; of one phase alone: none
    return phases().mixed() ? mixture_.phase(world) : Span<const Real>{};
  }
  // Gives the wall rows the velocity that takes them, within dt, to where the walls are now.
  void aim_walls(World& world, double dt, double ahead) {
    walls_.aim(world, dt, ahead);
    maps_.aim(world);
  }

  // Positions a step on with the velocities of `motion`, which become the column's; but through no
  // wall.
  void move(World&, double dt, Span<Row4> motion);
  // Changes the shifts of rows that stand where they were predicted, so that none leads through a
  // wall; for methods whose velocities follow from shifts (relaxation/relaxation.h).
  void keep_shifts(World&, double dt, Span<Row4> shift);
  // The last part of `move`, for methods that keep rows from samples themselves: bends velocities
  // whose way within dt leads through the surface of a closed boundary.
  void keep_out_of_shapes(World&, double dt, Span<Row4> motion);
  // How many rows are inside closed boundaries, or stood in the samples of others at the last move.
  void measure_walls(World&, std::vector<Measurement>&) const;

  // Forces on walls, where they were asked for: begin with none, let kernels add to the span, end
  // with the mean over the substeps in the boundaries' tables of forces, and of samples in their
  // own columns too.
  bool forces_wanted() const { return forces_wanted_; }
  void begin_forces(World& world, double dt, int substeps) {
    maps_.empty() ? walls_.begin_forces(world, dt, substeps) : maps_.begin_forces(substeps);
  }
  void let_meshes_yield(World& world, int substeps) { walls_.let_meshes_yield(world, substeps); }
  Span<Row4> wall_forces() { return maps_.empty() ? walls_.forces() : maps_.forces(); }
  void end_forces(World& world) {
    maps_.empty() ? walls_.end_forces(world) : maps_.end_forces(world);
  }

  // (x, y, z, .) and (u, v, w, .), and far dummies.
  sph::PairRows rows() const { return {cells_.view(), motion_.span()}; }
  sph::PairRows walls() const {
    if (maps_.empty()) return {walls_.cells(), walls_.motion()};
    return {maps_.cells(), maps_.motion()};
  }
  // Of samples alone; see SphWalls.
  Span<Row4> wall_motion() { return walls_.motion(); }
  Span<const Index> wall_places() const { return walls_.places(); }
  Span<const Index> wall_order() const { return walls_.order(); }
  Span<Row4> position_rows() { return cells_.rows(); }
  Span<Row4> motion_rows() { return motion_.span(); }
  const neighbours::NeighbourLists& lists() const { return lists_; }
  Span<const Index> neighbour_counts() const { return neighbours_.span(); }

  Table& table(World& w) const { return w.table(mixture_.table()); }
  Span<Vec<D>> position(World& w) const { return table(w).template column<Vec<D>>("position"); }
  Span<Vec<D>> velocity(World& w) const { return table(w).template column<Vec<D>>("velocity"); }
  Span<Real> density(World& w) const { return table(w).template column<Real>("density"); }
  Span<Real> pressure(World& w) const { return table(w).template column<Real>("pressure"); }

  // v with v^2 = v0^2 + 2 g H: v0 the greatest speed of fluid and walls at the start, of what
  // stages bring in and of walls along their normals ever, H the way along gravity from where that
  // is highest to the lowest thing there is [m/s].
  double expected_speed(World&) const;

  // Energies, mass, momentum, density errors, front, spread, neighbours.
  void measure(World&, std::vector<Measurement>&) const;
  // What falling by a spacing frees, which is as near as rows know where they are at rest; and the
  // pull along axes that repeat, which has no potential.
  Feed feed(World&) const;

  // p_i = (k_i + more_i) rho_i^2 into the pressure column; `more` may be empty.
  void pressure_from(World&, Span<const Real> k, Span<const Real> more);

  // Of stable_step.h, with h = support / 2. A state is lost a hundred times above the first.
  double courant_dt() const;
  double courant_dt(double speed) const;
  double viscous_dt(double kinematic_viscosity) const;
  void watch_courant(World&, double dt, int substeps);

  // Throws Diverged where a speed is not finite or above `limit`; `remedy` says what would help.
  // Keeps the greatest speed and acceleration.
  void watch(World&, double limit, Span<const Vec<D>> acceleration, const std::string& remedy);
  const sph::Extremes& extremes() const { return extremes_; }

  const sph::Medium medium;
  const double spacing, support;  // [m]

 private:
  std::vector<Vec3d> places_on(World&, const Object& boundary) const;
  Vec<D> falling(const World&) const;  // gravity, as far as it has a potential [m/s^2]
  void place(World&, double ahead);
  void keep_from_samples(World&, double dt, Span<Row4> motion);
  sph::NearWalls near_walls(World&);
  void book_meetings(World&, double dt, double scale);
  void add_force_columns(World&);
  void add_sensors(World&);
  sph::Sums sums(World&, Table&, double rest_density, Span<const Index> neighbours) const;
  void measure_phase(const typename Mixture<D>::Member&, double rows, const sph::Sums&,
                     std::vector<Measurement>&) const;
  void measure_levels(World&, std::vector<Measurement>&) const;
  void measure_forces(World&, std::vector<Measurement>&) const;
  void measure_probes(World&, std::vector<Measurement>&) const;

  std::string name_;  // of the fluid, or of the first: samples and series have it
  Mixture<D> mixture_;
  std::vector<std::string> boundaries_;
  bool forces_wanted_, forces_measured_;
  std::vector<SphProbe> probes_;
  PeriodicBox periodic_;
  std::vector<WallSensor<D>> sensors_;  // of the probes of wall_pressure, in their order
  neighbours::Box home_;
  ParticleCells<D> cells_;
  SphWalls<D> walls_;  // one of the two is empty
  WallMaps<D> maps_;
  WallShapes<D> shapes_;
  neighbours::NeighbourLists lists_;
  Buffer<Row4> motion_, lost_;
  Buffer<Index> neighbours_, met_;
  Index in_walls_ = 0;
  sph::Extremes extremes_;
  std::uint64_t revision_ = ~std::uint64_t(0);
};

}  // namespace rtsim
