#include "solvers/shallow_water/shallow_water_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rtsim {

using shallow_water::EdgeType;

namespace {

constexpr const char* edge_names[] = {"x_min", "x_max", "z_min", "z_max"};

// The cells along an edge whose centres lie between `from` and `to`.
void find_stretch(const WaterEdge& e, const GridShape& g, int axis, shallow_water::Edge& edge) {
  const auto first_at_or_after = [&](double x) {
    const double k = std::ceil((x - g.low[axis]) / g.spacing - 0.5 - 1e-9);
    return Index(std::clamp(k, 0.0, double(g.cells[axis])));
  };
  edge.first = e.from ? first_at_or_after(*e.from) : 0;
  edge.last = e.to ? first_at_or_after(*e.to) : g.cells[axis];
}

Real gravity_down(const World& world) {
  const auto& g = world.gravity;
  if (g[0] == 0 && g[2] == 0 && g[1] < 0) return Real(-g[1]);
  throw Error(ExitCode::bad_input,
              fmt::format("gravity is [{:.6g}, {:.6g}, {:.6g}] m/s^2; shallow water needs it along "
                          "-y, tilt the bed instead",
                          g[0], g[1], g[2]));
}

}  // namespace

shallow_water::Flow make_flow(const ShallowWaterParams& p, World& world) {
  const GridShape& g = *world.object(p.water.name).grid;
  shallow_water::Flow f;
  f.nx = g.cells[0], f.nz = g.cells[2];
  f.g = gravity_down(world);
  f.spacing = Real(g.spacing);
  f.dry = Real(p.dry_depth.value_or(1e-4 * g.spacing));
  f.roughness = Real(double(f.g) * p.manning * p.manning);
  f.rain = Real(p.rain);
  f.periodic_x = p.edges[0].type == EdgeType::periodic;
  f.periodic_z = p.edges[2].type == EdgeType::periodic;
  for (int k = 0; k < 4; ++k) {
    shallow_water::Edge& e = f.edge[k];
    e.type = p.edges[k].type;
    e.discharge = Real(p.edges[k].discharge);
    e.level = Real(p.edges[k].level.value_or(0));
    find_stretch(p.edges[k], g, k < 2 ? 2 : 0, e);
    if (e.first >= e.last)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: no cell lies between \"from\" and \"to\"", edge_names[k]));
  }
  return f;
}

std::vector<WaterDisc> make_discs(const ShallowWaterParams& p, const GridShape& g) {
  std::vector<WaterDisc> all;
  for (std::size_t s = 0; s < p.sources.size(); ++s) {
    const WaterSource& source = p.sources[s];
    const double r = source.radius / g.spacing, x = (source.at[0] - g.low[0]) / g.spacing - 0.5,
                 z = (source.at[2] - g.low[2]) / g.spacing - 0.5;
    const auto cell = [](double at, Index n) { return Index(std::clamp(at, 0.0, double(n - 1))); };
    shallow_water::Disc d{cell(std::ceil(x - r), g.cells[0]),
                          cell(std::ceil(z - r), g.cells[2]),
                          0,
                          0,
                          Real(x),
                          Real(z),
                          Real(r * r)};
    d.across = cell(x + r, g.cells[0]) - d.first_x + 1;
    d.along = cell(z + r, g.cells[2]) - d.first_z + 1;
    double cells = 0;
    for (Index k = 0; k < d.along; ++k)
      for (Index i = 0; i < d.across; ++i) {
        const Real dx = Real(d.first_x + i) - d.x, dz = Real(d.first_z + k) - d.z;
        cells += dx * dx + dz * dz <= d.radius2;
      }
    if (cells == 0)
      throw Error(ExitCode::bad_input,
                  fmt::format("sources/{}: no cell's centre lies within {:.3g} "
                              "m of it; move it, or use a larger radius",
                              s, source.radius));
    all.push_back({d, source.discharge / (cells * g.spacing * g.spacing)});
  }
  return all;
}

std::vector<shallow_water::Probe> make_probes(const ShallowWaterParams& p, const GridShape& g) {
  std::vector<shallow_water::Probe> all;
  for (const WaterProbe& probe : p.probes) {
    Index low[2], high[2];
    double f[2];
    for (int k = 0; k < 2; ++k) {
      const int axis = 2 * k;
      const double at = (probe.at[axis] - g.low[axis]) / g.spacing, last = g.cells[axis] - 1;
      if (at < 0 || at > last + 1)
        throw Error(ExitCode::bad_input, fmt::format("probe \"{}\" lies outside the grid along {}",
                                                     probe.name, "xyz"[axis]));
      const double u = std::clamp(at - 0.5, 0.0, last);
      low[k] = Index(u), high[k] = std::min(low[k] + 1, g.cells[axis] - 1), f[k] = u - low[k];
    }
    shallow_water::Probe q{};
    for (int c = 0; c < 4; ++c) {
      const bool x = c % 2, z = c / 2;
      q.cell[c] = g.row(x ? high[0] : low[0], 0, z ? high[1] : low[1]);
      q.weight[c] = Real((x ? f[0] : 1 - f[0]) * (z ? f[1] : 1 - f[1]));
    }
    all.push_back(q);
  }
  return all;
}

