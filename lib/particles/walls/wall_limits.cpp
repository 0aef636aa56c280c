#include "particles/walls/wall_limits.h"

#include <algorithm>

#include "pressure/samples.h"

namespace rtsim {

namespace {

bool has_pressure(const World& world, const std::string& boundary, const SphParams& p) {
  if (p.boundary_method == BoundaryMethod::volume_map) return false;
  return p.pressure_boundaries == PressureBoundaries::all ||
         (p.pressure_boundaries == PressureBoundaries::bodies &&
          world.object(boundary).kind != Kind::boundary);
}

}  // namespace

WallLimits::WallLimits(World& world, const SphParams& p, double flat)
    : flat_(Real(flat)), limits_(world.exec), packed_(world.exec) {
  for (const std::string& b : p.boundary.names) {
    sources_.push_back({sample_table(b, p.fluid.name), has_pressure(world, b, p)});
    any_ = any_ || sources_.back().limited;
  }
  if (any_) read(world);
}

void WallLimits::read(World& world) {
  std::vector<Real> limits;
  for (Source& s : sources_) {
    Table& t = world.table(s.table);
    s.revision = t.revision();
    for (const Real open : t.download<Real>("open")) limits.push_back(s.limited ? flat_ * open : 0);
  }
  limits_.upload(limits), packed_.resize(limits.size());
}

Span<const Real> WallLimits::gather(World& world, Span<const Index> order) {
  if (std::ranges::any_of(
          sources_, [&](const Source& s) { return world.table(s.table).revision() != s.revision; }))
    read(world);
  pressure::gather(world.exec, order, limits_.span(), packed_.span());
  return packed_.span();
}

void count_limits(const SphParams& p, int dim, double own, double near, BoundaryMemory& m) {
  const double s = p.support, ball = dim == 2 ? 3.14159 * s * s : 4.18879 * s * s * s;
  const double bytes = own + ball / 2 * near;
  if (p.pressure_boundaries == PressureBoundaries::all) m.sample_bytes += bytes;
  if (p.pressure_boundaries == PressureBoundaries::bodies) m.body_sample_bytes = bytes;
}

void describe_pressure_boundaries(Describe& d, SphParams& p, const char* all) {
  const Option owners[] = {
      {"none", int(PressureBoundaries::none), "walls answer with the pressure of the particles"},
      {"bodies", int(PressureBoundaries::bodies), "of bodies, which float as deep as they should"},
      {"all", int(PressureBoundaries::all), all},
  };
  d.choice("pressure_boundaries", p.pressure_boundaries, owners,
           "Whose samples see no more fluid than the first layer of a lattice would give them, and "
           "have a pressure of their own that keeps it so. Volume maps have none:");
}

}  // namespace rtsim
