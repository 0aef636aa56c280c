#include "solvers/shallow_water/water_under_hulls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/conjugate_gradients.h"
#include "bodies/six_unknowns.h"
#include "shallow_water/friction.h"

namespace rtsim {

namespace {

using Screw = std::array<double, 6>;

double dot(const Screw& a, const Screw& b) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += a[std::size_t(i)] * b[std::size_t(i)];
  return sum;
}

// Between two cells that are near.
struct Face {
  Index low, high;     // cells
  double* discharge;   // [m^2/s]
  double depth;        // [m]
  double coefficient;  // dt^2 g depth / spacing^2
};

// What a body's velocity does to the room in a cell, h_t = k . V, and head there to the body,
// rho g dx^2 k w, so that what is to be solved is the gradient of a convex function of heads. The
// part `level` of its motion along x and z is that of the substep's start. With D_f(w) what the
// hull takes of a face, a cell's room changes by its D_f(w_c) at either side, and the force is the
// integral of that over heads: by the mean of both (w_l - w_r) (D_l + D_r) / 2. `level` has the
// mean, and `drift` is the rest of h_t with the velocity that the body comes with.
struct Term {
  Index cell;
  Screw level, k;
  double drift;  // [m/s]
};
struct Piece {
  std::size_t term;
  double area, x, y, z;
};
struct Floating {
  std::size_t body;
  Vec3d centre;
  std::vector<Term> terms;
  std::vector<Piece> pieces;
  Screw velocity;  // without the water's push
  Screw push;      // over rho g dx^2
  Screw yields;    // the velocity with it
  Matrix6 gives;   // how that changes with more push
};

class UnderHulls {
 public:
  UnderHulls(WaterLines& water, const shallow_water::Flow& flow, double density, double dt,
             std::span<const PlacedHull> hulls, BodyMotions& bodies)
      : l_(water),
        flow_(flow),
        dt_(dt),
        g_(double(flow.g)),
        weight_(density * g_ * water.spacing * water.spacing),
        enough_(1e-9 * water.spacing),
        bodies_(bodies),
        head_(l_.bed) {
    for (std::size_t c = 0; c < head_.size(); ++c) head_[c] += l_.depth[c] + l_.displaced[c];
    find_faces();
    for (std::size_t b = 0; b < hulls.size(); ++b)
      if (!hulls[b].surface.facets.empty()) add_body(b, hulls[b]);
    find_coefficients();
  }

  void step() {
    carry_momentum();
    leave_no_debt();
    find_room();
    find_heads();
    apply();
  }

 private:
  std::size_t at(Index c) const { return std::size_t(c); }

  void find_faces() {
    const auto add = [&](Index low, Index high, double& q, std::vector<std::size_t>& face_of) {
      if (!l_.near[at(low)] || !l_.near[at(high)]) return;
      const double below = std::max(0.0, head_[at(low)] - l_.bed[at(low)]),
                   above = std::max(0.0, head_[at(high)] - l_.bed[at(high)]);
      face_of[at(low)] = faces_.size();
      faces_.push_back({low, high, &q, 0.5 * (below + above), 0});
    };
    for (auto& all : face_of_) all.assign(head_.size(), none);
    for (Index k = 0; k < l_.count; ++k)
      for (Index i = 0; i < l_.nx; ++i) {
        const Index c = i + l_.nx * k;
        if (i > 0) add(c - 1, c, l_.face_x[at(c + k)], face_of_[0]);
        if (k > 0) add(c - l_.nx, c, l_.face_z[at(c)], face_of_[1]);
      }
  }
  // When bodies have taken their part of the faces. Through what they close nothing flows, and from
  // a dry cell nothing by pressure.
  void find_coefficients() {
    const double factor = dt_ * dt_ * g_ / (l_.spacing * l_.spacing);
    joined_.resize(head_.size());
    std::iota(joined_.begin(), joined_.end(), Index(0));
    for (Face& f : faces_) {
      const Index from = head_[at(f.low)] > head_[at(f.high)] ? f.low : f.high;
      if (f.depth <= 0) *f.discharge = 0;
      if (l_.depth[at(from)] <= double(flow_.dry)) f.depth = 0;
      f.depth = std::max(0.0, f.depth), f.coefficient = factor * f.depth;
      if (f.coefficient > 0) joined_[at(first_joined(f.high))] = first_joined(f.low);
    }
  }
  // Of the cells between which pressure can move water.
  Index first_joined(Index c) {
    while (joined_[at(c)] != c) c = joined_[at(c)] = joined_[at(joined_[at(c)])];
    return c;
  }

