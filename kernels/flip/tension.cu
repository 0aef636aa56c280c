#include "flip/tension.h"

#include <cmath>

#include "mac/for_rows.h"

namespace rtsim::flip {

namespace {

// The cell beside one; or -1 beyond a side that does not repeat.
RTSIM_HD inline Index beside(const mac::Domain& d, const Index (&at)[3], int axis, Index step) {
  Index q[3] = {at[0], at[1], at[2]};
  const Index n = d.cells[axis];
  q[axis] += step;
  if (q[axis] < 0 || q[axis] >= n) {
    if (!d.periodic(axis)) return -1;
    q[axis] += q[axis] < 0 ? n : -n;
  }
  return d.row(mac::centres, q[0], q[1], q[2]);
}

struct Blur {
  mac::Domain domain;
  int axis;
  const std::uint8_t* layer;
  const Real* from;
  Real* to;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k}, c = domain.row(mac::centres, i, j, k);
    const auto value = [&](Index step) {
      const Index b = beside(domain, at, axis, step);
      return from[b >= 0 && layer[b] == 0 ? b : c];
    };
    to[c] = Real(0.25) * (value(-1) + value(1)) + Real(0.5) * from[c];
  }
};

template <int D>
struct FindCurvature {
  mac::Domain domain;
  mac::Layout layout;
  const Real* share;
  Real factor;  // sigma / h
  Real* out;

  // A share that changes by less than a thousandth from cell to cell is no surface.
  static constexpr Real flat = Real(1e-3);

  RTSIM_HD Index stride(int a) const { return a == 0 ? 1 : a == 1 ? layout.pitch : layout.plane; }
  // A component of the normal on the face above a cell along an axis.
  RTSIM_HD Real normal(const Real* c, int axis) const {
    const Index up = stride(axis);
    const Real along = c[up] - c[0];
    Real squares = along * along + flat * flat;
    for (int b = 0; b < D; ++b) {
      if (b == axis) continue;
      const Index s = stride(b);
      const Real across = Real(0.25) * ((c[s] - c[-s]) + (c[up + s] - c[up - s]));
      squares += across * across;
    }
    return along / std::sqrt(squares);
  }
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Real* c = share + layout.at(i, j, k);
    Real sum = 0;
    for (int a = 0; a < D; ++a) sum += normal(c - stride(a), a) - normal(c, a);
    out[domain.row(mac::centres, i, j, k)] = factor * sum;
  }
};

template <int D>
struct FromSurface {
  mac::Domain domain;
  mac::Layout layout;
  const Real *share, *field;
  Real* out;

  static constexpr Real far_off = 2;  // [cells]; the margin is no wider

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index here = layout.at(i, j, k), stride[3] = {1, layout.pitch, layout.plane};
    Real slope[D], squares = 0;
    for (int a = 0; a < D; ++a) {
      slope[a] = Real(0.5) * (share[here + stride[a]] - share[here - stride[a]]);
      squares += slope[a] * slope[a];
    }
    Real& q = out[domain.row(mac::centres, i, j, k)];
    q = field[here];
    if (!(squares > 0)) return;
    const Real size = std::sqrt(squares), off = (Real(0.5) - share[here]) / size;  // [cells]
    const Real way = off > far_off ? far_off : off < -far_off ? -far_off : off;
    q = between(field + here, stride, way / size, slope);
  }

 private:
  // Linear between the cells around a place.
  RTSIM_HD static Real between(const Real* f, const Index (&stride)[3], Real way,
                               const Real (&slope)[D]) {
    Real part[D];
    for (int a = 0; a < D; ++a) {
      const Real x = way * slope[a], low = std::floor(x);
      part[a] = x - low, f += Index(low) * stride[a];
    }
    Real sum = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      Real weight = 1;
      Index to = 0;
      for (int a = 0; a < D; ++a) {
        const bool up = corner >> a & 1;
        weight *= up ? part[a] : 1 - part[a], to += up ? stride[a] : 0;
      }
      sum += weight * f[to];
    }
    return sum;
  }
};

