#pragma once
#include <string>
#include <vector>

#include "neighbours/neighbours.h"
#include "region/half_spaces.h"
#include "sph/cubic_spline.h"
#include "world/world.h"

namespace rtsim {

// Positions by cells, on the host, each with the volume that it takes up.
class PlacedVolumes {
 public:
  struct Source {
    std::string table;
    double volume;  // [m^D] of each row
  };
  // What lies far from `home` counts to the nearest cell.
  void sort(World&, const std::vector<Source>&, double cell, const neighbours::Box* home);
  // sum_j V_j W(x - x_j)
  double fraction(const sph::CubicSpline&, const Vec3d& x) const;
  bool empty() const { return rows_.empty(); }
  const neighbours::Box& box() const { return box_; }

 private:
  template <int D>
  void sort_in(World&, const std::vector<Source>&, double cell, const neighbours::Box* home);

  neighbours::Box box_{};
  CellGrid grid_;
  std::vector<Index> first_;
  std::vector<Row4> rows_;  // (x, y, z, V)
};

// Whether a fluid gives way to further rows. Liquid that is pressed on does so by its surface, so
// it is walked through on a lattice of its spacing, from where the rows would come up to the walls,
// and the nodes where a row more fits are counted. A full tank has none, whatever the fluid, and an
// open one has, however deep, soft or fast it is: how far liquid is compressed says neither.
//
// At a node let f = sum_j V_j W(x - x_j) over the rows of all fluids, and w the same over samples
// of walls, of the cubic spline with a support of two spacings, which makes 1 of a full lattice to
// 0.005. A wall is where w > 1/2, as half of the kernel is beyond a plane through its middle; a row
// more fits where f + w + V W(0) <= 1.
//
// Fluid that has no samples of walls, as that of `flip`, is taken to have room.
class Room {
 public:
  Room(World&, const std::string& fluid);

  // Where everything is now. What follows is of then.
  void look(World&);

  // Whether a row more fits at a place; without any wall it does.
  bool fits(const Vec3d& x) const;
  // How many rows fit, counted up to `enough`, among the nodes that are reached from those next to
  // `from`; those in `guided` do not count, as what a nozzle leads away there leaves holes. Without
  // any wall, or where all nodes next to `from` are in walls, it is `enough`.
  std::size_t nodes(const World&, const std::vector<Vec3d>& from, const region::HalfSpaces* guided,
                    std::size_t enough) const;

 private:
  double wall(const Vec3d& x) const { return walls_.fraction(kernel_, x); }

  std::string fluid_;
  double spacing_, volume_;  // [m], [m^D] of a row
  sph::CubicSpline kernel_;
  PlacedVolumes liquid_, walls_;
  bool looked_ = false, moving_ = false;
};

}  // namespace rtsim