  // Of a hull's segments on a face, by its lower cell, at the mean head of both.
  void add_faces(const std::vector<HullSegment>& segments, Index stride, int axis, double height,
                 std::vector<std::size_t>& term_of, Floating& f) {
    for (const HullSegment& s : segments) {
      const Index low = s.cell - l_.nx * l_.first, high = low + stride;
      if (low < 0 || high >= l_.cells()) continue;
      const std::size_t face = face_of_[at(axis / 2)][at(low)];
      if (face == none) continue;
      const double y = std::max(s.y, 0.5 * (l_.bed[at(low)] + l_.bed[at(high)]));
      const auto depth = [&](double head) { return std::max(0.0, head - y); };
      const double mean = depth(0.5 * (head_[at(low)] + head_[at(high)]));
      faces_[face].depth -= s.length * mean;
      for (const Index c : {low, high}) {
        const double by = (c == low ? 1 : -1) * s.length / l_.spacing;
        Vec3d k, r = centre_of(c) - f.centre;
        k[axis] = by, r[1] = height - f.centre[1];
        const Vec3d turn = cross(r, k);
        Term& t = term(c, term_of, f);
        const double own = depth(head_[at(c)]);
        for (int a = 0; a < 3; ++a) {
          t.level[at(a)] += mean * k[a], t.level[at(a + 3)] += mean * turn[a];
          t.drift += (own - mean) * (k[a] * f.velocity[at(a)] + turn[a] * f.velocity[at(a + 3)]);
        }
      }
    }
  }
  Term& term(Index c, std::vector<std::size_t>& term_of, Floating& f) {
    if (term_of[at(c)] == none) term_of[at(c)] = f.terms.size(), f.terms.push_back({c, {}, {}, 0});
    return f.terms[term_of[at(c)]];
  }
  Vec3d centre_of(Index c) const {
    return {{low_[0] + (double(c % l_.nx) + 0.5) * l_.spacing, 0,
             low_[2] + (double(c / l_.nx + l_.first) + 0.5) * l_.spacing}};
  }

  void add_body(std::size_t b, const PlacedHull& hull) {
    Floating f{b, hull.centre, {}, {}, {}, {}, {}, {}};
    const SolidMotion& m = bodies_.motions()[bodies_.bodies()[b].member];
    for (int a = 0; a < 3; ++a)
      f.velocity[at(a)] = m.velocity[a], f.velocity[at(a + 3)] = m.angular[a];
    f.yields = f.velocity;
    std::vector<std::size_t> term_of(at(l_.cells()), none);
    double volume = 0, moment = 0;
    for (const HullFacet& p : hull.surface.facets) {
      const Index c = p.cell - l_.nx * l_.first;
      term(c, term_of, f);
      const double y = std::max(p.y, l_.bed[at(c)]), depth = std::max(0.0, head_[at(c)] - y);
      f.pieces.push_back({term_of[at(c)], p.area, p.x - f.centre[0], y, p.z - f.centre[2]});
      volume += p.area * depth, moment += p.area * depth * (y + depth / 2);
    }
    // Pressure's slope along x and z acts on displaced columns at half their height.
    const double height = volume > 0 ? moment / volume : f.centre[1];
    add_faces(hull.surface.across_x, 1, 0, height, term_of, f);
    add_faces(hull.surface.across_z, l_.nx, 2, height, term_of, f);
    floating_.push_back(std::move(f));
  }

