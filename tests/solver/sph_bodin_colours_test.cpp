#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "base/random.h"
#include "particles/particle_cells.h"
#include "sph_bodin/colours.h"
#include "sph_bodin/sph_bodin.h"

using namespace rtsim;

namespace {

// Between -1 and 1, by row and axis.
Real noise(std::size_t i, int k) {
  return Real(2 * uniform(philox(5, 0, std::uint32_t(k), std::uint32_t(i)).c[0]) - 1);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("sph_bodin: rows of one colour in different cells share no row", "",
                       ((int D), D), 2, 3) {
  const Exec ex = Exec::cpu(2);
  const Index n = 400;
  const double h = D == 2 ? 0.1 : 0.25;
  std::vector<Vec<D>> x(n);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int k = 0; k < D; ++k) x[i][k] = Real(0.5) + noise(i, k);  // from -0.5 to 1.5
  // With a stray the grid covers the unit box alone: most rows lie beyond it.
  const bool stray = GENERATE(false, true);
  if (stray) x[7][0] = Real(3e6), x[7][1] = Real(3e6);
  Table t(ex, "points", n);
  t.add<Vec<D>>({"position", "m"}, x);
  ParticleCells<D> cells(ex, h, {{0, 0, 0}, {1, 1, D == 3 ? Real(1) : Real(0)}});
  cells.sort(t);
  const CellRows rows = cells.view();
  sph_bodin::ColouredCells coloured(ex);
  sph_bodin::colour_cells(ex, rows, coloured);

  const auto written = [&](Index i) {  // by the update of row i
    std::set<Index> out;
    const auto home = sph_bodin::CellPlace::of(rows.grid, rows.rows[i]);
    for (Index j = 0; j < n; ++j) {
      const auto d = sph::separation<Real>(rows.rows[i], rows.rows[j], PeriodicBox{});
      const bool beside = home.beside(sph_bodin::CellPlace::of(rows.grid, rows.rows[j]));
      if (double(d.r2) < 0.999 * h * h) CHECK(beside);  // no neighbour is lost
      if (double(d.r2) < h * h && beside) out.insert(j);
    }
    return out;
  };
  std::set<Index> visited;
  std::size_t several = 0;
  for (int c = 0; c < sph_bodin::colours; ++c) {
    std::map<Index, Index> writer;  // of a row, in this colour: the cell
    std::size_t of_colour = 0;
    for (Index k = coloured.first[std::size_t(c)]; k < coloured.first[std::size_t(c + 1)]; ++k) {
      const Index cell = coloured.cells.span()[k];
      ++of_colour;
      for (Index i = rows.first[cell]; i < rows.first[cell + 1]; ++i) {
        CHECK(visited.insert(i).second);
        for (Index j : written(i)) CHECK(writer.emplace(j, cell).first->second == cell);
      }
    }
    several += of_colour > 1;
  }
  CHECK(visited.size() == std::size_t(n));
  CHECK(several > 4);  // colours with work for more than one thread
}
