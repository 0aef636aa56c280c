#include "fem/coarse.h"

#include "block_cg/levels.h"
#include "exec/segments.h"

namespace rtsim::fem {

namespace {

// The columns of S_i Z_i.
struct Motions {
  Vec<3> column[6];
};

RTSIM_HD Vec<3> vector(const Row4& r) { return {{r.x, r.y, r.z}}; }
RTSIM_HD Vec<3> through(const Row4& filter, const Vec<3>& v) {
  return block_cg::filtered(filter, {v[0], v[1], v[2], 0});
}

RTSIM_HD Motions motions(const RigidGroups& k, Index i) {
  const Row4 a = k.arm[i], f = k.filter[i];
  return {{through(f, {{1, 0, 0}}), through(f, {{0, 1, 0}}), through(f, {{0, 0, 1}}),
           through(f, {{0, -a.z, a.y}}), through(f, {{a.z, 0, -a.x}}),
           through(f, {{-a.y, a.x, 0}})}};
}

struct FindArms {
  RigidGroups k;
  Span<const Row4> position;
  Span<Row4> arm;
  RTSIM_HD void operator()(Index g) const {
    Vec3d sum;
    const Index begin = k.first[g], end = k.first[g + 1];
    for (Index e = begin; e < end; ++e) sum = sum + widen(vector(position[k.member[e]]));
    const Vec3d c = 1. / double(end - begin) * sum;
    for (Index e = begin; e < end; ++e) {
      const Vec<3> a = narrow<3>(widen(vector(position[k.member[e]])) - c);
      arm[k.member[e]] = {a[0], a[1], a[2], 0};
    }
  }
};

struct AssembleGroup {
  CoarseAssembly k;

  RTSIM_HD void operator()(Index g) const {
    for (Index b = k.row[g]; b < k.row[g + 1]; ++b) k.blocks[b] = {};
    for (Index e = k.groups.first[g]; e < k.groups.first[g + 1]; ++e)
      add_point(g, k.groups.member[e]);
  }
  // Y_i^T A_ij Y_j of all j, those of the own group as differences, so that what it shares does not
  // round.
  RTSIM_HD void add_point(Index g, Index i) const {
    if (!(k.groups.filter[i].w > 0)) return;
    const Motions y_i = motions(k.groups, i);
    const Index l = i % lane_count;
    Motions own;
    for (int c = 0; c < 6; ++c) own.column[c] = k.A.inertia[i] * y_i.column[c];
    for (Index e = k.A.first[i / lane_count]; e < k.A.first[i / lane_count + 1]; ++e) {
      const Index to = k.to[e * lane_count + l];
      if (to < 0) continue;
      const Mat3<Real> n = k.A.blocks[e][l];
      const Index j = k.A.blocks[e].other[l];
      const bool same = to == k.own[g];
      if (same && free(i) && free(j)) {
        add_turn(n, vector(k.groups.arm[i]) - vector(k.groups.arm[j]), own);
        continue;
      }
      const Motions y_j = motions(k.groups, j);
      Motions other;
      for (int c = 0; c < 6; ++c) {
        own.column[c] = own.column[c] + n * (same ? y_i.column[c] - y_j.column[c] : y_i.column[c]);
        other.column[c] = same ? Vec<3>{} : n * y_j.column[c];
      }
      if (!same) add(y_i, other, -1, k.blocks[to]);
    }
    add(y_i, own, 1, k.blocks[k.own[g]]);
  }
  RTSIM_HD bool free(Index i) const {
    const Row4 f = k.groups.filter[i];
    return f.w > 0 && f.x == 0 && f.y == 0 && f.z == 0;
  }
  // N (e_c x d): what is left of differences between free points of one group.
  RTSIM_HD static void add_turn(const Mat3<Real>& n, const Vec<3>& d, Motions& to) {
    for (int c = 0; c < 3; ++c) {
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      for (int r = 0; r < 3; ++r) to.column[3 + c][r] += n.row[r][b] * d[a] - n.row[r][a] * d[b];
    }
  }
  RTSIM_HD static void add(const Motions& a, const Motions& b, double sign, Block6& to) {
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) to[6 * r + c] += sign * double(dot(a.column[r], b.column[c]));
  }
};

// Of points on the place of their group.
struct ForceAndMoment {
  Vec<3> force, moment;
  RTSIM_HD friend ForceAndMoment operator+(const ForceAndMoment& a, const ForceAndMoment& b) {
    return {a.force + b.force, a.moment + b.moment};
  }
  RTSIM_HD operator Six() const {
    Six s;
    for (int a = 0; a < 3; ++a) s[a] = double(force[a]), s[a + 3] = double(moment[a]);
    return s;
  }
};
struct ForceOf {
  RigidGroups k;
  Span<const Row4> r;
  RTSIM_HD ForceAndMoment operator()(Index e) const {
    const Index i = k.member[e];
    const Vec<3> f = through(k.filter[i], vector(r[i]));
    return {f, cross(vector(k.arm[i]), f)};
  }
};

struct Prolongate {
  RigidGroups k;
  Span<const Six> x;
  Span<const Row4> r;
  Span<Row4> q;
  RTSIM_HD double operator()(Index i) const {
    const Six& g = x[k.group[i]];
    const Vec<3> t{{Real(g[0]), Real(g[1]), Real(g[2])}}, w{{Real(g[3]), Real(g[4]), Real(g[5])}};
    const Vec<3> z = through(k.filter[i], t + cross(w, vector(k.arm[i])));
    q[i] = {q[i].x + z[0], q[i].y + z[1], q[i].z + z[2], 0};
    return double(dot(z, vector(r[i])));
  }
};

}  // namespace

void find_arms(const Exec& ex, const RigidGroups& k, Span<const Row4> position, Span<Row4> arm) {
  parallel_for(ex, "fem.arms", k.first.size - 1, FindArms{k, position, arm});
}

void assemble_coarse(const Exec& ex, const CoarseAssembly& k) {
  parallel_for(ex, "fem.coarse", k.own.size, AssembleGroup{k});
}

void restrict_to(const Exec& ex, const RigidGroups& k, Span<const Row4> r, Span<Six> to) {
  if (ex.cpu_shaped()) return restrict_lanes(ex, k, r, to);
  reduce_segments(ex, "fem.restrict", k.first, ForceAndMoment{}, ForceOf{k, r}, Plus{}, to);
}

double prolongate(const Exec& ex, const RigidGroups& k, Span<const Six> x, Span<const Row4> r,
                  Span<Row4> q) {
  if (ex.cpu_shaped()) return prolongate_lanes(ex, k, x, r, q);
  return reduce(ex, "fem.prolongate", k.group.size, 0.0, Prolongate{k, x, r, q}, Plus{});
}

}  // namespace rtsim::fem