  // Upwind, as Stelling & Duinmeijer, "A staggered conservative scheme for every Froude number in
  // rapidly varied shallow water flows", Int. J. Numer. Meth. Fluids 43, 2003.
  void carry_momentum() {
    std::vector<double> next;
    for (const Face& f : faces_) next.push_back(carried(f));
    for (std::size_t k = 0; k < faces_.size(); ++k) *faces_[k].discharge = next[k];
  }
  // From a cell goes no more than it has left when what the finite volumes let through is gone:
  // where it is less, all that leaves it to cells that are near is scaled down.
  void leave_no_debt() {
    std::vector<double> left(head_.size(), 0), leaving(head_.size(), 0);
    for (Index c = 0; c < l_.cells(); ++c)
      left[at(c)] = l_.spacing / dt_ * (l_.depth[at(c)] + dt_ * double(flow_.rain)) - outflow(c);
    const auto from = [](const Face& f) { return *f.discharge > 0 ? f.low : f.high; };
    for (const Face& f : faces_) {
      left[at(f.low)] += *f.discharge, left[at(f.high)] -= *f.discharge;
      leaving[at(from(f))] += std::abs(*f.discharge);
    }
    for (const Face& f : faces_) {
      const double out = leaving[at(from(f))], most = std::max(0.0, left[at(from(f))]);
      if (out > most) *f.discharge *= most / out;
    }
  }
  double depth_at(Index c, Index stride, bool low_exists, bool high_exists) const {
    if (!low_exists) return l_.depth[at(c)];
    if (!high_exists) return l_.depth[at(c - stride)];
    return 0.5 * (l_.depth[at(c)] + l_.depth[at(c - stride)]);
  }
  double speed_x(Index i, Index k) const {
    const double h = depth_at(i + l_.nx * k, 1, i > 0, i < l_.nx);
    return l_.face_x[at(i + (l_.nx + 1) * k)] *
           double(shallow_water::over_depth<Real>(Real(h), flow_.dry));
  }
  double speed_z(Index i, Index k) const {
    const double h = depth_at(i + l_.nx * k, l_.nx, k > 0, k < l_.count);
    return l_.face_z[at(i + l_.nx * k)] *
           double(shallow_water::over_depth<Real>(Real(h), flow_.dry));
  }
  double carried(const Face& f) const {
    const bool x = f.high - f.low == 1;
    const Index i = f.high % l_.nx, k = f.high / l_.nx;
    const auto q = [&](Index di, Index dk) {  // along the face's axis
      return x ? l_.face_x[at(i + di + (l_.nx + 1) * (k + dk))]
               : l_.face_z[at(i + di + l_.nx * (k + dk))];
    };
    const auto u = [&](Index di, Index dk) {
      return x ? speed_x(i + di, k + dk) : speed_z(i + di, k + dk);
    };
    const auto upwind = [](double flow, double low, double high) {
      return flow * (flow > 0 ? low : high);
    };
    const Index ax = x ? 1 : 0, az = x ? 0 : 1;
    const double here = u(0, 0);
    double sum = upwind(0.5 * (q(0, 0) + q(ax, az)), here, u(ax, az)) -
                 upwind(0.5 * (q(-ax, -az) + q(0, 0)), u(-ax, -az), here);
    // Through the sides, by the mean of the two cells' faces there.
    const Index side = x ? k : i, sides = x ? l_.count : l_.nx;
    const auto across = [&](Index at_side) {
      return x ? 0.5 * (l_.face_z[at(i - 1 + l_.nx * at_side)] + l_.face_z[at(i + l_.nx * at_side)])
               : 0.5 * (l_.face_x[at(at_side + (l_.nx + 1) * (k - 1))] +
                        l_.face_x[at(at_side + (l_.nx + 1) * k)]);
    };
    if (side + 1 < sides) sum += upwind(across(side + 1), here, u(az, ax));
    if (side > 0) sum -= upwind(across(side), u(-az, -ax), here);
    const double moved = q(0, 0) - dt_ / l_.spacing * sum;
    if (!(flow_.roughness > 0)) return moved;
    return moved * double(shallow_water::left_by_friction(
                       Real(dt_) * flow_.roughness, Real(f.depth), Real(here), Real(0), flow_.dry));
  }

