#include "bodies/material.h"

#include <algorithm>

#include "bodies/shapes/body_shape.h"

namespace rtsim {

namespace {

constexpr double most_along = 1000;  // of friction along the axis to that across, or the reverse

void check_along(Describe& d, const Material& m) {
  if (!m.friction_along) {
    if (dot(m.friction_axis, m.friction_axis) > 0)
      d.fault("friction_axis", "needs a \"friction_along\" beside it, which is along it");
    return;
  }
  if (dot(m.friction_axis, m.friction_axis) == 0)
    d.fault("friction_axis", "missing or zero; give the direction that \"friction_along\" is for");
  const double across = m.friction.value_or(0);
  if (!(across > 0))
    return d.fault("friction_along", "needs a \"friction\" above 0 beside it, which is across");
  const double ratio = *m.friction_along / across;
  if (ratio > most_along || ratio < 1 / most_along)
    d.fault("friction_along", "must be within a thousandth and a thousand times \"friction\"");
}

template <int D>
rigid::Material<D> filled(const std::optional<Material>& own, const rigid::Material<D>& rest) {
  if (!own) return rest;
  rigid::Material<D> m = rest;
  if (own->friction) {
    m.friction = Real(*own->friction);
    m.static_friction = Real(own->static_friction.value_or(*own->friction));
  }
  if (own->friction_along) {
    m.along = Real(*own->friction_along / *own->friction);
    m.axis = narrow<D>((1 / norm(own->friction_axis)) * own->friction_axis);
  }
  if (own->restitution) m.restitution = Real(*own->restitution);
  if (own->rolling_resistance) m.rolling = Real(*own->rolling_resistance);
  return m;
}

}  // namespace

void describe(Describe& d, Material& m) {
  d("friction", m.friction, "", at_least(0),
    "Friction to pressure of what slides, the stage's where it is not given. Of two that touch the "
    "geometric mean counts, in each direction.");
  d("static_friction", m.static_friction, "", at_least(0),
    "The ratio at which sliding begins. Default: friction.");
  d.vector(
      "friction_axis", m.friction_axis, "",
      "The grain, which turns with what has it: of a body, in the frame of its shape before that "
      "is placed; of a boundary, as it lies in the scene at the start.");
  d("friction_along", m.friction_along, "", above(0),
    "Friction along the grain; friction is then across it, and static_friction likewise. Between "
    "them lies an ellipse, and what slides is slowed as fast as that allows. Default: friction.");
  d("restitution", m.restitution, "", between(0, 1),
    "Speed of separation to speed of approach; of two that touch the greater counts. Default: the "
    "stage's.");
  d("rolling_resistance", m.rolling_resistance, "m", at_least(0),
    "Moment against rolling and spinning to pressure; of two that touch the greater counts. "
    "Default: the stage's.");
  if (m.static_friction && !m.friction)
    d.fault("static_friction", "needs a \"friction\" beside it");
  if (m.static_friction && m.friction && *m.static_friction < *m.friction)
    d.fault("static_friction", "must not be below \"friction\"");
  check_along(d, m);
}

template <int D>
std::vector<rigid::Material<D>> materials_of(World& world, const std::string& bodies,
                                             const std::vector<std::string>& boundaries,
                                             const rigid::Material<D>& rest) {
  const BodySet& set = *world.object(bodies).bodies;
  bool any = std::ranges::any_of(set.shapes, [](const BodyShape& s) { return !!s.material; });
  for (const std::string& name : boundaries) any = any || world.object(name).material;
  if (!any) return {};
  std::vector<rigid::Material<D>> all;
  for (const std::int32_t s : world.table(bodies).template download<std::int32_t>("shape"))
    all.push_back(filled(set.shapes[std::size_t(s)].material, rest));
  for (const std::string& name : boundaries)
    all.push_back(filled(world.object(name).material, rest));
  return all;
}

template std::vector<rigid::Material<2>> materials_of<2>(World&, const std::string&,
                                                         const std::vector<std::string>&,
                                                         const rigid::Material<2>&);
template std::vector<rigid::Material<3>> materials_of<3>(World&, const std::string&,
                                                         const std::vector<std::string>&,
                                                         const rigid::Material<3>&);

}  // namespace rtsim
