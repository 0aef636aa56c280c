#include "wind/wind.h"

#include "exec/parallel.h"

namespace rtsim::wind {

namespace {

struct Loads {
  Air air;
  Span<const Triangle> triangles;
  Span<const std::uint32_t> torn;
  Span<const Vec<3>> x, v;
  Span<Share> shares;
  RTSIM_HD void operator()(Index t) const {
    const Triangle c = triangles[t];
    const Vec<3> a = x[c[0]], cut = cross(x[c[1]] - a, x[c[2]] - a);
    const Real twice = norm(cut), third = Real(1) / 3;
    if (!(twice > 0) || (torn.size > 0 && torn[t])) {
      shares[t] = {};
      return;
    }
    Vec<3> wind = air.velocity;
    if (air.gust > 0) {
      const Vec<3> middle = third * (a + x[c[1]] + x[c[2]]);
      wind = wind + air.gust * gust(air.seed, air.inv_length * middle - air.travelled);
    }
    const Vec<3> mean = third * (v[c[0]] + v[c[1]] + v[c[2]]);
    const Load l = load(air.coefficients, (1 / twice) * cut, wind - mean);
    const Real share = twice / 6;  // a third of the area
    shares[t] = {share * l.force, share * l.rate};
  }
};

struct Push {
  Around around;
  Span<const Share> shares;
  Real dt;
  Span<const Real> mass, inverse_mass;
  Span<Vec<3>> v, load;
  RTSIM_HD double operator()(Index i) const {
    if (!(inverse_mass[i] > 0) && load.size == 0) return 0;
    Share sum{};
    for (Index e = around.first[i]; e < around.first[i + 1]; ++e) {
      const Share s = shares[around.slots[e] / 3];
      sum.force = sum.force + s.force, sum.rate += s.rate;
    }
    if (!(inverse_mass[i] > 0)) {
      load[i] = load[i] + dt * sum.force;
      return 0;
    }
    const Vec<3> before = v[i];
    v[i] = before + (dt / (mass[i] + dt * sum.rate)) * sum.force;
    return 0.5 * double(mass[i]) * dot(widen(v[i]) - widen(before), widen(v[i]) + widen(before));
  }
};

}  // namespace

void loads(const Exec& ex, const Air& air, Span<const Triangle> triangles,
           Span<const std::uint32_t> torn, Span<const Vec<3>> x, Span<const Vec<3>> v,
           Span<Share> shares) {
  parallel_for(ex, "wind.loads", triangles.size, Loads{air, triangles, torn, x, v, shares});
}

double push(const Exec& ex, const Around& around, Span<const Share> shares, Real dt,
            Span<const Real> mass, Span<const Real> inverse_mass, Span<Vec<3>> v,
            Span<Vec<3>> load) {
  return reduce(ex, "wind.push", v.size, 0.0, Push{around, shares, dt, mass, inverse_mass, v, load},
                Plus{});
}

}  // namespace rtsim::wind
