#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grids/body_motions.h"
#include "shallow_water/shallow_water.h"
#include "solvers/shallow_water/water_under_hulls.h"

namespace rtsim {

// Rigid bodies that float in shallow water. With w the height that water would stand at around a
// body, its head, a column under it holds
//   h = (w - b)^+ - D(w),  D(w) = sum a (w - y)^+ over the facets a, y of hulls in it,
// so that it has no room for more where a hull covers it all: there w is a pressure, found such
// that no water leaks through. Discharges Q of faces obey
//   Q_t + (Q u)_x + .. = -g h_f w_x,  h_t = -div Q
// and the body feels the gradient of pressure in the water that it displaces,
//   F = rho g integral (-w_x, 1, -w_z) dV,
// which is its weight of water where w is level. Both sides of a step are implicit: h(w) of its end
// is that of bodies which yielded to w. A piecewise linear system (Casulli & Stelling, "A
// semi-implicit numerical model for urban drainage systems", Int. J. Numer. Meth. Fluids 73, 2013;
// roofs over water: Godlewski et al., "Congested shallow water model: roof modeling in free surface
// flow", ESAIM: M2AN 52, 2018), solved by Newton's method and conjugate gradients in cells under
// and beside hulls; all others take the finite volumes, over a ground that is raised by D.
class FloatingBodies {
 public:
  // Of the `objects` only those that are bodies. Takes water away from where they are.
  FloatingBodies(World&, const std::string& water, const std::vector<std::string>& objects,
                 double density);

  bool empty() const { return motions_.empty(); }
  // After the state was read from a checkpoint.
  void recall(World&);

  void begin(World& world, double dt) { motions_.begin(world, members_, dt); }
  // Before a substep: bodies fall. Returns the ground, raised by what bodies displace.
  const Real* raise(World&, double h);
  // Behind it: the same cells as they are with bodies.
  void correct(World&, const shallow_water::Flow&, double h, const shallow_water::Columns& from,
               const shallow_water::Columns& to);
  void end(World& world) const { motions_.hand_over(world, members_); }

 private:
  void make_room(World&);
  void place(World&);
  void find_near();
  WaterLines lines(World&, const shallow_water::Columns&) const;
  Real* faces(World&, const char* axis) const;
  void read_faces(World&, WaterLines&) const;
  void let_through(const shallow_water::Flow&, double h, const shallow_water::Columns& from,
                   WaterLines&) const;
  void keep(World&, const WaterLines&, const shallow_water::Columns& to) const;

  Exec ex_;
  std::string water_;
  GridShape columns_;
  double density_;
  std::vector<Solids::Member> members_;
  BodyMotions motions_;
  std::vector<PlacedHull> hulls_;         // in this substep
  std::vector<std::int32_t> near_;        // by cells: whether they are under or beside a hull
  Index first_line_ = 0, last_line_ = 0;  // along x, with all that are so now or were so before
  Buffer<Real> raised_;
};

}  // namespace rtsim
