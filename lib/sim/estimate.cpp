#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "shapes/sample.h"
#include "sim/build.h"

namespace rtsim {

namespace {

// Measured with `rtsim bench`: columns, cell order, neighbour lists. Lists grow with the kernel.
constexpr double particle_bytes = 280, sample_bytes = 120;

double surface_rows(const Bounds& b, double spacing, int dim) {
  double side[3] = {0, 0, 0};
  for (int k = 0; k < dim; ++k) {
    const double extent = b.max[k] - b.min[k];
    side[k] = std::isfinite(extent) ? extent / spacing + 2 : 0;
  }
  if (dim == 2) return 2 * (side[0] + side[1]);
  return 2 * (side[0] * side[1] + side[1] * side[2] + side[2] * side[0]);
}

}  // namespace

std::vector<ObjectEstimate> estimate(const Scene& scene) {
  double finest = 0;  // boundaries are sampled as finely as the finest particles
  for (const ObjectSpec& o : scene.objects)
    if (o.kind == Kind::particles) finest = finest == 0 ? o.spacing : std::min(finest, o.spacing);

  std::vector<ObjectEstimate> result;
  for (const ObjectSpec& o : scene.objects) {
    double rows = 0;
    for (const ShapeSpec& s : o.fill)
      rows += estimate_volume(*make_shape(s, scene.dim), scene.dim) / std::pow(o.spacing, scene.dim);
    for (const ShapeSpec& s : o.shape)
      if (finest > 0) rows += surface_rows(make_shape(s, scene.dim)->surface_bounds(), finest, scene.dim);
    result.push_back({o.name, rows, rows * (o.kind == Kind::particles ? particle_bytes : sample_bytes)});
  }
  return result;
}

double machine_memory() {
  double bytes = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  double limit = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

}  // namespace rtsim
