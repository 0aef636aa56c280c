#include "mass_spring/implicit.h"

#include "block_cg/solve.h"
#include "mass_spring/spring.h"
#include "mass_spring/steps.h"

namespace rtsim::mass_spring {

namespace {

struct Assemble {
  Network net;
  Points p;
  Real inertia, h;
  Ahead at;
  Span<Block> blocks;
  Span<Sym3> inverse_diagonal;
  RTSIM_HD void operator()(Index i) const {
    Sym3 diagonal = outer(Vec<3>{}, 0, inertia * p.mass[i]);
    for (Index e = net.first[i]; e < net.first[i + 1]; ++e) {
      const Half s = net.halves[e];
      const Reach<Real> r = reach(at.between(i, s.other));
      const Tangent<Real> t = positive(tangent(r, s.stiffness, s.rest));
      const Block k{r.along, h * (h * (t.along - t.across) + net.damping), h * h * t.across};
      blocks[e] = k;
      diagonal = diagonal + outer(k.n, k.a, k.b);
    }
    inverse_diagonal[i] = inverse(diagonal);
  }
};

struct RightSide {
  Network net;
  Points p;
  Field field;
  Real h;
  Span<Vec<3>> b;
  RTSIM_HD double operator()(Index i) const {
    const Vec<3> x_i = p.position[i];
    Vec<3> force{};
    for (Index e = net.first[i]; e < net.first[i + 1]; ++e) {
      const Half s = net.halves[e];
      force = force + spring_force(reach(p.position[s.other] - x_i), Vec<3>{}, s.stiffness, Real(0),
                                   s.rest);
    }
    const Vec<3> b_i = p.mass[i] * (p.velocity[i] + h * field.gravity) + h * force;
    b[i] = b_i;
    return double(p.inverse_mass[i]) * double(dot(b_i, b_i));
  }
};

struct Descend {
  Network net;
  Points p;
  Field field;
  Real h;
  Span<const Vec<3>> v;
  Span<Vec<3>> b;
  RTSIM_HD Slope operator()(Index i) const {
    const Ahead at{p.position, v, h};
    const Vec<3> v_i = v[i];
    Vec<3> force{};
    double energy = 0;
    for (Index e = net.first[i]; e < net.first[i + 1]; ++e) {
      const Half s = net.halves[e];
      const Reach<Real> r = reach(at.between(i, s.other));
      force = force + spring_force(r, Vec<3>{}, s.stiffness, Real(0), s.rest);
      energy += 0.5 * double(spring_energy(r, s.stiffness, s.rest));
      if (!(net.damping > 0)) continue;
      const Vec<3> n0 = reach(p.position[s.other] - p.position[i]).along;
      const Real speed = dot(n0, v[s.other] - v_i);
      force = force + (net.damping * speed) * n0;
      energy += 0.25 * double(h * net.damping * speed * speed);
    }
    if (!(p.inverse_mass[i] > 0)) {
      b[i] = Vec<3>{};
      return {energy, 0};
    }
    const Vec<3> dv = v_i - p.velocity[i];
    const Vec<3> g = p.mass[i] * (dv + h * (field.drag * v_i - field.gravity)) - h * force;
    b[i] = -g;
    energy += double(p.mass[i]) * (0.5 * double(dot(dv, dv)) +
                                   double(h) * (0.5 * double(field.drag) * double(dot(v_i, v_i)) -
                                                double(dot(field.gravity, v_i))));
    return {energy, double(p.inverse_mass[i]) * double(dot(g, g))};
  }
};
struct AddSlopes {
  RTSIM_HD Slope operator()(const Slope& a, const Slope& b) const {
    return {a.energy + b.energy, a.residual + b.residual};
  }
};

struct MoveAlong {
  Span<const Vec<3>> from, direction;
  Real step;
  Span<Vec<3>> to;
  RTSIM_HD void operator()(Index i) const { to[i] = from[i] + step * direction[i]; }
};

struct Take {
  Points p;
  Span<const Vec<3>> v;
  Real h;
  RTSIM_HD void operator()(Index i) const {
    p.position[i] = p.position[i] + h * v[i];
    p.velocity[i] = v[i];
  }
};

struct TakeBeyond {
  Points p;
  Span<const Vec<3>> middle;
  Real h;
  RTSIM_HD void operator()(Index i) const {
    p.position[i] = p.position[i] + h * middle[i];
    p.velocity[i] = beyond_middle(p.velocity[i], middle[i]);
  }
};

}  // namespace

void assemble(const Exec& ex, const Network& net, const Points& p, Real drag, Real h,
              const Ahead& at, Span<Block> blocks, Span<Sym3> inverse_diagonal) {
  parallel_for(ex, "mass_spring.assemble", p.position.size,
               Assemble{net, p, 1 + h * drag, h, at, blocks, inverse_diagonal});
}

double right_side(const Exec& ex, const Network& net, const Points& p, const Field& field, Real h,
                  Span<Vec<3>> b) {
  return reduce(ex, "mass_spring.right_side", b.size, 0.0, RightSide{net, p, field, h, b}, Plus{});
}

block_cg::Result solve(const Exec& ex, const System& A, Span<const Vec<3>> b,
                       const block_cg::Vectors& scratch, const block_cg::Limits& limits,
                       Span<Vec<3>> x) {
  return block_cg::solve(ex, A, b, scratch, limits, x);
}

Slope descend(const Exec& ex, const Network& net, const Points& p, const Field& field, Real h,
              Span<const Vec<3>> v, Span<Vec<3>> b) {
  return reduce(ex, "mass_spring.descend", v.size, Slope{}, Descend{net, p, field, h, v, b},
                AddSlopes{});
}

void move_along(const Exec& ex, Span<const Vec<3>> from, Span<const Vec<3>> direction, Real step,
                Span<Vec<3>> to) {
  parallel_for(ex, "mass_spring.move", to.size, MoveAlong{from, direction, step, to});
}

void take(const Exec& ex, const Points& p, Span<const Vec<3>> v, Real h) {
  parallel_for(ex, "mass_spring.step", v.size, Take{p, v, h});
}
void take_beyond(const Exec& ex, const Points& p, Span<const Vec<3>> middle, Real h) {
  parallel_for(ex, "mass_spring.step", middle.size, TakeBeyond{p, middle, h});
}

}  // namespace rtsim::mass_spring
