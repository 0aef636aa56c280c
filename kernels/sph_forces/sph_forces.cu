#include "sph_forces/sph_forces.h"

#include "sph/pair_cells.h"
#include "sph_forces/cohesion.h"
#include "sph_forces/drag.h"
#include "sph_forces/implicit_viscosity.h"
#include "sph_forces/micropolar.h"
#include "sph_forces/surface_tension.h"
#include "sph_forces/vorticity.h"

namespace rtsim::sph_forces {

namespace {

template <class Pass>
void for_pairs(const Exec& ex, const char* label, const Surroundings& s, const Pass& pass) {
  sph::for_pairs(ex, label, s.fluid, s.walls, s.lists, s.medium.kernel.support, pass);
}

RTSIM_HD inline double dot3(const Row4& a, const Row4& b) {
  return double(a.x) * double(b.x) + double(a.y) * double(b.y) + double(a.z) * double(b.z);
}

RTSIM_HD inline Row4 apply_block(const Real* m, const Row4& r) {
  return {m[0] * r.x + m[1] * r.y + m[2] * r.z, m[1] * r.x + m[3] * r.y + m[4] * r.z,
          m[2] * r.x + m[4] * r.y + m[5] * r.z, 0};
}

struct DotsOfRow {
  Span<const Row4> r;
  Span<const Real> inverse;
  Span<const Row4> x;
  RTSIM_HD Dots operator()(Index i) const {
    const Row4 z = apply_block(inverse.data + block_size * std::int64_t(i), r[i]);
    return {dot3(r[i], r[i]), dot3(r[i], z), dot3(x[i], x[i])};
  }
};
struct AddDots {
  RTSIM_HD Dots operator()(const Dots& a, const Dots& b) const {
    return {a.rr + b.rr, a.rz + b.rz, a.xx + b.xx};
  }
};

struct DotOfRow {
  Span<const Row4> a, b;
  RTSIM_HD double operator()(Index i) const { return dot3(a[i], b[i]); }
};

struct UpdateDirection {
  Span<const Row4> r;
  Span<const Real> inverse;
  Real beta;
  Span<Row4> p;
  RTSIM_HD void operator()(Index i) const {
    const Row4 z = apply_block(inverse.data + block_size * std::int64_t(i), r[i]), old = p[i];
    p[i] = {fma(beta, old.x, z.x), fma(beta, old.y, z.y), fma(beta, old.z, z.z), old.w};
  }
};

RTSIM_HD inline void add_scaled(Real c, const Row4& from, Row4& to) {
  to.x = fma(c, from.x, to.x), to.y = fma(c, from.y, to.y), to.z = fma(c, from.z, to.z);
}

struct AdvanceSolution {
  Real alpha;
  Span<const Row4> p, q;
  Span<Row4> x, r;
  RTSIM_HD void operator()(Index i) const {
    add_scaled(alpha, p[i], x[i]), add_scaled(-alpha, q[i], r[i]);
  }
};

struct Shift {
  Row4 a;
  Span<Row4> x;
  RTSIM_HD void operator()(Index i) const { add_scaled(1, a, x[i]); }
};

template <int D>
struct AddColumn {
  Real sign;
  Span<const Vec<D>> column;
  Span<Row4> x;
  RTSIM_HD void operator()(Index i) const {
    const Vec<D>& c = column[i];
    add_scaled(sign, {c[0], c[1], D == 3 ? c[D - 1] : 0, 0}, x[i]);
  }
};

template <int D>
struct KeepChange {
  Span<const Row4> x, before;
  Span<Vec<D>> change;
  RTSIM_HD void operator()(Index i) const {
    const Row4 &a = x[i], &b = before[i];
    const Real c[3] = {a.x - b.x, a.y - b.y, a.z - b.z};
    for (int k = 0; k < D; ++k) change[i][k] = c[k];
  }
};

struct AddRows {
  Span<const Row4> r;
  Span<Row4> x;
  RTSIM_HD void operator()(Index i) const { add_scaled(1, r[i], x[i]); }
};

template <int D>
struct PackSpin {
  Span<const Vec<D == 2 ? 1 : 3>> omega;
  Span<const Row4> motion;
  Span<Row4> spin;
  RTSIM_HD void operator()(Index i) const {
    const Real rho = motion[i].w;
    if (i >= omega.size)  // the dummies
      spin[i] = {0, 0, 0, rho};
    else if constexpr (D == 2)
      spin[i] = {0, 0, omega[i][0], rho};
    else
      spin[i] = {omega[i][0], omega[i][1], omega[i][2], rho};
  }
};

}  // namespace

void viscous_blocks(const Exec& ex, const Surroundings& s, const Viscosity& law,
                    Span<Real> inverse) {
  for_pairs(ex, "viscosity.blocks", s, ViscousBlockPass{law, inverse});
}

void viscous_product(const Exec& ex, const Surroundings& s, const Viscosity& law,
                     Span<Row4> product) {
  for_pairs(ex, "viscosity.product", s, ViscousProductPass{law, 1, 1, 0, product});
}

void viscous_residual(const Exec& ex, const Surroundings& s, const Viscosity& law,
                      Span<Row4> residual) {
  for_pairs(ex, "viscosity.residual", s, ViscousProductPass{law, 0, -1, 1, residual});
}

Dots dots(const Exec& ex, Span<const Row4> r, Span<const Real> inverse, Span<const Row4> x) {
  return reduce(ex, "viscosity.dots", r.size, Dots{}, DotsOfRow{r, inverse, x}, AddDots{});
}

double dot(const Exec& ex, Span<const Row4> a, Span<const Row4> b, Index rows) {
  return reduce(ex, "viscosity.dots", rows, 0.0, DotOfRow{a, b}, Plus{});
}

void update_direction(const Exec& ex, Span<const Row4> r, Span<const Real> inverse, Real beta,
                      Span<Row4> p) {
  parallel_for(ex, "viscosity.turn", r.size, UpdateDirection{r, inverse, beta, p});
}

void advance(const Exec& ex, Real alpha, Span<const Row4> p, Span<const Row4> q, Span<Row4> x,
             Span<Row4> r) {
  parallel_for(ex, "viscosity.descend", r.size, AdvanceSolution{alpha, p, q, x, r});
}

void shift(const Exec& ex, const Row4& a, Index rows, Span<Row4> x) {
  parallel_for(ex, "viscosity.shift", rows, Shift{a, x});
}

template <int D>
void guess(const Exec& ex, Span<const Vec<D>> change, Span<Row4> x) {
  parallel_for(ex, "viscosity.guess", change.size, AddColumn<D>{1, change, x});
}

template <int D>
void guessed(const Exec& ex, Span<const Vec<D>> change, Span<Row4> r) {
  parallel_for(ex, "viscosity.guess", change.size, AddColumn<D>{-1, change, r});
}

template <int D>
void keep_change(const Exec& ex, Span<const Row4> x, Span<const Row4> before, Span<Vec<D>> change) {
  parallel_for(ex, "viscosity.change", change.size, KeepChange<D>{x, before, change});
}

void add_rows(const Exec& ex, Span<const Row4> r, Span<Row4> x) {
  parallel_for(ex, "viscosity.finish", r.size, AddRows{r, x});
}

void surface_normals(const Exec& ex, const Surroundings& s, Span<Row4> normals) {
  for_pairs(ex, "cohesion.normals", s, NormalPass{s.medium, normals});
}

void cohere(const Exec& ex, const Surroundings& s, const Cohesion& law, Span<Row4> motion) {
  for_pairs(ex, "cohesion.force", s, CohesionPass{law, motion});
}

void surface(const Exec& ex, const Surroundings& s, Real least, Span<Row4> rows) {
  for_pairs(ex, "tension.surface", s, SurfacePass{s.medium, least, rows});
}

void blur(const Exec& ex, const Surroundings& s, Span<const Row4> surface, Span<Row4> blurred) {
  for_pairs(ex, "tension.blur", s, BlurPass{s.medium, surface, blurred});
}

void curvature(const Exec& ex, const Surroundings& s, Span<const Row4> surface, Span<Row4> bent) {
  for_pairs(ex, "tension.curvature", s, CurvaturePass{s.medium, surface, bent});
}

void tension(const Exec& ex, const Surroundings& s, Real strength, Real most, Real depth,
             Span<const Row4> surface, Span<Row4> impulse) {
  for_pairs(ex, "tension.force", s, TensionPass{s.medium, strength, most, depth, surface, impulse});
}

void curls(const Exec& ex, const Surroundings& s, Span<Row4> curls) {
  for_pairs(ex, "vorticity.curl", s, CurlPass{s.medium, curls});
}

void confine(const Exec& ex, const Surroundings& s, Real strength_dt, Span<Row4> motion) {
  for_pairs(ex, "vorticity.confine", s, ConfinementPass{s.medium, strength_dt, motion});
}

template <int D>
void pack_spin(const Exec& ex, Span<const Vec<D == 2 ? 1 : 3>> omega, Span<const Row4> motion,
               Span<Row4> spin) {
  parallel_for(ex, "micropolar.pack", omega.size + lane_count, PackSpin<D>{omega, motion, spin});
}

void spin_to_flow(const Exec& ex, const Surroundings& s, const Micropolar& law, Span<Row4> motion,
                  Span<Row4> smoothed) {
  for_pairs(ex, "micropolar.flow", s, SpinToFlowPass{law, motion, smoothed});
}

template <int D>
void flow_to_spin(const Exec& ex, const Surroundings& s, const Micropolar& law,
                  Span<const Row4> smoothed, Span<Vec<D == 2 ? 1 : 3>> omega) {
  for_pairs(ex, "micropolar.spin", s, FlowToSpinPass<D>{law, smoothed, omega});
}

void drag(const Exec& ex, const Drag& law, Span<const Index> neighbours, Span<Row4> motion) {
  parallel_for(ex, "drag", neighbours.size, DragOfRow{law, neighbours, motion});
}

void drag(const Exec& ex, const DropDrag& law, const Surroundings& s, Span<const Index> neighbours,
          Span<Row4> motion) {
  const Real support = s.medium.kernel.support;
  for_pairs(ex, "drag.wind", s,
            WindPass{law, support * support, s.medium.least_r2, neighbours, motion});
}

#define RTSIM_INSTANTIATE(D)                                                                   \
  template void guess<D>(const Exec&, Span<const Vec<D>>, Span<Row4>);                         \
  template void guessed<D>(const Exec&, Span<const Vec<D>>, Span<Row4>);                       \
  template void keep_change<D>(const Exec&, Span<const Row4>, Span<const Row4>, Span<Vec<D>>); \
  template void pack_spin<D>(const Exec&, Span<const Vec<D == 2 ? 1 : 3>>, Span<const Row4>,   \
                             Span<Row4>);                                                      \
  template void flow_to_spin<D>(const Exec&, const Surroundings&, const Micropolar&,           \
                                Span<const Row4>, Span<Vec<D == 2 ? 1 : 3>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph_forces
