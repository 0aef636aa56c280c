#include "pbd/pressure.h"

#include "exec/parallel.h"

namespace rtsim::pbd {

namespace {

RTSIM_HD Vec<3> place(const Row4& r) { return {{r.x, r.y, r.z}}; }
RTSIM_HD const Vec<3>& place(const Vec<3>& x) { return x; }

template <class Place>
struct TriangleVolume {
  Surface surface;
  Span<const Place> points;
  RTSIM_HD double operator()(Index t) const {
    const auto& c = surface.triangles[t];
    const Vec<3> o = place(points[0]);
    const Vec<3> a = place(points[c[0]]) - o, b = place(points[c[1]]) - o,
                 d = place(points[c[2]]) - o;
    return double(dot(cross(a, b), d)) / 6;
  }
};

struct VolumeGradient {
  Surface surface;
  Span<const Row4> points;
  Span<Vec<3>> gradient;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> o = place(points[i]);
    Vec<3> sum;
    for (Index k = surface.first[i], end = surface.first[i + 1]; k < end; ++k) {
      const Index slot = surface.slots[k];
      const auto& c = surface.triangles[slot / 3];
      const int at = int(slot % 3);
      sum = sum + cross(place(points[c[(at + 1) % 3]]) - o, place(points[c[(at + 2) % 3]]) - o);
    }
    gradient[i] = Real(1) / 6 * sum;
  }
};

struct WeighedSquare {
  Span<const Vec<3>> gradient;
  Span<const Row4> points;
  RTSIM_HD double operator()(Index i) const {
    return double(points[i].w) * double(dot(gradient[i], gradient[i]));
  }
};

struct Move {
  Real step;
  Span<const Vec<3>> gradient;
  Told told;
  Span<Row4> points;
  RTSIM_HD void operator()(Index i) const {
    Row4& r = points[i];
    if (told.push.size > 0 && !(r.w > 0)) add(told.push[i], step * gradient[i]);
    const Vec<3> d = (step * r.w) * gradient[i];
    add(r, d);
    if (told.moved.size > 0) add(told.moved[i], d);
  }
  RTSIM_HD static void add(Row4& r, const Vec<3>& d) { r.x += d[0], r.y += d[1], r.z += d[2]; }
};

template <class Place>
double volume_inside(const Exec& ex, const Surface& s, Span<const Place> points) {
  return reduce(ex, "pbd.volume", s.triangles.size, 0.0, TriangleVolume<Place>{s, points}, Plus{});
}

}  // namespace

double enclosed_volume(const Exec& ex, const Surface& s, Span<const Vec<3>> position) {
  return volume_inside(ex, s, position);
}

void keep_volume(const Exec& ex, const Softness& soft, double rest, const Surface& s,
                 double& lambda, Span<Vec<3>> gradient, const Told& told, Span<Row4> points) {
  const Index n = points.size;
  const double c = volume_inside<Row4>(ex, s, points) - rest, a = double(soft.a) * rest;
  parallel_for(ex, "pbd.volume_gradient", n, VolumeGradient{s, points, gradient});
  const double w = reduce(ex, "pbd.volume_weight", n, 0.0, WeighedSquare{gradient, points}, Plus{});
  if (!(w + a > 0)) return;  // all points are held, or there is no surface left
  const double step = -(double(soft.share) * c + a * lambda) / (w + a);
  lambda += step;
  parallel_for(ex, "pbd.volume_move", n, Move{Real(step), gradient, told, points});
}

}  // namespace rtsim::pbd
