#include <limits>
#include <vector>

#include "block_cg/lanes.h"
#include "exec/parallel.h"
#include "lanes/lanes.h"

namespace rtsim::block_cg {

namespace {

using L = Lanes<Real>;

constexpr Index slices_per_task = 128;

// S v of eight points.
Lanes4<Real> filtered(const Lanes4<Real>& s, const L& x, const L& y, const L& z) {
  const L along = fma(s.x, x, fma(s.y, y, s.z * z));
  return {s.w * fnma(along, s.x, x), s.w * fnma(along, s.y, y), s.w * fnma(along, s.z, z), L(0)};
}

L dot(const Lanes4<Real>& a, const L& x, const L& y, const L& z) {
  return fma(a.x, x, fma(a.y, y, a.z * z));
}

Squares precondition_slice(const Vectors& s, Index slice) {
  const Index low = slice * lane_count;
  const Lanes4<Real> filter = load_rows(s.levels.filter.data + low),
                     all = load_rows(s.r.data + low), r = filtered(filter, all.x, all.y, all.z);
  const Sym3Slot& m = s.inverse_diagonal[slice];
  const L xy = L::load(m.xy), xz = L::load(m.xz), yz = L::load(m.yz);
  L x = dot(r, L::load(m.xx), xy, xz), y = dot(r, xy, L::load(m.yy), yz),
    z = dot(r, xz, yz, L::load(m.zz));
  // Where there is no inertia, r is zero.
  const L mass = max(L::load(s.inertia.data + low), L(std::numeric_limits<Real>::min()));
  const double bound = double((dot(r, r.x, r.y, r.z) / mass).sum());
  if (s.levels.size > 0) {
    const Lanes4<Real> more = load_rows(s.levels.z.data, s.levels.point_parent.data + low);
    x = x + more.x, y = y + more.y, z = z + more.z;
  }
  const Lanes4<Real> answer = filtered(filter, x, y, z);
  store_rows(s.q.data + low, answer);
  return {double(dot(r, answer.x, answer.y, answer.z).sum()), bound};
}

}  // namespace

Squares precondition_lanes(const Exec& ex, const Vectors& s) {
  const Index slices = s.r.size / lane_count;
  std::vector<Squares> part(std::size_t((slices + slices_per_task - 1) / slices_per_task));
  parallel_chunks(ex, "block_cg.precondition", slices, slices_per_task,
                  [&](Index begin, Index end) {
                    Squares sum;
                    for (Index slice = begin; slice < end; ++slice) {
                      const Squares one = precondition_slice(s, slice);
                      sum = {sum.rz + one.rz, sum.bound + one.bound};
                    }
                    part[std::size_t(begin / slices_per_task)] = sum;
                  });
  Squares sum;
  for (const Squares& one : part) sum = {sum.rz + one.rz, sum.bound + one.bound};
  return sum;
}

}  // namespace rtsim::block_cg
