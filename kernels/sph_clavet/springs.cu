#include "sph_clavet/springs.h"

#include "exec/parallel.h"
#include "sph/pairs.h"

namespace rtsim::sph_clavet {

namespace {

RTSIM_HD Real distance2(const Row4& p, const Row4& q, const PeriodicBox& images) {
  return sph::separation<Real>(p, q, images).r2;
}

// The plastic rest length: beyond d = gamma L of stretch or compression it follows,
//   L += dt alpha (r - L - d)  or  L -= dt alpha (L - d - r).
RTSIM_HD Real yielded(const SpringLaw& k, Real length, Real r) {
  const Real d = k.yield * length;
  if (r > length + d) return length + k.plasticity * (r - length - d);
  if (r < length - d) return length - k.plasticity * (length - d - r);
  return length;
}

RTSIM_HD bool has_spring(const SpringRows& s, Index i, std::uint32_t partner) {
  for (Index k = s.first[i], end = k + s.count[i]; k < end; ++k)
    if (s.partner[k] == partner) return true;
  return false;
}

// keep(partner, rest length) for each spring that row i goes on with: old ones in their order, then
// new ones in that of the cells. Springs of pairs beyond H stay as they are.
template <class Keep>
RTSIM_HD void for_springs(const SpringLaw& law, const SpringRows& s, Index i, const Keep& keep) {
  const Row4 p = s.rows.rows[i];
  const Real limit = law.support * law.support;
  for (Index k = s.first[i], end = k + s.count[i]; k < end; ++k) {
    const Index j = s.row_of[Index(s.partner[k])];
    if (j < 0) continue;
    const Real r2 = distance2(p, s.rows.rows[j], s.rows.grid.box), before = s.rest_length[k];
    const Real length = r2 < limit ? yielded(law, before, root(r2)) : before;
    if (length <= law.support) keep(s.partner[k], length);
  }
  const Real at[3] = {p.x, p.y, p.z};
  for_runs(s.rows, at, at, law.support, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const Real r2 = distance2(p, s.rows.rows[j], s.rows.grid.box);
      if (r2 >= limit || j == i || has_spring(s, i, s.id[j])) continue;
      keep(s.id[j], law.slack ? yielded(law, law.support, root(r2)) : root(r2));
    }
  });
}

struct Forget {
  Span<Index> row_of;
  RTSIM_HD void operator()(Index id) const { row_of[id] = -1; }
};
struct MapId {
  Span<const std::uint32_t> id;
  Span<Index> row_of;
  RTSIM_HD void operator()(Index i) const { row_of[Index(id[i])] = i; }
};

struct CountSprings {
  SpringLaw law;
  SpringRows old;
  Span<Index> count;
  RTSIM_HD void operator()(Index i) const {
    Index n = 0;
    for_springs(law, old, i, [&](std::uint32_t, Real) { ++n; });
    count[i] = n;
  }
};

struct FillSprings {
  SpringLaw law;
  SpringRows old;
  Span<const Index> first;
  Span<std::uint32_t> partner;
  Span<Real> rest_length;
  RTSIM_HD void operator()(Index i) const {
    Index k = first[i];
    for_springs(law, old, i, [&](std::uint32_t id, Real length) {
      partner[k] = id, rest_length[k] = length;
      ++k;
    });
  }
};

struct PullSprings {
  SpringLaw law;
  SpringRows springs;
  Span<Row4> shift;
  RTSIM_HD void operator()(Index i) const {
    const Row4 p = springs.rows.rows[i];
    Real x = 0, y = 0, z = 0;
    for (Index k = springs.first[i], end = k + springs.count[i]; k < end; ++k) {
      const Row4 q = springs.rows.rows[springs.row_of[Index(springs.partner[k])]];
      const sph::Separation<Real> d = sph::separation<Real>(p, q, springs.rows.grid.box);
      const Real r = root(d.r2), length = springs.rest_length[k];
      if (!(r > 0)) continue;
      const Real c = Real(0.5) * law.stiffness * (1 - length / law.support) * (length - r) / r;
      x = fma(c, d.x, x), y = fma(c, d.y, y), z = fma(c, d.z, z);
    }
    shift[i] = {shift[i].x + x, shift[i].y + y, shift[i].z + z, shift[i].w};
  }
};

}  // namespace

void map_ids(const Exec& ex, Span<const std::uint32_t> id, Span<Index> row_of) {
  parallel_for(ex, "sph_clavet.forget_ids", row_of.size, Forget{row_of});
  parallel_for(ex, "sph_clavet.map_ids", id.size, MapId{id, row_of});
}

void count_springs(const Exec& ex, const SpringLaw& law, const SpringRows& old, Span<Index> count) {
  parallel_for(ex, "sph_clavet.count_springs", count.size, CountSprings{law, old, count});
}

void fill_springs(const Exec& ex, const SpringLaw& law, const SpringRows& old,
                  Span<const Index> first, Span<std::uint32_t> partner, Span<Real> rest_length) {
  parallel_for(ex, "sph_clavet.fill_springs", first.size,
               FillSprings{law, old, first, partner, rest_length});
}

void pull_springs(const Exec& ex, const SpringLaw& law, const SpringRows& springs,
                  Span<Row4> shift) {
  parallel_for(ex, "sph_clavet.pull_springs", springs.id.size, PullSprings{law, springs, shift});
}

}  // namespace rtsim::sph_clavet
