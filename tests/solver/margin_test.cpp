#include "mac/margin.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "exec/exec.h"

using namespace rtsim;
using mac::BoundaryCondition;

namespace {

std::vector<Real> filled(const Exec& ex, const mac::Domain& d, int lattice) {
  const mac::Layout layout = mac::Layout::of(d);
  std::vector<Real> rows(std::size_t(d.rows(lattice))), padded(std::size_t(layout.size), -99);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = Real(std::sin(1.3 * double(r) + lattice));
  mac::to_padded(ex, d, lattice, {rows.data(), Index(rows.size())}, padded.data());
  if (lattice == mac::centres)
    mac::fill_scalar_margin(ex, d, {}, padded.data());
  else
    mac::fill_velocity_margin(ex, d, lattice, padded.data());
  return padded;
}

}  // namespace

// Devices go from place to place, CPUs from line to line.
TEST_CASE("margin: the same values line by line and place by place, and none left out") {
  for (const int dims : {2, 3})
    for (const int periodic : {0, 1, 2, 3}) {
      mac::Domain d;
      d.dims = dims;
      const Index n[3] = {7, 5, 4};
      for (int a = 0; a < 3; ++a) {
        d.cells[a] = a < dims ? n[a] : 1;
        const bool wraps = a == periodic || periodic == 3;
        for (int end = 0; end < 2; ++end) {
          d.condition[a][end] = wraps ? BoundaryCondition::periodic
                                : end ? BoundaryCondition::open
                                      : BoundaryCondition::no_slip;
          for (int c = 0; c < 3; ++c) d.boundary_velocity[a][end][c] = Real(0.1 * (a + 2 * c));
        }
      }
      for (int lattice = 0; lattice < 4; ++lattice) {
        if (lattice >= dims && lattice != mac::centres) continue;
        INFO(dims << "D, lattice " << lattice << ", periodic along " << periodic);
        const auto lines = filled(Exec::cpu(1), d, lattice),
                   places = filled(Exec::cpu(1).device_shaped(), d, lattice);
        CHECK(lines == places);
        CHECK(std::count(places.begin(), places.end(), Real(-99)) == 0);
      }
    }
}
