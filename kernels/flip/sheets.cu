#include "flip/sheets.h"

#include "exec/parallel.h"
#include "exec/sort.h"
#include "flip/sheet_crossing.h"

namespace rtsim::flip {

namespace {

constexpr int most_slides = 4, most_hits = 16;

// The way that is left of a substep: at + (t - time) / (1 - time) way, time <= t <= 1 [cells].
struct Path {
  Vec3 at, way;
  double time;
};

struct Hit {
  double part = 2;  // of the way that is left; above 1: none
  Index triangle = -1;
  double weight[3];
};

struct KeepOnSides {
  Place<3> place;
  MovingSheets sheets;
  const Real* from[3];  // null: they stood still
  Vec<3>* position;
  const Vec<3>* velocity;
  Index* struck;  // 1: it met a sheet, else 0
  SheetHit* hits;

  RTSIM_HD Vec3 corner(Index triangle, int k, double time) const {
    const Index p = sheets.triangles[triangle][k];
    return sheets.begin[p] + time * (sheets.end[p] - sheets.begin[p]);
  }
  // To the image that is nearest round periodic seams.
  RTSIM_HD double nearest_image(double apart, int axis) const {
    if (!place.domain.periodic(axis)) return apart;
    const double n = place.domain.cells[axis];
    return apart - n * std::floor(apart / n + 0.5);
  }
  RTSIM_HD SeenTriangle seen(const Path& path, Index triangle) const {
    SeenTriangle t;
    Vec3 image;
    for (int k = 0; k < 3; ++k) {
      const Vec3 c = corner(triangle, k, path.time);
      if (k == 0)
        for (int a = 0; a < 3; ++a)
          image[a] = nearest_image(c[a] - path.at[a], a) - (c[a] - path.at[a]);
      t.at[k] = c - path.at + image;
      t.way[k] = corner(triangle, k, 1) - c - path.way;
    }
    return t;
  }
  // Whether boxes around the way and the triangle meet.
  RTSIM_HD static bool near(const SeenTriangle& t) {
    for (int a = 0; a < 3; ++a) {
      bool below = true, above = true;
      for (int k = 0; k < 3; ++k) {
        const double p = t.at[k][a], q = p + t.way[k][a];
        below = below && p < 0 && q < 0;
        above = above && p > 0 && q > 0;
      }
      if (below || above) return false;
    }
    return true;
  }
  RTSIM_HD Hit first_hit(const Path& path) const {
    const Vec3 end = path.at + path.way;
    Vec3 low, high;
    for (int a = 0; a < 3; ++a) {
      low[a] = path.at[a] < end[a] ? path.at[a] : end[a];
      high[a] = path.at[a] < end[a] ? end[a] : path.at[a];
    }
    Hit first;
    for_cells_of(place.domain, low, high, [&](Index cell) {
      for (Index e = sheets.first[cell]; e < sheets.first[cell + 1]; ++e)
        meet(path, sheets.in_cell[e], first);
    });
    return first;
  }
  RTSIM_HD void meet(const Path& path, Index triangle, Hit& first) const {
    const SeenTriangle t = seen(path, triangle);
    if (!near(t)) return;
    double weight[3];
    const double part = first_crossing(t, weight);
    if (part > 1 || part > first.part || (part == first.part && triangle > first.triangle)) return;
    first.part = part, first.triangle = triangle;
    for (int k = 0; k < 3; ++k) first.weight[k] = weight[k];
  }