double fastest_at_edges(const ShallowWaterParams& p, const GridShape& g,
                        const std::vector<Real>& bed, double gravity) {
  double fastest = 0;
  for (int k = 0; k < 4; ++k) {
    double c = 0;
    if (p.edges[k].type == EdgeType::inflow) c = std::cbrt(p.edges[k].discharge * gravity / 2);
    if (p.edges[k].type == EdgeType::level) {
      const Index n = k < 2 ? g.cells[2] : g.cells[0], last = g.cells[k < 2 ? 0 : 2] - 1;
      for (Index j = 0; j < n; ++j) {
        const Index at = k % 2 ? last : 0;
        const double b = bed[std::size_t(k < 2 ? g.row(at, 0, j) : g.row(j, 0, at))];
        c = std::max(c, std::sqrt(gravity * std::max(0.0, *p.edges[k].level - b)));
      }
    }
    fastest = std::max(fastest, 4 * c);  // onto dry ground it runs at 2 c
  }
  return fastest;
}

double steepest(const GridShape& g, const std::vector<Real>& bed) {
  const Index nx = g.cells[0], nz = g.cells[2];
  const auto slope = [&](Index c, Index i, Index n, Index stride) {
    if (i == 0 || i == n - 1) return 0.0;
    const double low = double(bed[std::size_t(c)]) - double(bed[std::size_t(c - stride)]);
    const double high = double(bed[std::size_t(c + stride)]) - double(bed[std::size_t(c)]);
    return low * high > 0 ? std::min(std::abs(low), std::abs(high)) / g.spacing : 0.0;
  };
  double most = 0;
  for (Index k = 0; k < nz; ++k)
    for (Index i = 0; i < nx; ++i)
      most = std::max(most, slope(i + nx * k, i, nx, 1) + slope(i + nx * k, k, nz, nx));
  return most;
}

void measure_water(World& world, const ShallowWaterParams& p, const shallow_water::Flow& flow,
                   const shallow_water::Columns& at, std::vector<Measurement>& out) {
  const GridShape& g = *world.object(p.water.name).grid;
  const shallow_water::Sums s = shallow_water::sums(world.exec, flow, at, Real(p.wet_depth));
  const double area = g.spacing * g.spacing, mass = p.density * area;
  const std::string w = p.water.name + ".";
  const double front = s.front < 0 ? g.low[0] : g.low[0] + (s.front + 1) * g.spacing;
  out.push_back({w + "mass", mass * s.depth, "kg"});
  out.push_back({w + "momentum.x", mass * s.discharge_x, "kg m/s"});
  out.push_back({w + "momentum.z", mass * s.discharge_z, "kg m/s"});
  const double angular_momentum = g.low[2] * s.discharge_x - g.low[0] * s.discharge_z +
                                  g.spacing * shallow_water::angular_momentum(world.exec, flow, at);
  out.push_back({w + "angular_momentum.y", mass * angular_momentum, "kg m^2/s"});
  out.push_back({w + "kinetic_energy", mass * s.kinetic, "J"});
  out.push_back({w + "potential_energy", mass * s.potential, "J"});
  out.push_back({w + "wet_area", area * s.wet, "m^2"});
  out.push_back({w + "front", front, "m"});
  out.push_back({w + "max_speed", s.greatest_u, "m/s"});
}

void measure_probes(World& world, const ShallowWaterParams& p, const shallow_water::Flow& flow,
                    const shallow_water::Columns& at, Span<const shallow_water::Probe> probes,
                    std::vector<Measurement>& out) {
  if (p.probes.empty()) return;
  Buffer<Real> values(world.exec, 4 * p.probes.size());
  shallow_water::probe(world.exec, flow, at, probes, values.span());
  const std::vector<Real> v = values.download();
  for (std::size_t k = 0; k < p.probes.size(); ++k) {
    const std::string name = p.water.name + "." + p.probes[k].name;
    out.push_back({name + ".depth", v[4 * k], "m"});
    out.push_back({name + ".surface", v[4 * k + 1], "m"});
    out.push_back({name + ".velocity.x", v[4 * k + 2], "m/s"});
    out.push_back({name + ".velocity.z", v[4 * k + 3], "m/s"});
  }
}

}  // namespace rtsim
