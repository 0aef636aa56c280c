#include <vector>

#include "block_cg/lanes.h"
#include "exec/parallel.h"
#include "lanes/lanes.h"

namespace rtsim::block_cg {

namespace {

using L = Lanes<Real>;

constexpr Index slices_per_task = 128;

// What the groups of eight points answer, filtered.
Lanes4<Real> of_groups(const Levels& k, Index low) {
  const Lanes4<Real> z = load_rows(k.z.data, k.point_parent.data + low),
                     s = load_rows(k.filter.data + low);
  const L along = fma(s.x, z.x, fma(s.y, z.y, s.z * z.z));
  return {s.w * fnma(along, s.x, z.x), s.w * fnma(along, s.y, z.y), s.w * fnma(along, s.z, z.z),
          L(0)};
}

Squares precondition_slice(const Vectors& s, Index slice) {
  const Index low = slice * lane_count;
  const Lanes4<Real> r = load_rows(s.r.data + low);
  const Sym3Slot& m = s.inverse_diagonal[slice];
  const L xx = L::load(m.xx), yy = L::load(m.yy), zz = L::load(m.zz), xy = L::load(m.xy),
          xz = L::load(m.xz), yz = L::load(m.yz);
  L x = fma(xx, r.x, fma(xy, r.y, xz * r.z)), y = fma(xy, r.x, fma(yy, r.y, yz * r.z)),
    z = fma(xz, r.x, fma(yz, r.y, zz * r.z));
  const double rr = double(fma(r.x, x, fma(r.y, y, r.z * z)).sum());
  if (s.levels.size() > 0) {
    const Lanes4<Real> more = of_groups(s.levels, low);
    x = x + more.x, y = y + more.y, z = z + more.z;
  }
  store_rows(s.q.data + low, {x, y, z, L(0)});
  return {double(fma(r.x, x, fma(r.y, y, r.z * z)).sum()), rr};
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
                      sum = {sum.rz + one.rz, sum.rr + one.rr};
                    }
                    part[std::size_t(begin / slices_per_task)] = sum;
                  });
  Squares sum;
  for (const Squares& one : part) sum = {sum.rz + one.rz, sum.rr + one.rr};
  return sum;
}

}  // namespace rtsim::block_cg