struct FindThin {
  const std::uint8_t* layer;
  const Real *surface, *share;

  RTSIM_HD Thin operator()(Index c) const {
    const bool liquid = surface[c] < 0 && layer[c] == 0;
    return {Index(liquid), Index(liquid && 3 * share[c] < 1)};
  }
};
struct Join {
  RTSIM_HD Thin operator()(const Thin& a, const Thin& b) const {
    return {a.cells + b.cells, a.thin + b.thin};
  }
};

struct PushBy {
  mac::Domain domain;
  int axis;
  const Real *open, *surface, *q;
  Real factor;
  Real* u;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index r = domain.row(axis, i, j, k), n = domain.cells[axis];
    Index at[3] = {i, j, k};
    if (!(open[r] > 0)) return;
    const auto cell = [&](Index c) {
      if (domain.periodic(axis)) c = c < 0 ? n - 1 : c < n ? c : 0;
      if (c < 0 || c >= n) return Index(-1);
      Index p[3] = {i, j, k};
      p[axis] = c;
      return domain.row(mac::centres, p[0], p[1], p[2]);
    };
    const Index low = cell(at[axis] - 1), high = cell(at[axis]);
    if ((low < 0 || surface[low] >= 0) && (high < 0 || surface[high] >= 0)) return;
    u[r] -= factor * ((high < 0 ? Real(0) : q[high]) - (low < 0 ? Real(0) : q[low]));
  }
};

struct AddInLiquid {
  const std::uint8_t* layer;
  const Real* surface;
  Real factor;
  const Real* q;
  Real* p;

  RTSIM_HD void operator()(Index c) const {
    if (surface[c] < 0 && layer[c] == 0) p[c] += factor * q[c];
  }
};

constexpr const char* label = "flip.tension";

}  // namespace

void blur(const Exec& ex, const mac::Domain& d, int axis, Span<const std::uint8_t> layer,
          Span<const Real> from, Span<Real> to) {
  mac::for_rows(ex, label, d, mac::centres, Blur{d, axis, layer.data, from.data, to.data});
}

template <int D>
void curvature(const Exec& ex, const mac::Domain& d, const Real* share, Real sigma,
               Span<Real> out) {
  mac::for_rows(ex, label, d, mac::centres,
                FindCurvature<D>{d, mac::Layout::of(d), share, sigma / d.spacing, out.data});
}

template <int D>
void from_surface(const Exec& ex, const mac::Domain& d, const Real* share, const Real* field,
                  Span<Real> q) {
  mac::for_rows(ex, label, d, mac::centres,
                FromSurface<D>{d, mac::Layout::of(d), share, field, q.data});
}

Thin find_thin(const Exec& ex, Span<const std::uint8_t> layer, Span<const Real> surface,
               Span<const Real> share) {
  return reduce(ex, label, share.size, Thin{}, FindThin{layer.data, surface.data, share.data},
                Join{});
}

void push_by(const Exec& ex, const mac::Domain& d, int axis, Span<const Real> open,
             Span<const Real> surface, Span<const Real> q, Real factor, Span<Real> u) {
  mac::for_rows(ex, label, d, axis,
                PushBy{d, axis, open.data, surface.data, q.data, factor, u.data});
}

void add_in_liquid(const Exec& ex, Span<const std::uint8_t> layer, Span<const Real> surface,
                   Real factor, Span<const Real> q, Span<Real> p) {
  parallel_for(ex, label, p.size, AddInLiquid{layer.data, surface.data, factor, q.data, p.data});
}

template void from_surface<2>(const Exec&, const mac::Domain&, const Real*, const Real*,
                              Span<Real>);
template void from_surface<3>(const Exec&, const mac::Domain&, const Real*, const Real*,
                              Span<Real>);
template void curvature<2>(const Exec&, const mac::Domain&, const Real*, Real, Span<Real>);
template void curvature<3>(const Exec&, const mac::Domain&, const Real*, Real, Span<Real>);

}  // namespace rtsim::flip
