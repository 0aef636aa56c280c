#include "exec/parallel.h"
#include "fem/fem.h"

namespace rtsim::fem {

namespace {

using block_cg::BlockMatrix;
using block_cg::BlockSlot;
using cloth::ContactConstraint;
using mass_spring::row;
using mass_spring::vec;

struct Assemble {
  Assembly k;

  RTSIM_HD Mat3<Real> block(Index slot) const {
    Mat3<Real> n{};
    for (Index e = k.first[slot]; e < k.first[slot + 1]; ++e) {
      const Index part = k.parts[e];
      const Mat3<Real>& add = k.pairs[part / 2];
      n = n + (part % 2 ? transposed(add) : add);
    }
    return n;
  }
  RTSIM_HD void operator()(Index row) const {
    const Index s = row / lane_count, l = row % lane_count;
    for (Index e = k.blocks_first[s]; e < k.blocks_first[s + 1]; ++e) {
      const Mat3<Real> n = block(e * lane_count + l);
      k.blocks[e].set(l, k.more.size > 0 ? n + k.more[e][l] : n);
    }
    k.diagonal[row] = row < k.mass.size ? k.inertia * k.mass[row] : Real(0);
  }
};

struct Split {
  Real scale;
  Span<BlockSlot> from, to;
  RTSIM_HD void operator()(Index e) const {
    for (int a = 0; a < 9; ++a)
      for (Index l = 0; l < lane_count; ++l) {
        to[e].n[a][l] = scale * from[e].n[a][l];
        from[e].n[a][l] += to[e].n[a][l];
      }
    for (Index l = 0; l < lane_count; ++l) to[e].other[l] = from[e].other[l];
  }
};

RTSIM_HD Vec<3> force_on(const Elements& all, Span<const Row4> forces, Index i) {
  Vec<3> f{};
  for (Index k = all.first[i]; k < all.first[i + 1]; ++k) f = f + vec(forces[all.where[k]]);
  return f;
}

struct RightSide {
  Elements all;
  Stepping s;
  Span<const Row4> forces;
  BlockMatrix A;
  Span<const Row4> turned, w;
  Span<Row4> b;
  RTSIM_HD Vec<3> bent(Index i) const { return vec(w[i]) - vec(turned[i]); }
  RTSIM_HD void operator()(Index i) const {
    if (i >= s.points.mass.size) {
      b[i] = {};
      return;
    }
    const Vec<3> w_i = vec(w[i]), bent_i = bent(i);
    const Real m = s.points.mass[i];
    Vec<3> sum = s.k * force_on(all, forces, i) + m * ((vec(s.u[i]) - w_i) - s.mass_damping * w_i);
    const Index l = i % lane_count;
    for (Index e = A.first[i / lane_count]; e < A.first[i / lane_count + 1]; ++e)
      sum = sum - A.blocks[e][l] * (bent_i - bent(A.blocks[e].other[l]));
    b[i] = row(sum);
  }
};

struct FindGradient {
  Elements all;
  Stepping s;
  Span<const Row4> forces;
  Span<const ContactConstraint> constraints;
  Span<const Row4> turned, w;
  bool damped;
  Span<Row4> b;
  RTSIM_HD Gradient operator()(Index i) const {
    const Vec<3> lost = damped ? vec(b[i]) : Vec<3>{};
    b[i] = {};
    if (i >= s.points.mass.size) return {};
    const Vec<3> w_i = vec(w[i]), bent = w_i - vec(turned[i]);
    const Real m = s.points.mass[i];
    if (!(s.points.inverse_mass[i] > 0)) {
      b[i] = row(m * ((vec(s.u[i]) - w_i) - s.mass_damping * w_i) - lost +
                 s.k * force_on(all, forces, i));
      return {0.5 * double(dot(lost, bent)), 0};
    }
    const Vec<3> dw = w_i - vec(s.u[i]);
    const Vec<3> friction = constraints.size > 0 ? constraints[i].friction : Vec<3>{};
    const Vec<3> g =
        m * (dw + s.mass_damping * w_i) + lost - s.k * force_on(all, forces, i) - friction;
    b[i] = row(-g);
    const Vec<3> free = cloth::unconstrained(constraints, i, g);
    return {
        0.5 * double(m) * (double(dot(dw, dw)) + double(s.mass_damping) * double(dot(w_i, w_i))) +
            0.5 * double(dot(lost, bent)) - double(dot(friction, w_i)),
        double(s.points.inverse_mass[i]) * double(dot(free, free))};
  }
};
struct AddSlopes {
  RTSIM_HD Gradient operator()(const Gradient& a, const Gradient& b) const {
    return {a.energy + b.energy, a.residual + b.residual};
  }
};

struct ForceScale {
  Elements all;
  Stepping s;
  Span<const Row4> forces, w;
  RTSIM_HD double operator()(Index i) const {
    const double m = s.points.mass[i];
    if (!(s.points.inverse_mass[i] > 0)) return 0;
    double squares = 0;
    for (Index k = all.first[i]; k < all.first[i + 1]; ++k) {
      const Vec<3> f = vec(forces[all.where[k]]);
      squares += double(dot(f, f));
    }
    const Vec<3> dw = vec(w[i]) - vec(s.u[i]);
    return m * double(dot(dw, dw)) + double(s.k) * double(s.k) * squares / m;
  }
};

struct ForceOnHeld {
  Elements all;
  Points p;
  Real mass_damping;
  Span<const Row4> forces;
  Span<Row4> to;
  RTSIM_HD void operator()(Index i) const {
    if (!(p.inverse_mass[i] > 0))
      to[i] = row(force_on(all, forces, i) - (p.mass[i] * mass_damping) * p.velocity[i]);
  }
};

struct Start {
  Elements all;
  Points p;
  Loads loads;
  Real along, part;
  Span<const Row4> forces;
  Span<Row4> u;
  RTSIM_HD void operator()(Index i) const {
    if (i >= p.mass.size) {
      u[i] = {};
      return;
    }
    Vec<3> to = p.velocity[i];
    const bool free = p.inverse_mass[i] > 0;
    if (free) to = to + along * loads.acceleration(i, p.inverse_mass[i]);
    if (part > 0)
      to = to + (part * (free ? p.inverse_mass[i] : 1 / p.mass[i])) * force_on(all, forces, i);
    u[i] = row(to);
  }
};

// (x0 - x') / 3
RTSIM_HD Vec<3> third_of_way(const CompensatedPlaces& now, const CompensatedPlaces& before,
                             Index i) {
  return (Real(1) / 3) * ((now.x[i] - before.x[i]) + (now.r[i] - before.r[i]));
}

struct StartBdf2 {
  Points p;
  CompensatedPlaces places;
  StepBefore before;
  Loads loads;
  Real h;
  Span<Row4> remainder, u;
  RTSIM_HD void operator()(Index i) const {
    if (i >= p.mass.size) return;
    const Real third = Real(1) / 3, s = 2 * h * third;
    const Vec<3> v = p.velocity[i], moved = third_of_way(places, before.places, i);
    remainder[i] = row(places.r[i] + moved);
    const Vec<3> after = before.v_after[i], kick = v - after;
    u[i] = row(v + third * (after - before.v[i] - kick) +
               s * loads.acceleration(i, p.inverse_mass[i]));
    if (!(p.inverse_mass[i] > 0)) u[i] = row((1 / s) * (h * v - moved));
  }
};

struct Seek {
  Points p;
  CompensatedPlaces places;
  Seeking k;
  RTSIM_HD void operator()(Index i) const {
    if (i >= p.mass.size) {
      k.turned[i] = k.w[i] = {};
      return;
    }
    const Turn& turn = k.turns[k.piece[i]];
    const Vec3d r = (widen(p.position[i]) - turn.centre) + widen(places.r[i]);
    const Vec<3> moved = k.two_steps ? third_of_way(places, k.before.places, i) : Vec<3>{};
    k.turned[i] = row((1 / k.s) * (narrow<3>(turn.change(r)) - moved));
    const Vec<3> v = k.before.v_after[i];
    k.guess[i] = p.inverse_mass[i] > 0 ? v + narrow<3>(turn.change(widen(v)))
                                       : (1 / k.s) * (k.h * p.velocity[i] - moved);
    k.w[i] = row(k.guess[i]);
  }
};

struct CopyPlaces {
  CompensatedPlaces from, to;
  RTSIM_HD void operator()(Index i) const { to.x[i] = from.x[i], to.r[i] = from.r[i]; }
};
struct Differs {
  CompensatedPlaces a, b;
  RTSIM_HD Index operator()(Index i) const {
    Index differs = 0;
    for (int k = 0; k < 3; ++k)
      if (a.x[i][k] != b.x[i][k] || a.r[i][k] != b.r[i][k]) differs = 1;
    return differs;
  }
};

struct Finish {
  Points p;
  CompensatedPlaces places;
  Places at;
  Span<const ContactConstraint> constraints;
  bool beyond;
  Span<Vec<3>> v_after;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> w = vec(at.w[i]);
    places.advance(i, at.s * w);
    if (!(p.inverse_mass[i] > 0)) return;
    const Vec<3> more = beyond ? w - p.velocity[i] : Vec<3>{};
    p.velocity[i] = v_after[i] = w + cloth::unconstrained(constraints, i, more);
  }
};

struct FinishBdf2 {
  Points p;
  CompensatedPlaces places;
  StepBefore before;
  Places at;
  Real h;
  RTSIM_HD void operator()(Index i) const {
    const bool free = p.inverse_mass[i] > 0;
    if (free) p.velocity[i] = vec(at.w[i]);
    const Vec<3> v = p.velocity[i],
                 way = free ? third_of_way(places, before.places, i) + at.s * v : h * v;
    before.places.x[i] = places.x[i], before.places.r[i] = places.r[i];
    before.v[i] = before.v_after[i], before.v_after[i] = v;
    places.advance(i, way);
  }
};

struct SymplecticEuler {
  Elements all;
  Points p;
  CompensatedPlaces places;
  Loads loads;
  Real mass_damping, h;
  Span<const Row4> forces;
  RTSIM_HD void operator()(Index i) const {
    if (p.inverse_mass[i] > 0)
      p.velocity[i] = p.velocity[i] +
                      h * (p.inverse_mass[i] * force_on(all, forces, i) +
                           loads.acceleration(i, p.inverse_mass[i]) - mass_damping * p.velocity[i]);
    places.advance(i, h * p.velocity[i]);
  }
};

}  // namespace

