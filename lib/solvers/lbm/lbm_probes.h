#pragma once
#include "grids/probes.h"
#include "solvers/lbm/lbm.h"

namespace rtsim {

// Pressure and velocity at places, linear between the centres of the fluid cells around each.
template <int D>
class LbmProbes {
 public:
  // Throws Error{bad_input} for places outside of the grid.
  LbmProbes(const GridShape&, const std::vector<GridProbe>&);

  void measure(const Exec&, const lbm::Layout&, Span<const std::uint8_t> solid,
               Span<const Real> pressure, Span<const Vec<D>> velocity,
               std::vector<Measurement>&) const;

 private:
  using Place = std::vector<ProbeCorner>;
  struct Reading {
    double pressure = 0;
    Vec3d velocity;
  };

  GridShape grid_;
  std::vector<GridProbe> probes_;
  std::vector<Place> at_, against_;
};

}  // namespace rtsim
