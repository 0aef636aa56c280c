#pragma once
#include <string>

#include "exec/buffer.h"
#include "param/describe.h"
#include "sph_clavet/springs.h"
#include "world/world.h"

namespace rtsim {

struct SpringParams {
  enum class Start { radius, distance };

  Start start = Start::radius;
  double stiffness = 270;  // [1/s^2]
  double yield_ratio = 0.1;
  double plasticity = 9;  // [1/s]
};
void describe(Describe&, SpringParams&);

// The springs of one fluid: the table `<fluid>.springs`, where each row of the fluid has a run that
// its columns first_spring and springs tell. Partners are ids, so rows may be sorted, and come and
// go.
class ParticleSprings {
 public:
  ParticleSprings(World&, const SpringParams&, const std::string& fluid, double support);

  // Of the present positions, rows in cell order: makes springs of near pairs, lets rest lengths
  // give way, breaks the long ones, and adds their pull to the shifts.
  void advance(World&, const CellRows& rows, double dt, Span<Row4> shift);

  double count(World& world) const { return 0.5 * world.table(table_).rows(); }

 private:
  sph_clavet::SpringRows rows(World&, const CellRows&) const;
  void renew(World&, const sph_clavet::SpringLaw&, const CellRows&);

  SpringParams p_;
  std::string fluid_, table_;
  double support_;
  Buffer<Index> row_of_, count_, first_;
  Buffer<std::uint32_t> partner_;
  Buffer<Real> rest_length_;
};

}  // namespace rtsim