void assemble(const Exec& ex, const Assembly& k) {
  parallel_for(ex, "fem.assemble", k.diagonal.size, Assemble{k});
}

void split(const Exec& ex, Real scale, Span<BlockSlot> from, Span<BlockSlot> to) {
  parallel_for(ex, "fem.split", from.size, Split{scale, from, to});
}

void right_hand_side(const Exec& ex, const Elements& all, const Stepping& s,
                     Span<const Row4> forces, const BlockMatrix& A, Span<const Row4> turned,
                     Span<const Row4> w, Span<Row4> b) {
  parallel_for(ex, "fem.right_hand_side", b.size, RightSide{all, s, forces, A, turned, w, b});
}

Gradient gradient(const Exec& ex, const Elements& all, const Stepping& s, Span<const Row4> forces,
                  Span<const ContactConstraint> constraints, Span<const Row4> turned,
                  Span<const Row4> w, bool damped, Span<Row4> b) {
  return reduce(ex, "fem.gradient", b.size, Gradient{},
                FindGradient{all, s, forces, constraints, turned, w, damped, b}, AddSlopes{});
}

double force_scale(const Exec& ex, const Elements& all, const Stepping& s, Span<const Row4> forces,
                   Span<const Row4> w) {
  return reduce(ex, "fem.force_scale", s.points.mass.size, 0.0, ForceScale{all, s, forces, w},
                Plus{});
}

