#include "pictures/object_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "pictures/colours.h"
#include "pictures/numbers.h"
#include "pictures/shading.h"

namespace rtsim {

namespace {

bool has(const FrameObject& o, const std::string& name) {
  return find_column(o, name.substr(0, name.find('.'))) != nullptr;
}

Vec3d last_of(const GridShape& g) { return g.centre(Index(g.rows()) - 1); }

Vec3f place(const FrameSurface& s, std::int32_t corner) {
  const Real* x = &s.points[3 * std::size_t(corner)];
  return {{float(x[0]), float(x[1]), float(x[2])}};
}

Vec3f unit(const Vec3f& v) {
  const float n = norm(v);
  return n > 0 ? 1 / n * v : v;
}

// A colour for each row: of its number, or of the thing.
std::vector<Vec3f> row_colours(const FrameObject& o, int number, const Colours& c) {
  const std::string column = colour_column(o, c.asked);
  if (column.empty()) return std::vector<Vec3f>(std::size_t(o.rows), thing_colour(number));
  const float low = float(c.low), by = c.high > c.low ? float(1 / (c.high - c.low)) : 0;
  std::vector<Vec3f> out;
  for (const float v : numbers_of(o, column)) out.push_back(map_colour(by * (v - low)));
  return out;
}

// Outer triangles of tetrahedra: those that only one has.
std::vector<std::int32_t> outer_triangles(const std::vector<std::int32_t>& tets) {
  constexpr int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  std::map<std::array<std::int32_t, 3>, std::array<std::int32_t, 3>> open;
  for (std::size_t t = 0; t + 3 < tets.size(); t += 4)
    for (const auto& f : faces) {
      const std::array corners{tets[t + std::size_t(f[0])], tets[t + std::size_t(f[1])],
                               tets[t + std::size_t(f[2])]};
      std::array sorted = corners;
      std::ranges::sort(sorted);
      if (!open.emplace(sorted, corners).second) open.erase(sorted);
    }
  std::vector<std::int32_t> out;
  for (const auto& [key, corners] : open) out.insert(out.end(), corners.begin(), corners.end());
  return out;
}

// Smooth: a point's normal is the mean of its triangles' by area.
void draw_surface(Raster& r, const Camera& camera, const std::vector<Vec3f>& x,
                  const std::vector<std::int32_t>& triangles, const std::vector<Vec3f>& colour) {
  std::vector<Vec3f> normal(x.size());
  for (std::size_t t = 0; t + 2 < triangles.size(); t += 3) {
    const auto corner = [&](std::size_t k) { return std::size_t(triangles[t + k]); };
    const Vec3f n = cross(x[corner(1)] - x[corner(0)], x[corner(2)] - x[corner(0)]);
    for (std::size_t k = 0; k < 3; ++k) normal[corner(k)] = normal[corner(k)] + n;
  }
  std::vector<Corner> corners;
  for (const std::int32_t p : triangles)
    corners.push_back({x[std::size_t(p)], unit(normal[std::size_t(p)]), colour[std::size_t(p)]});
  draw_triangles(r, camera, corners);
}

void draw_mesh(Raster& r, const Camera& camera, const FrameObject& o,
               const std::vector<Vec3f>& colour) {
  const std::vector<Vec3f> x = vectors_of(o, "position");
  if (o.cells.corners == 2) {
    std::vector<Corner> ends;
    for (const std::int32_t p : o.cells.points)
      ends.push_back({x[std::size_t(p)], {}, colour[std::size_t(p)]});
    return draw_lines(r, camera, ends, 2);
  }
  draw_surface(r, camera, x,
               o.cells.corners == 4 ? outer_triangles(o.cells.points) : o.cells.points, colour);
}

// Flat: bodies have edges.
void draw_bodies(Raster& r, const Camera& camera, const FrameObject& o, const Colours& c) {
  const FrameSurface& s = o.surface;
  const std::vector<Vec3f> colour = c.asked.empty() ? std::vector<Vec3f>() : row_colours(o, 0, c);
  std::vector<Corner> corners;
  for (std::size_t t = 0; t < s.body.size(); ++t) {
    const Vec3f p = place(s, s.triangles[3 * t]), q = place(s, s.triangles[3 * t + 1]),
                w = place(s, s.triangles[3 * t + 2]);
    const Vec3f n = o.dim == 2 ? Vec3f{{0, 0, 1}} : unit(cross(q - p, w - p));
    const Vec3f own = colour.empty() ? thing_colour(s.body[t]) : colour[std::size_t(s.body[t])];
    for (const Vec3f& x : {p, q, w}) corners.push_back({x, n, own});
  }
  draw_triangles(r, camera, corners);
}

// Squares of one colour each, as light as they are.
void draw_cells(Raster& r, const Camera& camera, const FrameObject& o,
                const std::vector<Vec3f>& colour) {
  const GridShape& g = *o.grid;
  const float half = 0.5f * float(g.spacing);
  // What the light would take from a surface that faces the viewer.
  const float flat = 1 / shade({{0, 0, 1}});
  std::vector<Corner> corners;
  for (Index i = 0; i < o.rows; ++i) {
    const Vec3d m = g.centre(i);
    const auto corner = [&](float u, float v) {
      return Corner{{{float(m[0]) + u * half, float(m[1]) + v * half, 0}},
                    {{0, 0, 1}},
                    flat * colour[std::size_t(i)]};
    };
    for (const auto& [u, v] :
         {std::pair{-1.f, -1.f}, {1.f, -1.f}, {1.f, 1.f}, {-1.f, -1.f}, {1.f, 1.f}, {-1.f, 1.f}})
      corners.push_back(corner(u, v));
  }
  draw_triangles(r, camera, corners);
}

// The optical depth through the whole box where it is as dense as at its densest.
constexpr float through_box = 40;

void draw_volume(Raster& r, const Camera& camera, const FrameObject& o, const Colours& c) {
  const GridShape& g = *o.grid;
  Smoke s;
  int longest = 0;
  for (int a = 0; a < 3; ++a) {
    s.cells[a] = g.cells[a], s.low[a] = float(g.low[a]);
    longest = std::max(longest, int(g.cells[a]));
  }
  s.spacing = float(g.spacing);
  s.density = numbers_of(o, colour_column(o, c.asked));
  const float most = float(c.high);
  const float scale = most > 0 ? through_box / (most * float(longest) * s.spacing) : 0;
  for (float& d : s.density) d = std::max(0.0f, scale * d);
  draw_smoke(r, camera, s);
}

// Quads between the columns' tops; `top` is NaN where there is nothing.
void draw_sheet(Raster& r, const Camera& camera, const GridShape& g, const std::vector<float>& top,
                const std::vector<Vec3f>& colour) {
  const Index nx = g.cells[0], nz = g.cells[2];
  std::vector<Vec3f> x(top.size());
  for (std::size_t i = 0; i < top.size(); ++i)
    x[i] = in_float(g.centre(Index(i))), x[i][1] = top[i];
  std::vector<std::int32_t> triangles;
  const auto add = [&](Index a, Index b, Index c) {
    if (std::isnan(top[std::size_t(a)] + top[std::size_t(b)] + top[std::size_t(c)])) return;
    triangles.insert(triangles.end(), {a, b, c});
  };
  for (Index k = 0; k + 1 < nz; ++k)
    for (Index i = 0; i + 1 < nx; ++i) {
      const Index p = i + nx * k;
      add(p, p + nx, p + 1), add(p + 1, p + nx, p + nx + 1);
    }
  draw_surface(r, camera, x, triangles, colour);
}

void draw_heights(Raster& r, const Camera& camera, const FrameObject& o, int number,
                  const Colours& c) {
  const std::vector<float> bed = numbers_of(o, "bed"), depth = numbers_of(o, "depth");
  std::vector<float> water(bed.size());
  for (std::size_t i = 0; i < bed.size(); ++i)
    water[i] = depth[i] > 0 ? bed[i] + depth[i] : std::numeric_limits<float>::quiet_NaN();
  draw_sheet(r, camera, *o.grid, bed, std::vector<Vec3f>(bed.size(), {{0.62f, 0.54f, 0.42f}}));
  draw_sheet(r, camera, *o.grid, water, row_colours(o, number, c));
}

}  // namespace

bool is_volume(const FrameObject& o) { return o.kind == Kind::grid && o.dim == 3; }

void add_to(View& view, const FrameObject& o) {
  if (o.kind == Kind::height_field) {
    const std::vector<float> bed = numbers_of(o, "bed"), depth = numbers_of(o, "depth");
    for (std::size_t i = 0; i < bed.size(); ++i)
      for (const float y : {bed[i], bed[i] + depth[i]}) {
        Vec3d x = o.grid->centre(Index(i));
        x[1] = double(y);
        view.add(x);
      }
  } else if (o.grid) {
    view.add(o.grid->low);
    const Vec3d last = last_of(*o.grid);
    Vec3d high = last;
    for (int a = 0; a < 3; ++a)
      if (o.grid->spans[a]) high[a] += 0.5 * o.grid->spacing;
    view.add(high);
  } else if (o.kind == Kind::bodies) {
    for (std::size_t k = 0; 3 * k < o.surface.points.size(); ++k)
      view.add(widen(place(o.surface, std::int32_t(k))));
  } else {
    for (const Vec3f& x : vectors_of(o, "position"))
      if (std::isfinite(x[0] + x[1] + x[2])) view.add(widen(x));
  }
}

std::string colour_column(const FrameObject& o, const std::string& asked) {
  if (!asked.empty() && has(o, asked)) return asked;
  const auto first_of = [&](std::initializer_list<const char*> names) -> std::string {
    for (const char* name : names)
      if (has(o, name)) return name;
    return "";
  };
  switch (o.kind) {
    case Kind::particles:
      return first_of({"velocity"});
    case Kind::height_field:
      return first_of({"depth"});
    case Kind::grid: {
      const bool smoke = has(o, "temperature");
      const std::string name = smoke ? first_of({"density"}) : first_of({"cloud", "velocity"});
      return name.empty() && !o.columns.empty() ? o.columns[0].name : name;
    }
    default:
      return "";
  }
}

bool is_drawn(const FrameObject& o, const std::string& column, const std::string& asked) {
  const std::string colour = colour_column(o, asked);
  return column == "position" || column == "bed" || column == "depth" || column == colour ||
         column + "." == colour.substr(0, colour.rfind('.') + 1);
}

Extremes extremes_of(const FrameObject& o, const std::string& column) {
  const FrameColumn* c = find_column(o, column);
  if (!c) c = find_column(o, column.substr(0, column.size() - 2));
  Extremes e{1e300, -1e300, ""};
  for (const float v : numbers_of(o, column))
    if (std::isfinite(v)) e.low = std::min(e.low, double(v)), e.high = std::max(e.high, double(v));
  e.label = column + (c && !c->unit.empty() ? " [" + c->unit + "]" : "");
  return e;
}

void draw_object(Raster& r, const Camera& camera, const FrameObject& o, int number,
                 const Colours& c) {
  if (o.kind == Kind::bodies) return draw_bodies(r, camera, o, c);
  if (o.kind == Kind::height_field) return draw_heights(r, camera, o, number, c);
  if (is_volume(o)) return draw_volume(r, camera, o, c);
  const std::vector<Vec3f> colour = row_colours(o, number, c);
  if (o.kind == Kind::grid) return draw_cells(r, camera, o, colour);
  if (o.kind == Kind::mesh) return draw_mesh(r, camera, o, colour);
  draw_points(r, camera, vectors_of(o, "position"), colour, 0.5f * float(o.spacing));
}

void draw_arrows(Raster& r, const Camera& camera, const FrameObject& o, const std::string& column) {
  const int square = 24 * r.finer;  // [pixels]
  if (!has(o, column)) return;
  const std::vector<Vec3f> v = vectors_of(o, column);
  const std::vector<Vec3f> x = o.grid ? std::vector<Vec3f>() : vectors_of(o, "position");
  const auto at = [&](std::size_t i) { return o.grid ? in_float(o.grid->centre(Index(i))) : x[i]; };
  std::map<std::pair<int, int>, std::size_t> chosen;  // what stands nearest to a square's middle
  std::map<std::pair<int, int>, float> distance;
  float most = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Vec3f p = camera.project(at(i));
    if (p[0] < 0 || p[1] < 0 || p[0] >= float(r.width) || p[1] >= float(r.height)) continue;
    const std::pair key{int(p[0]) / square, int(p[1]) / square};
    const float dx = p[0] - (float(key.first) + 0.5f) * square,
                dy = p[1] - (float(key.second) + 0.5f) * square, d = dx * dx + dy * dy;
    if (const auto known = distance.find(key); known != distance.end() && known->second <= d)
      continue;
    distance[key] = d, chosen[key] = i;
  }
  for (const auto& [key, i] : chosen) most = std::max(most, norm(v[i]));
  if (!(most > 0)) return;
  const Vec3f ink{{0.08f, 0.08f, 0.1f}};
  std::vector<Corner> ends;
  for (const auto& [key, i] : chosen) {
    const Vec3f from = at(i);
    // So long on the screen, and a head of a third of that, to both sides of the shaft.
    const float length = square / camera.scale(camera.project(from)[2]);
    const Vec3f along = length / most * v[i], to = from + along;
    const Vec3f side = 0.15f * norm(along) * unit(cross(along, Vec3f{{0.31f, 0.37f, 1}}));
    const Vec3f neck = from + 0.67f * along;
    for (const Vec3f& p : {from, to, to, neck + side, to, neck - side})
      ends.push_back({p, {}, ink});
  }
  draw_lines(r, camera, ends, 1.5f);
}

}  // namespace rtsim
