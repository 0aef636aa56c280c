#include "solvers/lbm/lbm_probes.h"

namespace rtsim {

template <int D>
LbmProbes<D>::LbmProbes(const GridShape& grid, const std::vector<GridProbe>& probes)
    : grid_(grid), probes_(probes) {
  for (const GridProbe& p : probes_) {
    at_.push_back(corners_around(grid, mac::centres, p.name, p.at));
    against_.push_back(p.against ? corners_around(grid, mac::centres, p.name, p.against->at)
                                 : Place{});
  }
}

template <int D>
void LbmProbes<D>::measure(const Exec& ex, const lbm::Layout& layout,
                           Span<const std::uint8_t> solid, Span<const Real> pressure,
                           Span<const Vec<D>> velocity, std::vector<Measurement>& out) const {
  const auto read = [&](const Place& place) {
    Reading sum;
    double weight = 0;
    for (const ProbeCorner& c : place) {
      const Index cell = grid_.row(c.at[0], c.at[1], c.at[2]);
      std::uint8_t wall;
      Real p;
      Vec<D> u;
      ex.download(&wall, solid.data + layout.slot_of(cell), 1);
      if (wall) continue;
      ex.download(&p, pressure.data + cell, sizeof p);
      ex.download(&u, velocity.data + cell, sizeof u);
      sum.pressure += c.weight * double(p);
      sum.velocity = sum.velocity + c.weight * widen(u);
      weight += c.weight;
    }
    return weight > 0 ? Reading{sum.pressure / weight, (1 / weight) * sum.velocity} : Reading{};
  };
  constexpr const char* axes[3] = {".velocity.x", ".velocity.y", ".velocity.z"};
  for (std::size_t k = 0; k < probes_.size(); ++k) {
    const Reading here = read(at_[k]), there = read(against_[k]);
    const std::string& name = probes_[k].name;
    out.push_back({name + ".pressure", here.pressure - there.pressure, D == 2 ? "N/m" : "Pa"});
    if (probes_[k].against) continue;
    for (int a = 0; a < D; ++a) out.push_back({name + axes[a], here.velocity[a], "m/s"});
  }
}

template class LbmProbes<2>;
template class LbmProbes<3>;

}  // namespace rtsim