  double outflow(Index c) const {
    const Index k = c / l_.nx;
    return l_.face_x[at(c + k + 1)] - l_.face_x[at(c + k)] + l_.face_z[at(c + l_.nx)] -
           l_.face_z[at(c)];
  }
  // Depths without pressure's part.
  void find_room() {
    target_.assign(head_.size(), 0);
    for (Index c = 0; c < l_.cells(); ++c)
      if (l_.near[at(c)])
        target_[at(c)] = l_.depth[at(c)] + dt_ * double(flow_.rain) - dt_ / l_.spacing * outflow(c);
  }

  // dt rho g dx^2 / M.
  Matrix6 mobility(const Floating& f) const {
    const BodyMotions::Body& b = bodies_.bodies()[f.body];
    Matrix6 by = Matrix6::Zero();
    if (!b.yields) return by;
    for (int a = 0; a < 3; ++a) {
      by(a, a) = dt_ * weight_ * b.inverse_mass;
      Vec3d e;
      e[a] = 1;
      const Vec3d turn = dt_ * weight_ * b.turned_by(e);
      for (int i = 0; i < 3; ++i) by(3 + i, 3 + a) = turn[i];
    }
    return by;
  }
  // Where the water that lies over a piece ends below: with the body's velocity, or at the ground.
  double underside(const Floating& f, const Piece& p) const {
    const Screw& v = f.yields;
    return std::max(p.y + dt_ * (v[1] - p.z * v[3] + p.x * v[5]), l_.bed[at(f.terms[p.term].cell)]);
  }
  static Screw lift(const Piece& p) { return {0, p.area, 0, -p.z * p.area, 0, p.x * p.area}; }
  // The velocity V with which V - V0 = dt P(V) / M, of which P falls as pieces rise: Newton's
  // method.
  void yield(Floating& f) const {
    const Matrix6 by = mobility(f);
    const Eigen::Map<const Vector6> start(f.velocity.data());
    Eigen::Map<Vector6> v(f.yields.data());
    for (int k = 0; k < 20; ++k) {
      Matrix6 falls = Matrix6::Zero();
      f.push = {};
      for (const Term& t : f.terms)
        for (std::size_t a = 0; a < 6; ++a) f.push[a] += t.level[a] * head_[at(t.cell)];
      for (const Piece& p : f.pieces) {
        const double y = underside(f, p), depth = head_[at(f.terms[p.term].cell)] - y;
        if (depth <= 0) continue;
        const Screw up = lift(p);
        for (std::size_t a = 0; a < 6; ++a) f.push[a] += depth * up[a];
        if (y <= l_.bed[at(f.terms[p.term].cell)]) continue;
        const Eigen::Map<const Vector6> l(up.data());
        falls += dt_ / p.area * l * l.transpose();
      }
      const Eigen::Map<const Vector6> push(f.push.data());
      const Matrix6 slope = Matrix6::Identity() + by * falls;
      f.gives = solve_columns(slope, by);
      const Vector6 step = rtsim::solve(slope, start + by * push - v);
      v += step;
      if (dt_ * step.norm() < enough_) break;
    }
  }

