#include "sim/build/thin_parts.h"

#include <fmt/format.h>

#include <cmath>

namespace rtsim {

namespace {

// What is exactly as thick as it has to be is thick enough.
constexpr double enough = 0.98;

struct Thin {
  double limit;  // [m]
  double least = INFINITY;
  Vec3d at{};
  std::size_t places = 0;

  void see(double thickness, const Vec3d& x) {
    if (!(thickness < enough * limit)) return;
    ++places;
    if (thickness < least) least = thickness, at = x;
  }
};

std::string place(const Vec3d& x, int dim) {
  return dim == 2 ? fmt::format("({:.3g}, {:.3g})", x[0], x[1])
                  : fmt::format("({:.3g}, {:.3g}, {:.3g})", x[0], x[1], x[2]);
}

}  // namespace

std::string thin_parts(const std::string& solid, const std::vector<SurfaceSample>& samples,
                       double spacing, int layers, int dim) {
  Thin wall{layers * spacing}, gap{spacing};
  for (const SurfaceSample& s : samples)
    wall.see(s.thickness.solid, s.position), gap.see(s.thickness.gap, s.position);
  std::string text;
  if (wall.places > 0)
    text = fmt::format(
        "'{}' is thinner than {:.3g} m at {} of {} samples, {:.2g} m at {}: fluid "
        "feels what is on its other side; there a spacing of {:.2g} m would do",
        solid, wall.limit, wall.places, samples.size(), wall.least, place(wall.at, dim),
        wall.least / layers);
  if (gap.places > 0)
    text += fmt::format(
        "{} gap narrower than {:.3g} m at {} of {} samples, {:.2g} m at {}: no "
        "fluid of this spacing flows in; there a spacing of {:.2g} m would do",
        text.empty() ? fmt::format("'{}' has a", solid) : "; it has a", gap.limit, gap.places,
        samples.size(), gap.least, place(gap.at, dim), gap.least);
  return text;
}

}  // namespace rtsim
