#include "solvers/lbm/lbm_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rtsim {

template <int D>
LbmProbes<D>::LbmProbes(const GridShape& grid, const std::vector<LbmProbe>& probes)
    : grid_(grid), probes_(probes) {
  for (const LbmProbe& p : probes_) {
    at_.push_back(place(p.name, p.at));
    against_.push_back(p.against ? place(p.name, p.against->at) : Place{});
  }
}

template <int D>
auto LbmProbes<D>::place(const std::string& probe, const Vec3d& at) const -> Place {
  Index low[3] = {0, 0, 0};
  double part[3] = {0, 0, 0};
  for (int a = 0; a < D; ++a) {
    const double s = (at[a] - grid_.low[a]) / grid_.spacing;
    if (!(s >= 0 && s <= grid_.cells[a]))
      throw Error(ExitCode::bad_input,
                  fmt::format("probe \"{}\": {} m along {} is outside of the grid, which reaches "
                              "from {} to {} m",
                              probe, at[a], "xyz"[a], grid_.low[a],
                              grid_.low[a] + grid_.cells[a] * grid_.spacing));
    const double t = std::clamp(s - 0.5, 0.0, double(grid_.cells[a] - 1));
    low[a] = std::min(Index(t), std::max(grid_.cells[a] - 2, 0));
    part[a] = t - low[a];
  }
  Place corners;
  for (int corner = 0; corner < 1 << D; ++corner) {
    Index x[3] = {low[0], low[1], low[2]};
    double weight = 1;
    for (int a = 0; a < D; ++a) {
      const bool high = corner >> a & 1;
      x[a] += high;
      weight *= high ? part[a] : 1 - part[a];
    }
    if (weight > 0) corners.push_back({grid_.row(x[0], x[1], x[2]), weight});
  }
  return corners;
}

template <int D>
void LbmProbes<D>::measure(const Exec& ex, const lbm::Layout& layout,
                           Span<const std::uint8_t> solid, Span<const Real> pressure,
                           Span<const Vec<D>> velocity, std::vector<Measurement>& out) const {
  const auto read = [&](const Place& place) {
    Reading sum;
    double weight = 0;
    for (const Corner& c : place) {
      std::uint8_t wall;
      Real p;
      Vec<D> u;
      ex.download(&wall, solid.data + layout.slot_of(c.cell), 1);
      if (wall) continue;
      ex.download(&p, pressure.data + c.cell, sizeof p);
      ex.download(&u, velocity.data + c.cell, sizeof u);
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
