#include "grids/probes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace rtsim {

constexpr double rounding = 1e-3;  // [cells] of a side, as scenes write it

void describe(Describe& d, ProbePlace& p) { d.vector("at", p.at, "m", "Where."); }

void describe(Describe& d, GridProbe& p) {
  d.required("name", p.name, "Of the series: <stage>.<grid>.<name>.pressure and .velocity.");
  d.vector("at", p.at, "m", "Where; cells of obstacles are left out.");
  d.nested("against", p.against, "Another place, whose pressure is taken off that of the first.");
}

std::vector<ProbeCorner> corners_around(const GridShape& grid, int lattice,
                                        const std::string& probe, const Vec3d& at) {
  Index low[3] = {0, 0, 0};
  double part[3] = {0, 0, 0};
  const int dims = grid.spans[2] ? 3 : 2;
  for (int a = 0; a < dims; ++a) {
    const double s = (at[a] - grid.low[a]) / grid.spacing;
    if (!(s >= -rounding && s <= grid.cells[a] + rounding))
      throw Error(ExitCode::bad_input,
                  fmt::format("probe \"{}\": {} m along {} is outside of the grid, which reaches "
                              "from {} to {} m",
                              probe, at[a], "xyz"[a], grid.low[a],
                              grid.low[a] + grid.cells[a] * grid.spacing));
    const Index count = grid.cells[a] + (lattice == a);
    const double t = std::clamp(s - (lattice == a ? 0 : 0.5), 0.0, double(count - 1));
    low[a] = std::min(Index(t), std::max(count - 2, 0));
    part[a] = t - low[a];
  }
  std::vector<ProbeCorner> corners;
  for (int corner = 0; corner < 1 << dims; ++corner) {
    ProbeCorner c{{low[0], low[1], low[2]}, 1};
    for (int a = 0; a < dims; ++a) {
      const bool high = corner >> a & 1;
      c.at[a] += high;
      c.weight *= high ? part[a] : 1 - part[a];
    }
    if (c.weight > 0) corners.push_back(c);
  }
  return corners;
}

GridProbes::GridProbes(const GridShape& grid, const std::vector<GridProbe>& probes) : grid_(grid) {
  for (const GridProbe& p : probes) {
    Places places{p.name, corners_around(grid, mac::centres, p.name, p.at), {}, {}};
    if (p.against) places.against = corners_around(grid, mac::centres, p.name, p.against->at);
    for (int a = 0; a < 3 && !p.against; ++a)
      if (grid.spans[a]) places.faces[a] = corners_around(grid, a, p.name, p.at);
    places_.push_back(std::move(places));
  }
}

double GridProbes::pressure_at(const Exec& ex, const Corners& corners,
                               Span<const std::uint8_t> layer, Span<const Real> pressure) const {
  double sum = 0, weight = 0;
  for (const ProbeCorner& c : corners) {
    const Index row = grid_.row(c.at[0], c.at[1], c.at[2]);
    std::uint8_t wall = 0;
    Real p;
    if (layer.size > 0) ex.download(&wall, layer.data + row, 1);
    if (wall) continue;
    ex.download(&p, pressure.data + row, sizeof p);
    sum += c.weight * double(p), weight += c.weight;
  }
  return weight > 0 ? sum / weight : 0;
}

void GridProbes::measure(const Exec& ex, const std::string& grid, const mac::Layout& layout,
                         Span<const std::uint8_t> layer, Span<const Real> pressure,
                         const mac::Faces& faces, std::vector<Measurement>& out) const {
  constexpr const char* axes[3] = {".velocity.x", ".velocity.y", ".velocity.z"};
  for (const Places& p : places_) {
    const std::string name = grid + "." + p.name;
    const double there = p.against.empty() ? 0 : pressure_at(ex, p.against, layer, pressure);
    out.push_back({name + ".pressure", pressure_at(ex, p.here, layer, pressure) - there,
                   grid_.spans[2] ? "Pa" : "N/m"});
    for (int a = 0; a < 3; ++a) {
      if (p.faces[a].empty()) continue;
      double sum = 0;
      for (const ProbeCorner& c : p.faces[a]) {
        Real u;
        ex.download(&u, faces.u[a] + layout.at(c.at[0], c.at[1], c.at[2]), sizeof u);
        sum += c.weight * double(u);
      }
      out.push_back({name + axes[a], sum, "m/s"});
    }
  }
}

}  // namespace rtsim
