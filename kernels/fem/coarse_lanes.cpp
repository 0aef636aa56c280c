#include <vector>

#include "exec/parallel.h"
#include "fem/coarse.h"
#include "lanes/lanes.h"

// Eight points at once.
namespace rtsim::fem {

namespace {

using L = Lanes<Real>;

constexpr Index slices_per_task = 128, groups_per_task = 16;

struct Three {
  L x, y, z;

  friend Three operator+(const Three& a, const Three& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Three cross(const Three& a, const Three& b) {
    return {fma(a.y, b.z, L(0) - a.z * b.y), fma(a.z, b.x, L(0) - a.x * b.z),
            fma(a.x, b.y, L(0) - a.y * b.x)};
  }
  friend L dot(const Three& a, const Three& b) { return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z)); }
};

Three vector(const Lanes4<Real>& r) { return {r.x, r.y, r.z}; }
// S v
Three through(const Lanes4<Real>& s, const Three& v) {
  const L along = dot(vector(s), v);
  return {s.w * fnma(along, s.x, v.x), s.w * fnma(along, s.y, v.y), s.w * fnma(along, s.z, v.z)};
}

struct ForceAndMoment {
  Three force{L(0), L(0), L(0)}, moment{L(0), L(0), L(0)};
};

// Of the points members[0] to members[7].
ForceAndMoment on_eight(const RigidGroups& k, const Index* members, Span<const Row4> r) {
  const Three f = through(load_rows(k.filter.data, members), vector(load_rows(r.data, members)));
  return {f, cross(vector(load_rows(k.arm.data, members)), f)};
}

// The points of a group by eights, the last ones again where they are no more: of those one lane
// each counts.
Six on_group(const RigidGroups& k, Index g, Span<const Row4> r) {
  const Index begin = k.first[g], end = k.first[g + 1];
  ForceAndMoment sum;
  Index e = begin;
  for (; e + lane_count <= end; e += lane_count) {
    const ForceAndMoment more = on_eight(k, k.member.data + e, r);
    sum = {sum.force + more.force, sum.moment + more.moment};
  }
  if (e < end) {
    Index members[lane_count];
    Real counts[lane_count];
    for (Index l = 0; l < lane_count; ++l) {
      members[l] = k.member[e + l < end ? e + l : end - 1];
      counts[l] = e + l < end ? Real(1) : Real(0);
    }
    const ForceAndMoment more = on_eight(k, members, r);
    const L c = L::load(counts);
    sum.force = sum.force + Three{c * more.force.x, c * more.force.y, c * more.force.z};
    sum.moment = sum.moment + Three{c * more.moment.x, c * more.moment.y, c * more.moment.z};
  }
  return {{double(sum.force.x.sum()), double(sum.force.y.sum()), double(sum.force.z.sum()),
           double(sum.moment.x.sum()), double(sum.moment.y.sum()), double(sum.moment.z.sum())}};
}

double prolongate_slice(const RigidGroups& k, const Row4* shift, const Row4* turn, Index low,
                        Span<const Row4> r, Span<Row4> q) {
  const Index* group = k.group.data + low;
  const Three w = vector(load_rows(turn, group)), a = vector(load_rows(k.arm.data + low)),
              z = through(load_rows(k.filter.data + low),
                          vector(load_rows(shift, group)) + cross(w, a)),
              more = vector(load_rows(q.data + low)) + z;
  store_rows(q.data + low, {more.x, more.y, more.z, L(0)});
  return double(dot(z, vector(load_rows(r.data + low))).sum());
}

}  // namespace

void restrict_lanes(const Exec& ex, const RigidGroups& k, Span<const Row4> r, Span<Six> to) {
  parallel_chunks(ex, "fem.restrict", to.size, groups_per_task, [&](Index begin, Index end) {
    for (Index g = begin; g < end; ++g) to[g] = on_group(k, g, r);
  });
}

double prolongate_lanes(const Exec& ex, const RigidGroups& k, Span<const Six> x, Span<const Row4> r,
                        Span<Row4> q) {
  std::vector<Row4> shift, turn;
  for (Index g = 0; g < x.size; ++g) {
    shift.push_back({Real(x[g][0]), Real(x[g][1]), Real(x[g][2]), 0});
    turn.push_back({Real(x[g][3]), Real(x[g][4]), Real(x[g][5]), 0});
  }
  const Index slices = k.group.size / lane_count;
  std::vector<double> part(std::size_t((slices + slices_per_task - 1) / slices_per_task));
  parallel_chunks(ex, "fem.prolongate", slices, slices_per_task, [&](Index begin, Index end) {
    double sum = 0;
    for (Index slice = begin; slice < end; ++slice)
      sum += prolongate_slice(k, shift.data(), turn.data(), slice * lane_count, r, q);
    part[std::size_t(begin / slices_per_task)] = sum;
  });
  double sum = 0;
  for (const double one : part) sum += one;
  return sum;
}

}  // namespace rtsim::fem
