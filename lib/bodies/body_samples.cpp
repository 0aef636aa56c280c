#include "bodies/body_samples.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bodies/body_solid.h"
#include "bodies/named_bodies.h"
#include "rigid/motion/body_samples.h"

namespace rtsim {

namespace {

template <int D>
void add(World& world, const std::string& bodies, const std::string& fluid,
         const std::vector<std::vector<SurfaceSample>>& of_shape) {
  std::vector<Vec<D>> local;
  std::vector<Real> area, open;
  std::vector<Index> layer, owner;
  const auto shape = world.table(bodies).download<std::int32_t>("shape");
  for (std::size_t b = 0; b < shape.size(); ++b)
    for (const SurfaceSample& s : of_shape[std::size_t(shape[b])]) {
      local.push_back(narrow<D>(s.position)), area.push_back(Real(s.area));
      layer.push_back(s.layer), owner.push_back(Index(b));
      open.push_back(Real(s.open));
    }
  Table& t = world.add_table(sample_table(bodies, fluid), Index(local.size()));
  t.add<Vec<D>>({"local", "m"}, local);
  t.add<Real>({"area", D == 2 ? "m" : "m^2"}, area);
  t.add<Index>({"layer", ""}, layer);
  t.add<Real>({"open", ""}, open);
  t.add<Index>({"owner", ""}, owner);
  t.add<Vec<D>>({"position", "m"});
  t.add<Vec<D>>({"velocity", "m/s"});
  t.add<Real>({"volume", D == 2 ? "m^2" : "m^3", Role::derived});
  place_body_samples(world, bodies, t.name());
}

template <int D>
void place(World& world, const std::string& bodies, const std::string& samples) {
  Table &t = world.table(samples), &from = world.table(bodies);
  rigid::place_samples<D>(world.exec, body_view<D>(from), t.column<const Index>("owner"),
                          t.column<const Vec<D>>("local"), t.column<Vec<D>>("position"),
                          t.column<Vec<D>>("velocity"));
}

}  // namespace

std::vector<SurfaceSample> samples_of_body(const BodySpec& body, int dim, double spacing,
                                           int layers) {
  const BodySolid solid = solid_of_body(body, dim);
  auto samples = sample_surface(*solid.shape, spacing, dim, solid.shape->bounds(), layers);
  if (samples.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("has no surface that a spacing of {} m can see", spacing));
  for (SurfaceSample& s : samples) s.position = solid.in_body(s.position);
  return samples;
}

void add_body_samples(World& world, const std::string& bodies, const std::string& fluid,
                      const std::vector<std::vector<SurfaceSample>>& of_shape) {
  world.dim == 2 ? add<2>(world, bodies, fluid, of_shape) : add<3>(world, bodies, fluid, of_shape);
}

void place_body_samples(World& world, const std::string& bodies, const std::string& samples) {
  world.dim == 2 ? place<2>(world, bodies, samples) : place<3>(world, bodies, samples);
}

}  // namespace rtsim