void force_on_held(const Exec& ex, const Elements& all, const Points& p, Real mass_damping,
                   Span<const Row4> forces, Span<Row4> to) {
  parallel_for(ex, "fem.force_on_held", p.mass.size, ForceOnHeld{all, p, mass_damping, forces, to});
}

void start(const Exec& ex, const Elements& all, const Points& p, const Loads& loads, Real along,
           Real part, Span<const Row4> forces, Span<Row4> u) {
  parallel_for(ex, "fem.start", u.size, Start{all, p, loads, along, part, forces, u});
}

void start_bdf2(const Exec& ex, const Points& p, const CompensatedPlaces& places,
                const StepBefore& before, const Loads& loads, Real h, Span<Row4> remainder,
                Span<Row4> u) {
  parallel_for(ex, "fem.start", u.size, StartBdf2{p, places, before, loads, h, remainder, u});
}

void finish(const Exec& ex, const Points& p, const CompensatedPlaces& places, const Places& at,
            Span<const ContactConstraint> constraints, bool beyond, Span<Vec<3>> v_after) {
  parallel_for(ex, "fem.finish", p.mass.size, Finish{p, places, at, constraints, beyond, v_after});
}

void finish_bdf2(const Exec& ex, const Points& p, const CompensatedPlaces& places,
                 const StepBefore& before, const Places& at, Real h) {
  parallel_for(ex, "fem.finish", p.mass.size, FinishBdf2{p, places, before, at, h});
}

void symplectic_euler(const Exec& ex, const Elements& all, const Points& p,
                      const CompensatedPlaces& places, const Loads& loads, Real mass_damping,
                      Real h, Span<const Row4> forces) {
  parallel_for(ex, "fem.step", p.mass.size,
               SymplecticEuler{all, p, places, loads, mass_damping, h, forces});
}

void seek(const Exec& ex, const Points& p, const CompensatedPlaces& places, const Seeking& k) {
  parallel_for(ex, "fem.seek", k.w.size, Seek{p, places, k});
}

void copy(const Exec& ex, const CompensatedPlaces& from, const CompensatedPlaces& to) {
  parallel_for(ex, "fem.copy", from.x.size, CopyPlaces{from, to});
}
bool same(const Exec& ex, const CompensatedPlaces& a, const CompensatedPlaces& b) {
  return reduce(ex, "fem.same", a.x.size, Index(0), Differs{a, b}, Plus{}) == 0;
}

}  // namespace rtsim::fem
