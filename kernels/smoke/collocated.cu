#include "smoke/collocated.h"

#include <cmath>

#include "mac/for_rows.h"

namespace rtsim::smoke {

using mac::Domain;
using mac::Layout;

namespace {

RTSIM_HD Index stride_of(const Layout& l, int axis) {
  return axis == 0 ? 1 : (axis == 1 ? l.pitch : l.plane);
}

template <int D>
struct TraceBack {
  Domain domain;
  advection::Flow flow;
  CentreVelocity velocity;
  const Real* field;
  Real* out;

  RTSIM_HD Real at(const Real* values, const Index row[3], const Real offset[D]) const {
    const auto c = advection::corners<D, Real>(flow.layout, flow.reach[mac::centres], row, offset);
    return advection::value<D, Real>(flow.layout, values, c);
  }
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index row[3] = {i, j, k}, here = flow.layout.at(i, j, k);
    Real half[D], way[D];
    for (int a = 0; a < D; ++a) half[a] = -Real(0.5) * flow.cells_per_speed * velocity.u[a][here];
    for (int a = 0; a < D; ++a) way[a] = -flow.cells_per_speed * at(velocity.u[a], row, half);
    out[domain.row(mac::centres, i, j, k)] = at(field, row, way);
  }
};

struct AddCentreBuoyancy {
  Domain domain;
  Layout layout;
  Buoyancy law;
  int axis;
  Real dt;
  const Real *density, *temperature;
  Real* u;
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index here = layout.at(i, j, k);
    u[domain.row(mac::centres, i, j, k)] +=
        dt * law.acceleration(axis, density[here], temperature[here]);
  }
};

struct FaceMean {
  Domain domain;
  Layout layout;
  int axis;
  const Real* u;
  Real* out;
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index up = layout.at(i, j, k);
    out[domain.row(axis, i, j, k)] = Real(0.5) * (u[up - stride_of(layout, axis)] + u[up]);
  }
};

struct AddFaceMean {
  Domain domain;
  int axis;
  const Real* faces;
  Real* u;
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index low = domain.row(axis, i, j, k),
                high = domain.row(axis, i + (axis == 0), j + (axis == 1), k + (axis == 2));
    u[domain.row(mac::centres, i, j, k)] += Real(0.5) * (faces[low] + faces[high]);
  }
};

struct CentreVorticity {
  Domain domain;
  Layout layout;
  CentreVelocity velocity;
  Swirl out;
  Real scale;  // 1 / (2 h)

  // d u_b / d x_a - d u_a / d x_b
  RTSIM_HD Real curl(Index here, int a, int b) const {
    const Index sa = stride_of(layout, a), sb = stride_of(layout, b);
    const Real *ua = velocity.u[a] + here, *ub = velocity.u[b] + here;
    return scale * ((ub[sa] - ub[-sa]) - (ua[sb] - ua[-sb]));
  }
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index here = layout.at(i, j, k);
    const Real z = curl(here, 0, 1);
    out.part[2][here] = z;
    if (domain.dims == 2) {
      out.magnitude[here] = std::abs(z);
      return;
    }
    const Real x = curl(here, 1, 2), y = curl(here, 2, 0);
    out.part[0][here] = x, out.part[1][here] = y;
    out.magnitude[here] = std::sqrt(x * x + y * y + z * z);
  }
};

struct AddCentreForce {
  Domain domain;
  Layout layout;
  Real dt;
  const Real* a;
  Real* u;
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    u[domain.row(mac::centres, i, j, k)] += dt * a[layout.at(i, j, k)];
  }
};

template <int D>
struct Join {
  const Real* part[3];
  Vec<D>* out;
  RTSIM_HD void operator()(Index c) const {
    for (int a = 0; a < D; ++a) out[c][a] = part[a][c];
  }
};

struct TakeRow {
  Domain domain;
  Layout layout;
  const Real* from;
  Real* to;
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    to[domain.row(mac::centres, i, j, k)] = from[layout.at(i, j, k)];
  }
};

struct AddCentreSums {
  RTSIM_HD CentreSums operator()(CentreSums a, const CentreSums& b) const {
    a.speed2 += b.speed2;
    for (int k = 0; k < 3; ++k)
      a.velocity[k] += b.velocity[k], a.angular_momentum[k] += b.angular_momentum[k];
    return a;
  }
};
struct SumsOfLine {
  mac::Domain domain;
  mac::Velocity velocity;

