#include "pbd/measures.h"

#include "exec/parallel.h"

namespace rtsim::pbd {

namespace {

struct SumPoint {
  Vec<3> gravity;
  Span<const Real> mass;
  Span<const Vec<3>> position, velocity;
  RTSIM_HD Sums operator()(Index i) const {
    const double m = double(mass[i]);
    const Vec<3> v = velocity[i];
    Sums s;
    s.kinetic = 0.5 * m * double(dot(v, v)), s.potential = -m * double(dot(gravity, position[i]));
    const Vec3d l = m * cross(widen(position[i]), widen(v));
    s.mass = m;
    for (int k = 0; k < 3; ++k) s.momentum[k] = m * double(v[k]), s.angular_momentum[k] = l[k];
    return s;
  }
};
struct AddSums {
  RTSIM_HD Sums operator()(Sums a, const Sums& b) const {
    a.mass += b.mass, a.kinetic += b.kinetic, a.potential += b.potential;
    for (int k = 0; k < 3; ++k)
      a.momentum[k] += b.momentum[k], a.angular_momentum[k] += b.angular_momentum[k];
    return a;
  }
};

struct StrainOf {
  Span<const Index> a, b;
  Span<const Real> rest;
  Span<const Vec<3>> position;
  RTSIM_HD Strain operator()(Index e) const {
    const double s = double(norm(position[b[e]] - position[a[e]])) / double(rest[e]) - 1;
    return {s, s * s, s};
  }
};
struct AddStrain {
  RTSIM_HD Strain operator()(const Strain& a, const Strain& b) const {
    return {a.sum + b.sum, a.squares + b.squares,
            a.greatest < b.greatest ? b.greatest : a.greatest};
  }
};

struct TetVolumeOf {
  Span<const VecT<std::int32_t, 4>> tets;
  Span<const Vec<3>> position;
  RTSIM_HD double operator()(Index t) const {
    const auto& c = tets[t];
    const Vec<3> o = position[c[0]];
    return double(dot(cross(position[c[1]] - o, position[c[2]] - o), position[c[3]] - o)) / 6;
  }
};

}  // namespace

Sums sums(const Exec& ex, Vec<3> gravity, Span<const Real> mass, Span<const Vec<3>> position,
          Span<const Vec<3>> velocity) {
  return reduce(ex, "pbd.sums", mass.size, Sums{}, SumPoint{gravity, mass, position, velocity},
                AddSums{});
}

Strain strain(const Exec& ex, Span<const Index> a, Span<const Index> b, Span<const Real> rest,
              Span<const Vec<3>> position) {
  return reduce(ex, "pbd.strain", a.size, Strain{}, StrainOf{a, b, rest, position}, AddStrain{});
}

double volume(const Exec& ex, Span<const VecT<std::int32_t, 4>> tets, Span<const Vec<3>> position) {
  return reduce(ex, "pbd.tets", tets.size, 0.0, TetVolumeOf{tets, position}, Plus{});
}

}  // namespace rtsim::pbd
