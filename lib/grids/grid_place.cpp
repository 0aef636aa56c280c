#include "grids/grid_place.h"

#include <fmt/format.h>

#include "base/error.h"
#include "shapes/distance_field.h"

namespace rtsim {

void describe(Describe& d, SplatSpec& p) {
  d.vector("centre", p.centre, "m", "Where it is strongest.");
  d.required("radius", p.radius, "m", above(0), "Where it has fallen to 1/e.");
}

void describe(Describe& d, PlaceSpec& p) {
  d.nested("shape", p.shape, "Inside of this; its rim is a cell wide.", "shape");
  d.nested("splat", p.splat, "Around a point: exp(-(distance / radius)^2).");
  if (d.dim() != 0 && p.shape.has_value() == p.splat.has_value())
    d.fault("", "needs a \"shape\" or a \"splat\", and not both");
}

namespace {

constexpr double least_share = 1e-3;  // [cells]

}  // namespace

GridPlace::GridPlace(const Exec& ex, const PlaceSpec& p, const GridShape& g, const mac::Domain& d,
                     const std::string& what)
    : distance_(ex) {
  if (p.shape) {
    const auto shape = make_shape(*p.shape, d.dims);
    if (!shape->closed())
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}: the shape is an open mesh, which has no inside; close its holes", what));
    distance_.upload(distance_field(*shape, g, g.spacing));
  } else {
    for (int a = 0; a < d.dims; ++a)
      splat_.centre[a] = Real((p.splat->centre[a] - g.low[a]) / g.spacing);
    splat_.inverse_radius = Real(g.spacing / p.splat->radius);
  }
  if (source::share_of_cells(ex, d, place()) < least_share)
    throw Error(
        ExitCode::bad_input,
        fmt::format("{} meets no cell of the grid; move it inside, or make it larger", what));
}

source::Place GridPlace::place() const {
  source::Place p = splat_;
  if (distance_.size() > 0) p.distance = distance_.data();
  return p;
}

}  // namespace rtsim