  RTSIM_HD CentreSums cell(Index i, Index j, Index k) const {
    const Index row = domain.row(mac::centres, i, j, k);
    CentreSums s;
    for (int a = 0; a < domain.dims; ++a) {
      s.velocity[a] = double(velocity.u[a][row]);
      s.speed2 += s.velocity[a] * s.velocity[a];
    }
    const double x[3] = {i + 0.5, j + 0.5, domain.dims == 3 ? k + 0.5 : 0};
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      s.angular_momentum[a] = x[b] * s.velocity[c] - x[c] * s.velocity[b];
    }
    return s;
  }
  RTSIM_HD CentreSums operator()(Index line) const {
    CentreSums s;
    for (Index i = 0; i < domain.cells[0]; ++i)
      s = AddCentreSums{}(s, cell(i, line % domain.cells[1], line / domain.cells[1]));
    return s;
  }
};

}  // namespace

void trace_back(const Exec& ex, const Domain& d, const advection::Flow& flow,
                const CentreVelocity& v, const Real* field, Span<Real> out) {
  if (d.dims == 2)
    mac::for_rows(ex, "smoke.trace", d, mac::centres, TraceBack<2>{d, flow, v, field, out.data});
  else
    mac::for_rows(ex, "smoke.trace", d, mac::centres, TraceBack<3>{d, flow, v, field, out.data});
}

void add_centre_buoyancy(const Exec& ex, const Domain& d, const Buoyancy& law, Real dt,
                         const Real* density, const Real* temperature, const mac::Velocity& v) {
  for (int a = 0; a < d.dims; ++a)
    if (law.gravity[a] != 0)
      mac::for_rows(
          ex, "smoke.buoyancy", d, mac::centres,
          AddCentreBuoyancy{d, Layout::of(d), law, a, dt, density, temperature, v.u[a].data});
}

void face_means(const Exec& ex, const Domain& d, const CentreVelocity& v,
                const mac::Velocity& faces) {
  for (int a = 0; a < d.dims; ++a)
    mac::for_rows(ex, "smoke.face_means", d, a,
                  FaceMean{d, Layout::of(d), a, v.u[a], faces.u[a].data});
}

void add_face_means(const Exec& ex, const Domain& d, const mac::Velocity& faces,
                    const mac::Velocity& v) {
  for (int a = 0; a < d.dims; ++a)
    mac::for_rows(ex, "smoke.face_means", d, mac::centres,
                  AddFaceMean{d, a, faces.u[a].data, v.u[a].data});
}

void find_centre_vorticity(const Exec& ex, const Domain& d, const CentreVelocity& v,
                           const Swirl& out) {
  mac::for_rows(ex, "smoke.vorticity", d, mac::centres,
                CentreVorticity{d, Layout::of(d), v, out, 1 / (2 * d.spacing)});
}

void add_centre_confinement(const Exec& ex, const Domain& d, Real dt, const Swirl& swirl,
                            const mac::Velocity& v) {
  for (int a = 0; a < d.dims; ++a)
    mac::for_rows(ex, "smoke.confinement", d, mac::centres,
                  AddCentreForce{d, Layout::of(d), dt, swirl.part[a], v.u[a].data});
}

template <int D>
void join(const Exec& ex, const mac::Velocity& v, Span<Vec<D>> out) {
  parallel_for(ex, "smoke.join", out.size,
               Join<D>{{v.u[0].data, v.u[1].data, v.u[2].data}, out.data});
}
template void join<2>(const Exec&, const mac::Velocity&, Span<Vec<2>>);
template void join<3>(const Exec&, const mac::Velocity&, Span<Vec<3>>);

void take_rows(const Exec& ex, const Domain& d, const Real* field, Span<Real> out) {
  mac::for_rows(ex, "smoke.take_rows", d, mac::centres, TakeRow{d, Layout::of(d), field, out.data});
}

CentreSums centre_sums(const Exec& ex, const mac::Domain& d, const mac::Velocity& v) {
  return reduce(ex, "smoke.sums", d.cells[1] * d.cells[2], CentreSums{}, SumsOfLine{d, v},
                AddCentreSums{});
}

}  // namespace rtsim::smoke
