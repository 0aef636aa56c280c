#include "exec/parallel.h"
#include "sph_bodin/by_colours.h"
#include "sph_bodin/row4.h"
#include "sph_bodin/sph_bodin.h"

// What happens between neighbours beside pressure: friction of pairs, and the pushes of walls.
namespace rtsim::sph_bodin {

namespace {

struct DissipateRow {
  Dissipation law;
  System s;
  Span<const Row4> wall_motion;
  Span<Row4> motion;

  RTSIM_HD void operator()(Index i) const {
    const EntryPlace at = s.places[i];
    for (Index k = at.first; k < at.first + at.fluid; ++k) {
      const Index j = s.columns[k];
      if (j > i) slow(s.entries[k], Real(2), motion[j], i, &motion[j]);
    }
    const Index walls = at.first + at.fluid;
    for (Index k = walls; k < walls + at.wall; ++k) {
      const Real lost = slow(s.entries[k], Real(1), wall_motion[s.columns[k]], i, nullptr);
      if (s.lost.size > 0) s.lost[k] += lost;
    }
  }
  // `partner` is what else gets the impulse: nothing that cannot move. Returns what i lost, times
  // b.
  RTSIM_HD Real slow(const Row4& b, Real movers, const Row4& u, Index i, Row4* partner) const {
    const Real length2 = dot3(b, b);
    if (!(length2 > 0)) return 0;
    Row4& v = motion[i];
    const Real length = root(length2);
    const Real approach = (b.x * (v.x - u.x) + b.y * (v.y - u.y) + b.z * (v.z - u.z)) / length;
    const Real c = law.lost(length, approach, movers) / length;
    v.x -= c * b.x, v.y -= c * b.y, v.z -= c * b.z;
    if (partner) partner->x += c * b.x, partner->y += c * b.y, partner->z += c * b.z;
    return c;
  }
};

struct KeepOutRow {
  static constexpr int most_rounds = 8;  // in a corner one sample's push may be against another's
  Contact law;
  System s;
  Span<const Row4> wall_motion;
  Span<Row4> motion;

  RTSIM_HD void operator()(Index i) const {
    for (int round = 0; round < most_rounds; ++round)
      if (!pushed(i)) return;
  }
  RTSIM_HD bool pushed(Index i) const {
    const EntryPlace at = s.places[i];
    const Index walls = at.first + at.fluid;
    bool any = false;
    for (Index k = walls; k < walls + at.wall; ++k) {
      const Row4 b = s.entries[k], u = wall_motion[s.columns[k]];
      Row4& v = motion[i];
      const Real inv = 1 / root(dot3(b, b)), x = b.x * inv, y = b.y * inv, z = b.z * inv;
      const Real c = law.missing(b.w, x * (v.x - u.x) + y * (v.y - u.y) + z * (v.z - u.z));
      v.x += c * x, v.y += c * y, v.z += c * z;
      if (s.lost.size > 0) s.lost[k] -= c * inv;
      any = any || c > 0;
    }
    return any;
  }
};

// Gathers over the rows near sample b, each of which finds b among its own entries.
struct PushOnWall {
  Real support, mass_rate;  // m / dt [kg/s]
  System s;
  CellRows fluid, walls;
  Span<const Real> multiplier;
  Span<Row4> force;
  RTSIM_HD void operator()(Index b) const {
    const Row4 q = walls.rows[b];
    const Real at[3] = {q.x, q.y, q.z};
    Row4 sum{0, 0, 0, 0};
    const auto meet = [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) sum = pushed_by(i, b, sum);
    };
    if (walls.own > 0)
      meet(b / walls.own, b / walls.own + 1);
    else
      for_runs(fluid, at, at, support, meet);
    Row4& f = force[b];
    f.x += sum.x, f.y += sum.y, f.z += sum.z;
  }
  RTSIM_HD Row4 pushed_by(Index i, Index b, const Row4& sum) const {
    const EntryPlace at = s.places[i];
    const Index walls_of = at.first + at.fluid;
    for (Index k = walls_of; k < walls_of + at.wall; ++k)
      if (s.columns[k] == b)
        return fma(s.entries[k], all(rtsim::fma(mass_rate, s.lost[k], multiplier[i])), sum);
    return sum;
  }
};

}  // namespace

void dissipate(const Exec& ex, const Dissipation& law, const System& s, const CellRows& rows,
               const ColouredCells& coloured, Span<const Row4> wall_motion, Span<Row4> motion) {
  by_colours(ex, "sph_bodin.dissipate", rows, coloured, DissipateRow{law, s, wall_motion, motion});
}

void keep_out(const Exec& ex, const Contact& law, const System& s, Span<const Row4> wall_motion,
              Span<Row4> motion) {
  parallel_for(ex, "sph_bodin.keep_out", motion.size, KeepOutRow{law, s, wall_motion, motion});
}

void push_on_walls(const Exec& ex, const Constraint& law, const System& s,
                   const Neighbourhood& near, Span<const Real> multiplier, Real dt,
                   Span<Row4> force) {
  const CellRows &fluid = near.fluid.cells, &walls = near.walls.cells;
  parallel_for(
      ex, "sph_bodin.on_walls", walls.rows.size,
      PushOnWall{law.kernel.support, 1 / (law.inv_mass * dt), s, fluid, walls, multiplier, force});
}

}  // namespace rtsim::sph_bodin
