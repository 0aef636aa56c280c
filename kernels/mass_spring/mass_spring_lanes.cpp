#include <vector>

#include "block_cg/isotropic_lanes.h"
#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "mass_spring/lanes.h"

namespace rtsim::mass_spring {

namespace {

using L = Lanes<Real>;

constexpr Index slices_per_task = 64;

struct Sum {
  L x, y, z;
};

// As spring_force, with the direction's 1 / l taken once: (k (l - l0) / l + c d . dv / l^2) d.
Sum forces(const Acceleration& k, Index slice, const Lanes4<Real>& x, const Lanes4<Real>& v) {
  const L c(k.net.damping), zero(0), one(1);
  Sum f{zero, zero, zero};
  for (Index e = k.net.first[slice]; e < k.net.first[slice + 1]; ++e) {
    const Slot& s = k.net.slots[e];
    const Lanes4<Real> other = load_rows(k.x.data, s.other);
    const L dx = other.x - x.x, dy = other.y - x.y, dz = other.z - x.z;
    const L l = root(fma(dx, dx, fma(dy, dy, dz * dz)));
    const L inverse = select_less(zero, l, one / max(l, L(Real(1e-30))), zero);
    L pull = L::load(s.stiffness) * (l - L::load(s.rest));
    if (k.net.damping > 0) {
      const Lanes4<Real> w = load_rows(k.v.data, s.other);
      const L along = fma(dx, w.x - v.x, fma(dy, w.y - v.y, dz * (w.z - v.z)));
      pull = fma(c, along * inverse, pull);
    }
    pull = pull * inverse;
    f = {fma(pull, dx, f.x), fma(pull, dy, f.y), fma(pull, dz, f.z)};
  }
  return f;
}

struct Rows {
  Real x[lane_count], y[lane_count], z[lane_count];

  explicit Rows(const Sum& s) { s.x.store(x), s.y.store(y), s.z.store(z); }
};

}  // namespace

void accelerate_lanes(const Exec& ex, const Acceleration& k) {
  const Index n = k.a.size, slices = (n + lane_count - 1) / lane_count;
  parallel_chunks(
      ex, "mass_spring.accelerate", slices, slices_per_task, [&](Index begin, Index end) {
        for (Index s = begin; s < end; ++s) {
          const Index low = s * lane_count;
          const Lanes4<Real> x = load_rows(k.x.data + low), v = load_rows(k.v.data + low);
          const Rows f(forces(k, s, x, v));
          for (Index l = 0; l < lane_count && low + l < n; ++l) {
            const Index i = low + l;
            const Real w = k.inverse_mass[i];
            const Vec<3> field = k.field.gravity - k.field.drag * vec(k.v[i]);
            k.a[i] = w > 0 ? w * Vec<3>{{f.x[l], f.y[l], f.z[l]}} + field : Vec<3>{};
          }
        }
      });
}

double multiply_lanes(const Exec& ex, const System& A, Span<const Row4> p, Span<Row4> q) {
  const Index slices = q.size / lane_count;
  std::vector<double> part(std::size_t((slices + slices_per_task - 1) / slices_per_task));
  parallel_chunks(ex, "mass_spring.multiply", slices, slices_per_task, [&](Index begin, Index end) {
    double pq = 0;
    for (Index s = begin; s < end; ++s) {
      const Index low = s * lane_count;
      const Lanes4<Real> p_i = load_rows(p.data + low);
      const L m = L::load(A.inertia.data + low), zero(0);
      Sum sum{m * p_i.x, m * p_i.y, m * p_i.z};
      for (Index e = A.first[s]; e < A.first[s + 1]; ++e) {
        const BlockSlot& k = A.blocks[e];
        const Lanes4<Real> p_j = load_rows(p.data, k.other);
        const L dx = p_i.x - p_j.x, dy = p_i.y - p_j.y, dz = p_i.z - p_j.z;
        const L nx = L::load(k.nx), ny = L::load(k.ny), nz = L::load(k.nz), b = L::load(k.b);
        const L along = L::load(k.a) * fma(nx, dx, fma(ny, dy, nz * dz));
        sum = {fma(along, nx, fma(b, dx, sum.x)), fma(along, ny, fma(b, dy, sum.y)),
               fma(along, nz, fma(b, dz, sum.z))};
      }
      block_cg::add_isotropic(A.bending, s, p.data, p_i, sum.x, sum.y, sum.z);
      sum = {select_less(zero, m, sum.x, zero), select_less(zero, m, sum.y, zero),
             select_less(zero, m, sum.z, zero)};
      pq += double(fma(p_i.x, sum.x, fma(p_i.y, sum.y, p_i.z * sum.z)).sum());
      const Rows r(sum);
      for (Index l = 0; l < lane_count; ++l) q[low + l] = {r.x[l], r.y[l], r.z[l], 0};
    }
    part[std::size_t(begin / slices_per_task)] = pq;
  });
  double sum = 0;
  for (const double x : part) sum += x;
  return sum;
}

}  // namespace rtsim::mass_spring
