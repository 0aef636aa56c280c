#pragma once
#include "solvers/lbm/lbm.h"

namespace rtsim {

// Pressure and velocity at places, linear between the centres of the fluid cells around each.
template <int D>
class LbmProbes {
 public:
  // Throws Error{bad_input} for places outside of the grid.
  LbmProbes(const GridShape&, const std::vector<LbmProbe>&);

  void measure(const Exec&, const lbm::Layout&, Span<const std::uint8_t> solid,
               Span<const Real> pressure, Span<const Vec<D>> velocity,
               std::vector<Measurement>&) const;

 private:
  struct Corner {
    Index cell;
    double weight;
  };
  using Place = std::vector<Corner>;
  struct Reading {
    double pressure = 0;
    Vec3d velocity;
  };
  Place place(const std::string& probe, const Vec3d& at) const;

  GridShape grid_;
  std::vector<LbmProbe> probes_;
  std::vector<Place> at_, against_;
};

}  // namespace rtsim
