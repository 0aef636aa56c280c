#include "mass_spring/implicit.h"

#include "exec/parallel.h"
#include "mass_spring/lanes.h"
#include "mass_spring/spring.h"
#include "mass_spring/steps.h"

namespace rtsim::mass_spring {

namespace {

struct Assemble {
  Assembly k;

  // One spring of lane l, and what it adds to the diagonal.
  RTSIM_HD Sym3 add(Index i, const Half& s, Index l, BlockSlot& to) const {
    const Reach<Real> r = reach(k.at.between(i, s.other));
    const Tangent<Real> t = positive(tangent(r, s.stiffness, s.rest));
    const Real b = k.h * k.h * t.across;
    const Real a = k.h * (k.h * (t.along - t.across) + k.net.damping);
    to.other[l] = s.other;
    to.nx[l] = r.along[0], to.ny[l] = r.along[1], to.nz[l] = r.along[2];
    to.a[l] = a, to.b[l] = b;
    return outer(r.along, a, b);
  }
  // Rows behind the last are read as well.
  RTSIM_HD void add_nothing(Index i, Index l) const {
    for (Index e = first_slot(k.net, i); e < end_slot(k.net, i); ++e) {
      BlockSlot& to = k.blocks[e];
      to.other[l] = half_of(k.net, e, i).other;
      to.nx[l] = to.ny[l] = to.nz[l] = to.a[l] = to.b[l] = 0;
    }
    k.inertia[i] = 0;
    k.inverse_diagonal[i / lane_count].set(l, {});
    k.filter[i] = {};
  }

