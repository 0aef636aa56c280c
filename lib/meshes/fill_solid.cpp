#include "meshes/fill_solid.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "meshes/cell_fill.h"
#include "meshes/delaunay.h"
#include "meshes/stuffing.h"

namespace rtsim {

namespace {

// Of a file in millimetres that is taken for metres, before it takes all memory.
void check_size(const Bounds& b, double spacing) {
  constexpr double most = 5e6;
  double cubes = 1;
  for (int a = 0; a < 3; ++a) cubes *= (b.max[a] - b.min[a]) / spacing + 2;
  if (cubes > most)
    throw Error(ExitCode::bad_input,
                fmt::format("the \"solid\" would have {:.2g} cells of {:.3g} m; use a larger "
                            "spacing, or \"scale\" in the transform of its shape where its file "
                            "is in millimetres",
                            cubes, spacing));
}

}  // namespace

CellMesh fill_solid(const SolidSpec& s) {
  std::vector<std::string> notes;
  const auto shape = make_mended_shape(s.shape.front(), s.largest_holes, notes);
  const Bounds b = shape->bounds();
  for (int a = 0; a < 3; ++a)
    if (!std::isfinite(b.max[a] - b.min[a]))
      throw Error(ExitCode::bad_input,
                  "a \"solid\" fills a finite shape; cut an infinite shape by a box");
  check_size(b, s.spacing);
  CellMesh m = s.method == SolidSpec::Method::delaunay
                   ? fill_delaunay(*shape, s.spacing, creases_of(s.shape.front(), s.spacing))
                   : stuff(*shape, s.spacing, s.coarsest_spacing.value_or(s.spacing));
  if (m.tets.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("no point of the \"solid\"'s lattice lies inside its shape, which is "
                            "{:.3g} m long; use a smaller spacing",
                            norm(b.max - b.min)));
  m.notes = std::move(notes);
  m.shape_volume = rtsim::shape_volume(*shape);
  return m;
}

}  // namespace rtsim