  // To where the sheet is met, off it on the side that the particle came from; what is left of the
  // way goes with the sheet and, while it `slides`, along it. Returns the normal on that side.
  RTSIM_HD Vec3 turn_aside(const Hit& hit, bool slides, Path& path) const {
    const SeenTriangle t = seen(path, hit.triangle);
    const double time = path.time + hit.part * (1 - path.time);
    Vec3 n = cross(t.corner(1, hit.part) - t.corner(0, hit.part),
                   t.corner(2, hit.part) - t.corner(0, hit.part));
    n = ((t.volume(hit.part) < 0 ? 1 : -1) / std::sqrt(dot(n, n))) * n;
    Vec3 carried;
    for (int k = 0; k < 3; ++k)
      carried =
          carried + hit.weight[k] * (corner(hit.triangle, k, 1) - corner(hit.triangle, k, time));
    const Vec3 rest = (1 - hit.part) * path.way - carried;
    const double into = dot(rest, n);
    path.at = path.at + hit.part * path.way + off_sheets * n;
    path.way = slides ? carried + rest - (into < 0 ? into : 0.0) * n : carried;
    path.time = time;
    return n;
  }
  // Where sheets end, no nearer than half of what is kept off them, so that rounding changes no
  // side.
  RTSIM_HD Vec3 stay_off(Vec3 x) const {
    for_cells_of(place.domain, x, x, [&](Index cell) {
      for (Index e = sheets.first[cell]; e < sheets.first[cell + 1]; ++e) {
        const SeenTriangle t = seen({x, {}, 1}, sheets.in_cell[e]);
        const Vec3 n = cross(t.at[1] - t.at[0], t.at[2] - t.at[0]);
        const double area = std::sqrt(dot(n, n)), above = -dot(n, t.at[0]) / area;
        double weight[3];
        if (!(std::abs(above) < 0.5 * off_sheets) || !t.covers(0, weight)) continue;
        x = x + ((above < 0 ? -off_sheets : off_sheets) - above) / area * n;
      }
    });
    return x;
  }
  RTSIM_HD void keep(Index i, const Hit& hit, const Vec3& normal) const {
    SheetHit& h = hits[i];
    h.row = i, h.triangle = hit.triangle, h.velocity = velocity[i];
    for (int k = 0; k < 3; ++k) h.weight[k] = Real(hit.weight[k]), h.normal[k] = Real(normal[k]);
  }

  RTSIM_HD void operator()(Index i) const {
    Path path{{}, {}, 0};
    for (int a = 0; a < 3; ++a) {
      const double now = place.cells(a, position[i][a]);
      path.at[a] = from[a] ? double(from[a][i]) : now;
      path.way[a] = now - path.at[a];
    }
    int met = 0;
    for (; met < most_hits; ++met) {
      const Hit hit = first_hit(path);
      if (hit.part > 1) break;
      const Vec3 normal = turn_aside(hit, met < most_slides, path);
      if (met == 0) keep(i, hit, normal);
    }
    struck[i] = met > 0;
    const Vec3 end = path.at + path.way, off = stay_off(end);
    if (met == 0 && off == end) return;
    Vec3 led;
    for (int a = 0; a < 3; ++a) led[a] = off[a] - place.cells(a, position[i][a]);
    for (int a = 0; a < 3; ++a) position[i][a] = place.metres(a, Real(off[a]));
    if (met > 0) hits[i].led = Real(std::sqrt(dot(led, led)));
  }
};

struct Collect {
  const Index *struck, *before;
  const SheetHit* hits;
  SheetHit* to;
  RTSIM_HD void operator()(Index i) const {
    if (struck[i]) to[before[i]] = hits[i];
  }
};

struct StopAtSheets {
  const SheetHit* hits;
  State<3> state;

  RTSIM_HD void operator()(Index k) const {
    const SheetHit& h = hits[k];
    state.velocity[h.row] = h.velocity;
    if (!state.affine.data) return;
    Vec<9>& c = state.affine[h.row];
    for (int b = 0; b < 3; ++b) {
      Real along = 0;
      for (int a = 0; a < 3; ++a) along += h.normal[a] * c[3 * a + b];
      for (int a = 0; a < 3; ++a) c[3 * a + b] -= h.normal[a] * along;
    }
  }
};

}  // namespace

std::vector<SheetHit> keep_on_sides(const Exec& ex, const Place<3>& place,
                                    const MovingSheets& sheets, const Real* const (&from)[3],
                                    const State<3>& state) {
  const Index rows = state.position.size;
  Buffer<Index> struck(ex, std::size_t(rows)), before(ex, std::size_t(rows));
  Buffer<SheetHit> all(ex, std::size_t(rows));
  parallel_for(ex, "flip.sheets", rows,
               KeepOnSides{place,
                           sheets,
                           {from[0], from[1], from[2]},
                           state.position.data,
                           state.velocity.data,
                           struck.data(),
                           all.data()});
  const Index count = exclusive_scan(ex, "flip.sheets", struck.span(), before.span());
  if (count == 0) return {};
  Buffer<SheetHit> hits(ex, std::size_t(count));
  parallel_for(ex, "flip.sheets", rows,
               Collect{struck.data(), before.data(), all.data(), hits.data()});
  return hits.download();
}

void stop_at_sheets(const Exec& ex, Span<const SheetHit> hits, const State<3>& state) {
  parallel_for(ex, "flip.sheets", hits.size, StopAtSheets{hits.data, state});
}

}  // namespace rtsim::flip