  // What is left of h(w) + dt div Q(w) = h, and how h changes with w. Cells that have no room for
  // more at any head, nor have those that they are joined to, keep their water and their heads.
  void evaluate() {
    std::vector<double>& room = rest_;
    room.assign(head_.size(), 0), slope_.assign(head_.size(), 0);
    for (std::size_t c = 0; c < head_.size(); ++c) {
      if (!l_.near[c]) continue;
      room[c] = std::max(0.0, head_[c] - l_.bed[c]);
      slope_[c] = head_[c] >= l_.bed[c] ? 1 : 0;
    }
    for (Floating& f : floating_) take_room(f, room);
    std::vector<char> open(head_.size(), 0);
    for (Index c = 0; c < l_.cells(); ++c)
      if (slope_[at(c)] > least_slope) open[at(first_joined(c))] = 1;
    for (Floating& f : floating_)
      for (Term& t : f.terms)
        if (!open[at(first_joined(t.cell))]) t.k = {};
    for (Index c = 0; c < l_.cells(); ++c) {
      rest_[at(c)] = open[at(first_joined(c))] ? room[at(c)] - target_[at(c)] : 0;
      slope_[at(c)] = std::max(slope_[at(c)], least_slope);
    }
    for (const Face& f : faces_) {
      const double flow = f.coefficient * (head_[at(f.low)] - head_[at(f.high)]);
      rest_[at(f.low)] += flow, rest_[at(f.high)] -= flow;
    }
  }
  void take_room(Floating& f, std::vector<double>& room) {
    yield(f);
    for (Term& t : f.terms)
      t.k = t.level, room[at(t.cell)] += dt_ * (dot(t.level, f.yields) + t.drift);
    for (const Piece& p : f.pieces) {
      Term& t = f.terms[p.term];
      const double y = underside(f, p), depth = head_[at(t.cell)] - y;
      if (depth <= 0) continue;
      room[at(t.cell)] -= p.area * depth, slope_[at(t.cell)] -= p.area;
      if (y <= l_.bed[at(t.cell)]) continue;
      const Screw up = lift(p);
      for (std::size_t a = 0; a < 6; ++a) t.k[a] += up[a];
    }
  }

  // y = A x, the derivative of what is left.
  void apply_matrix(const std::vector<double>& x, std::vector<double>& y) const {
    for (std::size_t c = 0; c < x.size(); ++c) y[c] = slope_[c] * x[c];
    for (const Face& f : faces_) {
      const double flow = f.coefficient * (x[at(f.low)] - x[at(f.high)]);
      y[at(f.low)] += flow, y[at(f.high)] -= flow;
    }
    for (const Floating& f : floating_) {
      Vector6 push = Vector6::Zero();
      for (const Term& t : f.terms) push += x[at(t.cell)] * Eigen::Map<const Vector6>(t.k.data());
      const Vector6 v = dt_ * f.gives * push;
      for (const Term& t : f.terms) y[at(t.cell)] += Eigen::Map<const Vector6>(t.k.data()).dot(v);
    }
  }
  static double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
    return sum;
  }
  // With the diagonal but for the bodies' part as preconditioner.
  struct Cg {
    const UnderHulls& of;
    std::vector<double> inverse, r, x, z, p, ap;
    double rz, enough;

    double precondition() {
      for (std::size_t c = 0; c < r.size(); ++c) z[c] = inverse[c] * r[c];
      return product(r, z);
    }
    bool near() const { return !(rz > enough); }
    double residual_product() const { return rz; }
    void update_direction(double beta) {
      for (std::size_t c = 0; c < r.size(); ++c) p[c] = z[c] + beta * p[c];
    }
    double multiply() {
      of.apply_matrix(p, ap);
      return product(p, ap);
    }
    void advance(double alpha) {
      for (std::size_t c = 0; c < r.size(); ++c) x[c] += alpha * p[c], r[c] -= alpha * ap[c];
      rz = precondition();
    }
  };
  std::vector<double> solve(std::vector<double> r) const {
    std::vector<double> inverse = slope_;
    for (const Face& f : faces_)
      inverse[at(f.low)] += f.coefficient, inverse[at(f.high)] += f.coefficient;
    for (double& d : inverse) d = d > 0 ? 1 / d : 0;
    const std::vector<double> zero(r.size());
    Cg cg{*this, inverse, std::move(r), zero, zero, zero, zero, 0, 0};
    cg.rz = cg.precondition(), cg.enough = 1e-24 * cg.rz;
    conjugate_gradients(cg, int(10 * zero.size()));
    return cg.x;
  }
  // Newton's method. What is left is the gradient of a convex function, whose slope along a step
  // turns once: steps end near there, if a whole one goes far beyond.
  void find_heads() {
    evaluate();
    double most = 1;
    for (int k = 0; k < 100 && most >= enough_; ++k) {
      const std::vector<double> by = solve(rest_), from = head_;
      const double downhill = product(by, rest_);
      const auto slope_at = [&](double part) {
        for (std::size_t c = 0; c < head_.size(); ++c) head_[c] = from[c] - part * by[c];
        evaluate();
        return product(by, rest_);
      };
      double part = 1, slope = slope_at(1), low = 0, at_low = downhill, high = 1, at_high = slope;
      if (slope < -0.5 * downhill)
        for (int cut = 0; cut < 40 && std::abs(slope) > 0.5 * downhill; ++cut) {
          part = low + (high - low) * at_low / (at_low - at_high);
          slope = slope_at(part);
          if (slope > 0)
            low = part, at_low = slope, at_high *= 0.5;
          else
            high = part, at_high = slope, at_low *= 0.5;
        }
      most = 0;
      for (const double d : by) most = std::max(most, part * std::abs(d));
    }
  }

