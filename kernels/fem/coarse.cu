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
  Span<Vec3d> place;
  RTSIM_HD void operator()(Index g) const {
    Vec3d sum;
    const Index begin = k.first[g], end = k.first[g + 1];
    for (Index e = begin; e < end; ++e) sum = sum + widen(vector(position[k.member[e]]));
    const Vec3d c = 1. / double(end - begin) * sum;
    place[g] = c;
    for (Index e = begin; e < end; ++e) {
      const Vec<3> a = narrow<3>(widen(vector(position[k.member[e]])) - c);
      arm[k.member[e]] = {a[0], a[1], a[2], 0};
    }
  }
};

RTSIM_HD bool is_free(const RigidGroups& k, Index i) {
  const Row4 f = k.filter[i];
  return f.w > 0 && f.x == 0 && f.y == 0 && f.z == 0;
}

RTSIM_HD void add(const Motions& a, const Motions& b, Block6& to) {
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) to[6 * r + c] += double(dot(a.column[r], b.column[c]));
}

// Y_i^T (m_i Y_i + sum_j N_ij (Y_i - Y_j)) of member e, with Y_j = 0 in other groups: differences,
// so that what a group shares does not round.
struct OwnBlock {
  CoarseAssembly k;
  RTSIM_HD Block6 operator()(Index e) const {
    const Index i = k.groups.member[e], l = i % lane_count, g = k.groups.group[i];
    Block6 block;
    if (!(k.groups.filter[i].w > 0)) return block;
    const Motions y_i = motions(k.groups, i);
    Motions sum;
    for (int c = 0; c < 6; ++c) sum.column[c] = k.A.inertia[i] * y_i.column[c];
    for (Index s = k.A.first[i / lane_count]; s < k.A.first[i / lane_count + 1]; ++s) {
      const Index j = k.A.blocks[s].other[l];
      if (j != i) add_difference(k.A.blocks[s][l], y_i, i, j, k.groups.group[j] == g, sum);
    }
    add(y_i, sum, block);
    return block;
  }
  RTSIM_HD void add_difference(const Mat3<Real>& n, const Motions& y_i, Index i, Index j, bool same,
                               Motions& to) const {
    if (same && is_free(k.groups, i) && is_free(k.groups, j))
      return add_turn(n, vector(k.groups.arm[i]) - vector(k.groups.arm[j]), to);
    const Motions y_j = same ? motions(k.groups, j) : Motions{};
    for (int c = 0; c < 6; ++c) to.column[c] = to.column[c] + n * (y_i.column[c] - y_j.column[c]);
  }
  // N (e_c x d): what is left of differences between free points of one group.
  RTSIM_HD static void add_turn(const Mat3<Real>& n, const Vec<3>& d, Motions& to) {
    for (int c = 0; c < 3; ++c) {
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      for (int r = 0; r < 3; ++r) to.column[3 + c][r] += n.row[r][b] * d[a] - n.row[r][a] * d[b];
    }
  }
};

// -Y_i^T N_ij Y_j of points i in one group and j in another.
struct OtherBlock {
  CoarseAssembly k;
  RTSIM_HD void operator()(Index b) const {
    Block6 sum;
    for (Index e = k.first[b]; e < k.first[b + 1]; ++e) {
      const block_cg::BlockSlot& slot = k.A.blocks[k.part[e] / lane_count];
      const Index l = k.part[e] % lane_count, j = slot.other[l];
      const Mat3<Real> n = slot[l];
      const Motions y_j = motions(k.groups, j);
      Motions pulled;
      for (int c = 0; c < 6; ++c) pulled.column[c] = -(n * y_j.column[c]);
      add(motions(k.groups, k.point[e]), pulled, sum);
    }
    k.to.blocks[b] = sum;
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

void find_arms(const Exec& ex, const RigidGroups& k, Span<const Row4> position, Span<Row4> arm,
               Span<Vec3d> place) {
  parallel_for(ex, "fem.arms", place.size, FindArms{k, position, arm, place});
}

void assemble(const Exec& ex, const CoarseAssembly& k) {
  reduce_segments(ex, "fem.coarse_own", k.groups.first, Block6{}, OwnBlock{k}, Plus{}, k.to.own);
  parallel_for(ex, "fem.coarse_other", k.to.blocks.size, OtherBlock{k});
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
