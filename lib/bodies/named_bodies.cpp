#include "bodies/named_bodies.h"

#include "bodies/shapes/body_shape.h"

namespace rtsim {

namespace {

template <int D>
void measure(World& world, const std::string& bodies, std::vector<Measurement>& out) {
  constexpr const char* axes[] = {".position.x", ".position.y", ".position.z"};
  const auto position = world.table(bodies).column<const Vec<D>>("position");
  for (const BodySet::Named& named : world.object(bodies).bodies->names) {
    if (named.count != 1) continue;
    Vec<D> x;
    world.exec.download(&x, position.data + named.first, sizeof x);
    for (int a = 0; a < D; ++a)
      out.push_back({bodies + "." + named.name + axes[a], double(x[a]), "m"});
  }
}

}  // namespace

void measure_named(World& world, const std::string& bodies, std::vector<Measurement>& out) {
  world.dim == 2 ? measure<2>(world, bodies, out) : measure<3>(world, bodies, out);
}

}  // namespace rtsim
