#pragma once
#include "sph_bodin/colours.h"
#include "sph_bodin/sph_bodin.h"

namespace rtsim::sph_bodin {

// One row of the system. Near walks its neighbours: near.fluid(i, p, visit) and near.walls(...)
// call visit(j) for all that may lie within the support.
template <class Near>
struct AssembleRow {
  Near near;
  Constraint law;
  sph::PairRows fluid, walls;
  Span<const Real> density;
  Span<const Index> first;
  System out;

  RTSIM_HD void operator()(Index i) const {
    const Row4 p = fluid.cells.rows[i], v = fluid.motion[i];
    const CellPlace home = CellPlace::of(fluid.cells.grid, p);
    Sums s{first[i], {0, 0, 0, 0}, 0, 0};
    near.fluid(i, p, [&](Index j) {
      const Row4 q = fluid.cells.rows[j];
      const Row4 b = law.entry(sph::separation<Real>(p, q, fluid.cells.grid.box), law.volume);
      if (j == i || !home.beside(CellPlace::of(fluid.cells.grid, q))) return;
      if (add(b, j, fluid.motion[j], s)) s.others2 += b.x * b.x + b.y * b.y + b.z * b.z;
    });
    const Index split = s.at;
    Sums wall{s.at, s.own, 0, 0};
    near.walls(i, p, [&](Index b) {
      const Row4 q = walls.cells.rows[b];
      const sph::Separation<Real> d = sph::separation<Real>(p, q, fluid.cells.grid.box);
      Row4 entry = law.entry(d, q.w);
      entry.w = root(d.r2);
      add(entry, b, walls.motion[b], wall);
    });
    out.places[i] = {first[i], split - first[i], wall.at - split};
    s.own = wall.own;
    s.own.w = law.inv_diagonal(s.own, s.others2);
    out.own[i] = s.own;
    const Real rate = s.rate + wall.rate + s.own.x * v.x + s.own.y * v.y + s.own.z * v.z;
    const Real g = density[i] * law.inv_rest_density - 1;
    out.offset[i] = wall.rate + law.spook.restore * g - law.spook.keep * rate;
  }

  struct Sums {
    Index at;
    Row4 own;
    Real others2, rate;  // sum |G_ij|^2, sum G_ij . v_j
  };
  // False beyond the support, where the entry vanishes.
  RTSIM_HD bool add(const Row4& b, Index j, const Row4& u, Sums& s) const {
    if (b.x == 0 && b.y == 0 && b.z == 0) return false;
    out.entries[s.at] = b, out.columns[s.at] = j, ++s.at;
    s.own.x -= b.x, s.own.y -= b.y, s.own.z -= b.z;
    s.rate += b.x * u.x + b.y * u.y + b.z * u.z;
    return true;
  }
};

// Defined in sph_bodin_lists.cpp.
void count_in_lists(const Exec&, const neighbours::NeighbourLists&, Span<Index> counts);
void assemble_by_lists(const Exec&, const Constraint&, const Neighbourhood&,
                       Span<const Real> density, Span<const Index> first, const System&);

}  // namespace rtsim::sph_bodin