  RTSIM_HD void operator()(Index i) const {
    const Index l = i % lane_count;
    if (i >= k.points.mass.size) return add_nothing(i, l);
    const Real m = k.points.inverse_mass[i] > 0 ? (1 + k.h * k.drag) * k.points.mass[i] : Real(0);
    Sym3 diagonal = outer(Vec<3>{}, 0, m + k.bending.diagonal(i));
    for (Index e = first_slot(k.net, i); e < end_slot(k.net, i); ++e)
      diagonal = diagonal + add(i, half_of(k.net, e, i), l, k.blocks[e]);
    k.inertia[i] = m;
    k.inverse_diagonal[i / lane_count].set(l, m > 0 ? inverse(diagonal) : Sym3{});
    k.filter[i] = {0, 0, 0, Real(m > 0 ? 1 : 0)};
  }
};

// Of springs and bending at the start of the step.
RTSIM_HD Vec<3> force_at_start(const Network& net, const plate::SlotForces& bending,
                               const Points& p, Index i) {
  const Vec<3> x_i = p.position[i];
  Vec<3> force = bending.on(i);
  for (Index e = first_slot(net, i); e < end_slot(net, i); ++e) {
    const Half s = half_of(net, e, i);
    force = force +
            spring_force(reach(p.position[s.other] - x_i), Vec<3>{}, s.stiffness, Real(0), s.rest);
  }
  return force;
}

// (A - inertia) p
RTSIM_HD Vec<3> stiff_product(const System& A, Index i, Span<const Row4> p) {
  const Vec<3> p_i = vec(p[i]);
  const Index l = i % lane_count;
  Vec<3> sum{};
  for (Index e = A.first[i / lane_count]; e < A.first[i / lane_count + 1]; ++e) {
    const BlockSlot& k = A.blocks[e];
    const Vec<3> n{{k.nx[l], k.ny[l], k.nz[l]}}, d = p_i - vec(p[k.other[l]]);
    sum = sum + ((k.a[l] * dot(n, d)) * n + k.b[l] * d);
  }
  return sum + A.bending.product(i, p);
}

struct PushOnHeld {
  Network net;
  plate::SlotForces bending;
  System A;
  Points p;
  Field field;
  Real h;
  Span<const Row4> v;
  Span<Row4> to;
  RTSIM_HD void operator()(Index i) const {
    if (p.inverse_mass[i] > 0) return;
    const Vec<3> weight = p.mass[i] * (field.gravity - field.drag * vec(v[i]));
    to[i] = row(h * (force_at_start(net, bending, p, i) + weight) - stiff_product(A, i, v));
  }
};

struct Multiply {
  System A;
  Span<const Row4> p;
  Span<Row4> q;
  RTSIM_HD double operator()(Index i) const {
    const Real m = A.inertia[i];
    if (!(m > 0)) {
      q[i] = {};
      return 0;
    }
    const Vec<3> p_i = vec(p[i]);
    const Index l = i % lane_count;
    Vec<3> sum = m * p_i;
    for (Index e = A.first[i / lane_count]; e < A.first[i / lane_count + 1]; ++e) {
      const BlockSlot& k = A.blocks[e];
      const Vec<3> n{{k.nx[l], k.ny[l], k.nz[l]}}, d = p_i - vec(p[k.other[l]]);
      sum = sum + ((k.a[l] * dot(n, d)) * n + k.b[l] * d);
    }
    sum = sum + A.bending.product(i, p);
    q[i] = row(sum);
    return double(dot(p_i, sum));
  }
};

struct SumOutside {
  System A;
  block_cg::Outside k;
  RTSIM_HD void operator()(Index i) const {
    Sym3 sums[block_cg::most_levels];
    const Index l = i % lane_count, s = i / lane_count;
    for (Index e = A.first[s]; e < A.first[s + 1]; ++e) {
      const BlockSlot& b = A.blocks[e];
      const int apart = k.apart(k.blocks[e * lane_count + l], b.other[l]);
      if (apart > 0)
        sums[apart - 1] =
            sums[apart - 1] + outer(Vec<3>{{b.nx[l], b.ny[l], b.nz[l]}}, b.a[l], b.b[l]);
    }
    block_cg::add_outside(A.bending, k, i, sums);
    for (int m = 0; m < k.levels; ++m) k.sums[k.levels * i + m] = sums[m];
  }
};

struct RightHandSide {
  Network net;
  plate::SlotForces bending;
  Points p;
  Field field;
  Real h;
  Span<Row4> b;
  RTSIM_HD double operator()(Index i) const {
    if (i >= p.mass.size || !(p.inverse_mass[i] > 0)) {
      b[i] = {};
      return 0;
    }
    const Vec<3> force = force_at_start(net, bending, p, i);
    const Vec<3> b_i = p.mass[i] * (p.velocity[i] + h * field.gravity) + h * force;
    b[i] = row(b_i);
    return double(p.inverse_mass[i]) * double(dot(b_i, b_i));
  }
};

struct FindGradient {
  Network net;
  plate::SlotForces bending;
  Points p;
  Field field;
  Real h;
  Span<const Row4> v;
  Span<Row4> b;
  RTSIM_HD Gradient operator()(Index i) const {
    if (i >= p.mass.size) {
      b[i] = {};
      return {};
    }
    const Ahead at{p.position, v, h};
    const Vec<3> v_i = vec(v[i]);
    Vec<3> force = bending.on(i);
    double energy = 0;
    for (Index e = first_slot(net, i); e < end_slot(net, i); ++e) {
      const Half s = half_of(net, e, i);
      const Reach<Real> r = reach(at.between(i, s.other));
      force = force + spring_force(r, Vec<3>{}, s.stiffness, Real(0), s.rest);
      energy += 0.5 * double(spring_energy(r, s.stiffness, s.rest));
      if (!(net.damping > 0)) continue;
      const Vec<3> n0 = reach(p.position[s.other] - p.position[i]).along;
      const Real speed = dot(n0, vec(v[s.other]) - v_i);
      force = force + (net.damping * speed) * n0;
      energy += 0.25 * double(h * net.damping * speed * speed);
    }
    if (!(p.inverse_mass[i] > 0)) {
      b[i] = row(h * (force + p.mass[i] * (field.gravity - field.drag * v_i)));
      return {energy, 0};
    }
    const Vec<3> dv = v_i - p.velocity[i];
    const Vec<3> g = p.mass[i] * (dv + h * (field.drag * v_i - field.gravity)) - h * force;
    b[i] = row(-g);
    energy += double(p.mass[i]) * (0.5 * double(dot(dv, dv)) +
                                   double(h) * (0.5 * double(field.drag) * double(dot(v_i, v_i)) -
                                                double(dot(field.gravity, v_i))));
    return {energy, double(p.inverse_mass[i]) * double(dot(g, g))};
  }
};
struct AddGradients {
  RTSIM_HD Gradient operator()(const Gradient& a, const Gradient& b) const {
    return {a.energy + b.energy, a.residual + b.residual};
  }
};

struct MoveAlong {
  Span<const Row4> from, direction;
  Real step;
  Span<Row4> to;
  RTSIM_HD void operator()(Index i) const { to[i] = row(vec(from[i]) + step * vec(direction[i])); }
};

struct Take {
  Points p;
  Span<const Row4> v;
  Real h;
  RTSIM_HD void operator()(Index i) const {
    p.position[i] = p.position[i] + h * vec(v[i]);
    p.velocity[i] = vec(v[i]);
  }
};

struct TakeBeyond {
  Points p;
  Span<const Row4> middle;
  Real h;
  RTSIM_HD void operator()(Index i) const {
    p.position[i] = p.position[i] + h * vec(middle[i]);
    p.velocity[i] = beyond_middle(p.velocity[i], vec(middle[i]));
  }
};

}  // namespace

void assemble(const Exec& ex, const Assembly& k) {
  parallel_for(ex, "mass_spring.assemble", k.inertia.size, Assemble{k});
}

double right_hand_side(const Exec& ex, const Network& net, const plate::SlotForces& bending,
                       const Points& p, const Field& field, Real h, Span<Row4> b) {
  return reduce(ex, "mass_spring.right_side", b.size, 0.0,
                RightHandSide{net, bending, p, field, h, b}, Plus{});
}

void push_on_held(const Exec& ex, const Network& net, const plate::SlotForces& bending,
                  const System& A, const Points& p, const Field& field, Real h, Span<const Row4> v,
                  Span<Row4> to) {
  parallel_for(ex, "mass_spring.push_on_held", p.mass.size,
               PushOnHeld{net, bending, A, p, field, h, v, to});
}

double multiply(const Exec& ex, const System& A, Span<const Row4> p, Span<Row4> q) {
  if (ex.cpu_shaped()) return multiply_lanes(ex, A, p, q);
  return reduce(ex, "mass_spring.multiply", q.size, 0.0, Multiply{A, p, q}, Plus{});
}

void sum_outside(const Exec& ex, const System& A, const block_cg::Outside& k) {
  parallel_for(ex, "mass_spring.outside", k.sums.size / k.levels, SumOutside{A, k});
}

Gradient gradient(const Exec& ex, const Network& net, const plate::SlotForces& bending,
                  const Points& p, const Field& field, Real h, Span<const Row4> v, Span<Row4> b) {
  return reduce(ex, "mass_spring.descend", v.size, Gradient{},
                FindGradient{net, bending, p, field, h, v, b}, AddGradients{});
}

void move_along(const Exec& ex, Span<const Row4> from, Span<const Row4> direction, Real step,
                Span<Row4> to) {
  parallel_for(ex, "mass_spring.move", to.size, MoveAlong{from, direction, step, to});
}

void take(const Exec& ex, const Points& p, Span<const Row4> v, Real h) {
  parallel_for(ex, "mass_spring.step", p.mass.size, Take{p, v, h});
}
void take_beyond(const Exec& ex, const Points& p, Span<const Row4> middle, Real h) {
  parallel_for(ex, "mass_spring.step", p.mass.size, TakeBeyond{p, middle, h});
}

}  // namespace rtsim::mass_spring