  void apply() {
    for (const Face& f : faces_)
      *f.discharge -= dt_ * g_ * f.depth / l_.spacing * (head_[at(f.high)] - head_[at(f.low)]);
    leave_no_debt();
    std::vector<char> covered(head_.size(), 0);
    for (const Floating& f : floating_)
      for (const Piece& p : f.pieces) covered[at(f.terms[p.term].cell)] = 1;
    for (Index c = 0; c < l_.cells(); ++c) {
      l_.displaced[at(c)] = 0;
      if (!l_.near[at(c)]) continue;
      const double h = l_.depth[at(c)] + dt_ * double(flow_.rain) - dt_ / l_.spacing * outflow(c);
      l_.depth[at(c)] = h > -enough_ ? std::max(h, 0.0) : h;
      if (covered[at(c)]) l_.displaced[at(c)] = std::max(0.0, head_[at(c)] - l_.bed[at(c)] - h);
    }
    // By the speeds at faces, as little water may let much through.
    for (Index c = 0; c < l_.cells(); ++c) {
      if (!l_.near[at(c)]) continue;
      const Index i = c % l_.nx, k = c / l_.nx;
      l_.discharge_x[at(c)] = 0.5 * l_.depth[at(c)] * (speed_x(i, k) + speed_x(i + 1, k));
      l_.discharge_z[at(c)] = 0.5 * l_.depth[at(c)] * (speed_z(i, k) + speed_z(i, k + 1));
    }
    for (const Floating& f : floating_) {
      const double by = dt_ * weight_;
      bodies_.push(f.body, by * Vec3d{{f.push[0], f.push[1], f.push[2]}},
                   by * Vec3d{{f.push[3], f.push[4], f.push[5]}});
    }
  }

  // Of cells that are dry or full, whose heads may have no effect at all.
  static constexpr double least_slope = 1e-6;
  static constexpr std::size_t none = std::size_t(-1);

  WaterLines& l_;
  const shallow_water::Flow& flow_;
  double dt_, g_, weight_;
  double enough_;  // [m] that heads are found to
  BodyMotions& bodies_;
  Vec3d low_ = l_.low;
  std::vector<double> head_, target_, rest_, slope_;
  std::vector<Index> joined_;  // to which other cell; the first to itself
  std::vector<Face> faces_;
  std::vector<std::size_t> face_of_[2];  // along x and z, by their lower cells
  std::vector<Floating> floating_;
};

}  // namespace

void move_water_under_hulls(WaterLines& lines, const shallow_water::Flow& flow, double density,
                            double h, std::span<const PlacedHull> hulls, BodyMotions& bodies) {
  UnderHulls(lines, flow, density, h, hulls, bodies).step();
}

std::vector<double> displaced_by(const WaterLines& l, std::span<const PlacedHull> hulls,
                                 const std::vector<double>& head) {
  std::vector<double> depth(std::size_t(l.cells()));
  for (const PlacedHull& hull : hulls)
    for (const HullFacet& p : hull.surface.facets) {
      const std::size_t c = std::size_t(p.cell - l.nx * l.first);
      depth[c] += p.area * std::max(0.0, head[c] - std::max(p.y, l.bed[c]));
    }
  return depth;
}

}  // namespace rtsim
