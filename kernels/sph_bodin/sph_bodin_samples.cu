#include "exec/parallel.h"
#include "exec/sort.h"
#include "sph_bodin/by_colours.h"
#include "sph_bodin/row4.h"
#include "sph_bodin/samples.h"

namespace rtsim::sph_bodin {

namespace {

template <class Kernel>
struct AssembleSample {
  Constraint law;
  Kernel density;
  sph::PairRows fluid, walls;
  Span<const Real> limit;
  SampleSystem out;

  RTSIM_HD void operator()(Index b) const {
    const Row4 p = walls.cells.rows[b], v = walls.motion[b];
    const CellPlace home = CellPlace::of(walls.cells.grid, p);
    Index at = out.first[b];
    Real shapes = 0, squares = 0, rate = 0;
    Row4 sum{0, 0, 0, 0};
    for (Index n = at; n < out.first[b + 1]; ++n) {
      const Index j = out.columns[n];
      const Row4 q = fluid.cells.rows[j], u = fluid.motion[j];
      const auto d = sph::separation<Real>(p, q, fluid.cells.grid.box);
      shapes += density.shape(d.r2);
      const Row4 e = law.entry(d, law.volume);
      if (dot3(e, e) == 0 || !home.beside(CellPlace::of(walls.cells.grid, q))) continue;
      out.entries[at] = e, out.columns[at] = j, ++at;
      squares += dot3(e, e);
      rate += e.x * (u.x - v.x) + e.y * (u.y - v.y) + e.z * (u.z - v.z);
      sum.x += e.x, sum.y += e.y, sum.z += e.z;
    }
    out.count[b] = at - out.first[b];
    const Real s = law.inv_mass * squares;
    out.inv_diagonal[b] = s > 0 ? 1 / (s + law.spook.softness) : Real(0);
    const Real g = law.volume * density.scale * shapes - limit[b];
    out.offset[b] = law.spook.restore * g - law.spook.keep * rate - dot3(sum, v);
  }
};

struct ColourOfSamples {
  CellGrid grid;
  Span<const Index> first_of_cell, first;
  Span<std::uint32_t> keys;
  RTSIM_HD void operator()(Index c) const {
    const Index nx = grid.count[0], ny = grid.count[1];
    const CellPlace at{c % nx, c / nx % ny, c / (nx * ny)};
    const bool any = first[first_of_cell[c]] < first[first_of_cell[c + 1]];
    keys[c] = std::uint32_t(any ? at.colour() : colours);
  }
};

RTSIM_HD inline void push_rows(const SampleSystem& s, Index b, Real change, Span<Row4> motion) {
  const Index end = s.first[b] + s.count[b];
  for (Index n = s.first[b]; n < end; ++n) {
    Row4& v = motion[s.columns[n]];
    v = fma(s.entries[n], all(change), v);
  }
}

struct ScaleSample {
  Real scale;
  SampleSystem s;
  Span<Real> multiplier;
  RTSIM_HD void operator()(Index b) const { multiplier[b] *= s.count[b] > 0 ? scale : Real(0); }
};

struct StartSample {
  Real inv_mass;
  SampleSystem s;
  Span<const Real> multiplier;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index b) const {
    if (multiplier[b] != 0) push_rows(s, b, multiplier[b] * inv_mass, motion);
  }
};

struct SolveSample {
  Constraint law;
  SampleSystem s;
  Span<Real> multiplier;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index b) const {
    if (s.count[b] == 0) return;
    Row4 sum{0, 0, 0, 0};
    for (Index n = s.first[b]; n < s.first[b] + s.count[b]; ++n)
      sum = fma(s.entries[n], motion[s.columns[n]], sum);
    const Real before = multiplier[b];
    const Real r = s.offset[b] + (sum.x + sum.y + sum.z) + law.spook.softness * before;
    const Real wanted = before - s.inv_diagonal[b] * r, after = wanted < 0 ? wanted : Real(0);
    if (after == before) return;
    multiplier[b] = after;
    push_rows(s, b, (after - before) * law.inv_mass, motion);
  }
};

struct PushOnSample {
  SampleSystem s;
  Span<const Real> multiplier;
  Span<Row4> force;
  RTSIM_HD void operator()(Index b) const {
    if (multiplier[b] == 0) return;
    Row4 sum{0, 0, 0, 0};
    for (Index n = s.first[b]; n < s.first[b] + s.count[b]; ++n)
      sum = fma(s.entries[n], all(-multiplier[b]), sum);
    Row4& f = force[b];
    f.x += sum.x, f.y += sum.y, f.z += sum.z;
  }
};

template <class Kernel>
void assemble_with(const Exec& ex, const Constraint& law, const Kernel& density,
                   const Neighbourhood& near, Span<const Real> limit, const SampleSystem& out) {
  parallel_for(ex, "sph_bodin.assemble_samples", limit.size,
               AssembleSample<Kernel>{law, density, near.fluid, near.walls, limit, out});
}

}  // namespace

void assemble_samples(const Exec& ex, const Constraint& law, const sph::Poly6& density,
                      const Neighbourhood& near, Span<const Real> limit, const SampleSystem& out) {
  assemble_with(ex, law, density, near, limit, out);
}
void assemble_samples(const Exec& ex, const Constraint& law, const sph::Poly6h& density,
                      const Neighbourhood& near, Span<const Real> limit, const SampleSystem& out) {
  assemble_with(ex, law, density, near, limit, out);
}

void colour_samples(const Exec& ex, const CellRows& walls, Span<const Index> first,
                    ColouredCells& out) {
  const std::size_t n = std::size_t(walls.grid.cells());
  out.keys.resize(n), out.cells.resize(n), out.first_of_key.resize(colours + 2);
  parallel_for(ex, "sph_bodin.colour", Index(n),
               ColourOfSamples{walls.grid, walls.first, first, out.keys.span()});
  bin_by_key(ex, "sph_bodin.colour", out.keys.span(), std::uint32_t(colours + 1), out.cells.span(),
             out.first_of_key.span());
  out.first = out.first_of_key.download();
}

void start_samples(const Exec& ex, const Constraint& law, const SampleSystem& s,
                   const CellRows& walls, const ColouredCells& coloured, Real scale,
                   Span<Real> multiplier, Span<Row4> motion) {
  parallel_for(ex, "sph_bodin.start", multiplier.size, ScaleSample{scale, s, multiplier});
  by_colours(ex, "sph_bodin.start", walls, coloured,
             StartSample{law.inv_mass, s, multiplier, motion});
}

void sweep_samples(const Exec& ex, const Constraint& law, const SampleSystem& s,
                   const CellRows& walls, const ColouredCells& coloured, Span<Real> multiplier,
                   Span<Row4> motion) {
  by_colours(ex, "sph_bodin.sweep_samples", walls, coloured,
             SolveSample{law, s, multiplier, motion});
}

void push_on_samples(const Exec& ex, const SampleSystem& s, Span<const Real> multiplier,
                     Span<Row4> force) {
  parallel_for(ex, "sph_bodin.on_walls", multiplier.size, PushOnSample{s, multiplier, force});
}

}  // namespace rtsim::sph_bodin
