#include "skin/skin.h"

#include "exec/parallel.h"

namespace rtsim::skin {

namespace {

RTSIM_HD Vec<3> area_normal(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c) {
  return cross(b - a, c - a);
}
RTSIM_HD Vec<3> unit(const Vec<3>& n) {
  const Real length = norm(n);
  return length > 0 ? Real(1) / length * n : n;
}

RTSIM_HD bool gone(Span<const std::uint32_t> torn, Index cell) {
  return torn.size > 0 && torn[cell] != 0;
}

struct Follow {
  Span<const Binding> bindings;
  Span<const Vec<3>> from, speed;
  Span<Vec<3>> position, velocity;
  RTSIM_HD void operator()(Index i) const {
    const Binding& b = bindings[i];
    Vec<3> x, v;
    for (int k = 0; k < 4; ++k) {
      x = x + b.weight[k] * from[b.at[k]];
      v = v + b.weight[k] * speed[b.at[k]];
    }
    if (b.offset != 0)
      x = x + b.offset * unit(area_normal(from[b.at[0]], from[b.at[1]], from[b.at[2]]));
    position[i] = x;
    velocity[i] = v;
  }
};

struct NormalOf {
  Fan fan;
  Span<const Vec<3>> x;
  Span<Vec<3>> normal;
  RTSIM_HD void operator()(Index i) const {
    Vec<3> sum;
    for (Index s = fan.first[i]; s < fan.first[i + 1]; ++s) {
      if (gone(fan.torn, fan.slots[s] / 3)) continue;
      const auto& t = fan.corners[fan.slots[s] / 3];
      sum = sum + area_normal(x[t[0]], x[t[1]], x[t[2]]);
    }
    normal[i] = unit(sum);
  }
};

struct StrainOf {
  Star star;
  Span<const Vec<3>> x;
  Span<Real> strain;
  RTSIM_HD void operator()(Index i) const {
    Real worst = 0;
    for (Index s = star.first[i]; s < star.first[i + 1]; ++s) {
      const Index e = star.slots[s] / 2;
      if (gone(star.torn, e)) continue;
      const Real now = norm(x[star.ends[e][1]] - x[star.ends[e][0]]) / star.length[e] - 1;
      if ((now < 0 ? -now : now) > (worst < 0 ? -worst : worst)) worst = now;
    }
    strain[i] = worst;
  }
};

}  // namespace

void follow(const Exec& ex, Span<const Binding> bindings, Span<const Vec<3>> driver_position,
            Span<const Vec<3>> driver_velocity, Span<Vec<3>> position, Span<Vec<3>> velocity) {
  parallel_for(ex, "skin.follow", bindings.size,
               Follow{bindings, driver_position, driver_velocity, position, velocity});
}

void normals(const Exec& ex, const Fan& fan, Span<const Vec<3>> position, Span<Vec<3>> normal) {
  parallel_for(ex, "skin.normals", position.size, NormalOf{fan, position, normal});
}

void strains(const Exec& ex, const Star& star, Span<const Vec<3>> position, Span<Real> strain) {
  parallel_for(ex, "skin.strains", position.size, StrainOf{star, position, strain});
}

}  // namespace rtsim::skin
