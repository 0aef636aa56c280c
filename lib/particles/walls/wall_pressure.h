#pragma once
#include "particles/sample_column.h"
#include "particles/sph_fluid.h"
#include "particles/walls/wall_limits.h"
#include "pressure/samples.h"

namespace rtsim {

// The pressures of the samples of a fluid's walls, in the order of the packed rows; see
// pressure/samples.h.
template <int D>
class WallPressure {
 public:
  WallPressure(World&, const SphFluid<D>&, const SphParams&);
  // Adds a column to the tables of samples, in which a pressure lasts from step to step.
  void add_pressure(World&, const char* column, const char* unit);

  bool empty() const { return limits_.empty(); }
  // After the neighbours were found.
  void find(World&, const SphFluid<D>&, const pressure::Pairs&);
  void add_mobility(World&, const pressure::Pairs&, Span<const Real> mobility_bound);

  // The pressure that is worked on: from its column, and back.
  Span<Real> fetch(World&, const SphFluid<D>&, const char* column);
  void store(World&, const SphFluid<D>&, const char* column);

  // Of the samples what `target` is of the rows.
  pressure::Target target(const pressure::Target& rows);
  void find_rate(World&, const pressure::Pairs&, double dt, bool by_distances);
  Span<Real> last() { return last_.span(); }
  Span<const Real> none();

 private:
  pressure::SampleLists lists() const { return {first_.span(), row_.span(), gradient_.span()}; }

  WallLimits limits_;
  SampleColumn k_;
  Buffer<Real> density_, diagonal_, rate_, last_;
  Buffer<Index> first_, row_;
  Buffer<Row4> gradient_;
};

}  // namespace rtsim
