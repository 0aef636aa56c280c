#include "meshes/stuffing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rtsim {
namespace {

using Corner = CellMesh::Corner;

// A lattice point in units of half a cube's side: corners of cubes have even coordinates, their
// centres odd ones.
struct Site {
  int c[3];

  Site operator+(const Site& o) const { return {{c[0] + o.c[0], c[1] + o.c[1], c[2] + o.c[2]}}; }
  Site operator-() const { return {{-c[0], -c[1], -c[2]}}; }
};

// The edges of a point: three along the axes (the paper's black ones, of length 2 units), four
// along diagonals (red, sqrt 3), then the opposite of each.
constexpr int ways = 7, black_ways = 3;
constexpr Site way_of[ways] = {{{2, 0, 0}},  {{0, 2, 0}},  {{0, 0, 2}},  {{1, 1, 1}},
                               {{1, 1, -1}}, {{1, -1, 1}}, {{1, -1, -1}}};

// A lattice point that has a cut nearer to it than this share of the cut's edge is moved there.
// With these shares the least angle of all stencils is greatest: over every position of cuts and
// moved points that can be, dihedral angles lie between 10.77 and 164.74 degrees.
constexpr double alpha_black = 0.2851, alpha_red = 0.3985;

constexpr double no_cut = -1;

class Stuffing {
 public:
  Stuffing(const Shape& shape, double spacing, double coarsest)
      : shape_(shape),
        unit_(0.5 * spacing),
        top_(int(std::floor(std::log2(std::max(coarsest / spacing, 1.)) + 1e-9))) {
    const Bounds b = shape.bounds();
    for (int a = 0; a < 3; ++a) {
      const double side = b.max[a] - b.min[a];
      const int cubes = int(std::ceil(side / spacing - 1e-6)) + 2;
      size_[a] = 2 * cubes + 1;
      low_[a] = b.min[a] + 0.5 * (side - cubes * spacing);
    }
  }

  CellMesh mesh() {
    find_inside();
    find_cuts();
    warp();
    find_leaves();
    fill();
    fill_leaves();
    return std::move(mesh_);
  }

 private:
  // Of both kinds of points in one array, half of which is empty: a corner at (i, j, k) and the
  // centre beyond it at (i + 1, j + 1, k + 1) stand beside each other.
  std::size_t slot(const Site& s) const {
    const auto n = [&](int a) { return std::size_t(size_[a] / 2 + 1); };
    const auto at = [&](int a) { return std::size_t(s.c[a] / 2); };
    return 2 * (at(0) + n(0) * (at(1) + n(1) * at(2))) + std::size_t(s.c[0] % 2);
  }
  bool holds(const Site& s) const {
    for (int a = 0; a < 3; ++a)
      if (s.c[a] < 0 || s.c[a] >= size_[a]) return false;
    return true;
  }
  Vec3d place(const Site& s) const {
    return {{low_[0] + unit_ * s.c[0], low_[1] + unit_ * s.c[1], low_[2] + unit_ * s.c[2]}};
  }

  template <class Visit>
  static void each_in(const Site& from, const Site& to, const Visit& visit) {
    for (int k = from.c[2]; k < to.c[2]; ++k)
      for (int j = from.c[1]; j < to.c[1]; ++j) {
        if ((k ^ j) & 1) continue;
        for (int i = from.c[0] + ((from.c[0] ^ k) & 1); i < to.c[0]; i += 2) visit(Site{{i, j, k}});
      }
  }

  // Distances of all points. Where that of a block's middle is beyond its reach and an edge more,
  // no edge of its points is cut, and the middle's sign does for all of them.
  void find_inside() {
    distance_.assign(2 * std::size_t(size_[0] / 2 + 1) * std::size_t(size_[1] / 2 + 1) *
                         std::size_t(size_[2] / 2 + 1),
                     std::numeric_limits<double>::infinity());
    constexpr int side = 8;
    const double reach = unit_ * (0.5 * std::sqrt(3.0) * side + 2);
    for (int k = 0; k < size_[2]; k += side)
      for (int j = 0; j < size_[1]; j += side)
        for (int i = 0; i < size_[0]; i += side) {
          const Site from{{i, j, k}},
              end{{std::min(i + side, size_[0]), std::min(j + side, size_[1]),
                   std::min(k + side, size_[2])}};
          const double d = shape_.distance(place(from + Site{{side / 2, side / 2, side / 2}}));
          each_in(from, end, [&](const Site& s) {
            distance_[slot(s)] = std::abs(d) > reach ? d : shape_.distance(place(s));
          });
        }
    row_.assign(distance_.size(), -1);
    each_in({{0, 0, 0}}, {{size_[0], size_[1], size_[2]}}, [&](const Site& s) {
      if (!is_inside(s)) return;
      keep(s);
      for (const Site& w : way_of) keep(s + w), keep(s + -w);
    });
    std::ranges::sort(sites_, {}, [&](const Site& s) { return slot(s); });
    for (std::size_t i = 0; i < sites_.size(); ++i) row_[slot(sites_[i])] = std::int32_t(i);
  }
  bool is_inside(const Site& s) const { return distance_[slot(s)] < 0; }
  // Points inside and their neighbours alone are points or ends of edges of the mesh.
  void keep(const Site& s) {
    if (row_[slot(s)] < 0) row_[slot(s)] = 0, sites_.push_back(s);
  }

  // The edge of a point, by the number of its way from there, in `cuts_`: negative where its first
  // end is not kept.
  std::ptrdiff_t edge_of(const Site& s, int way) const {
    const Site owner = way < ways ? s : s + -way_of[way - ways];
    if (!holds(owner)) return -1;
    const std::ptrdiff_t row = row_[slot(owner)];
    return row < 0 ? -1 : ways * row + way % ways;
  }
  // Its cut, as a share of it from the point that was asked.
  double cut_from(const Site& s, int way) const {
    const std::ptrdiff_t e = edge_of(s, way);
    if (e < 0 || cuts_[std::size_t(e)] == no_cut) return no_cut;
    return way < ways ? cuts_[std::size_t(e)] : 1 - cuts_[std::size_t(e)];
  }

  // Where the surface crosses an edge: the Illinois form of regula falsi, which keeps the zero
  // between its ends (M. Dowell & P. Jarratt, "A modified regula falsi method for computing the
  // root of an equation", BIT 11, 1971).
  double cut(const Site& from, const Site& to) const {
    constexpr int most = 40;
    constexpr double enough = 1e-6;
    const Vec3d x = place(from), along = place(to) - x;
    double a = 0, b = 1, fa = distance_[slot(from)], fb = distance_[slot(to)], t = 0;
    int kept = 0;
    for (int n = 0; n < most; ++n) {
      t = (a * fb - b * fa) / (fb - fa);
      const double f = shape_.distance(x + t * along);
      if (std::abs(f) < enough * unit_) break;
      if ((f < 0) == (fb < 0)) {
        b = t, fb = f;
        if (kept == 1) fa *= 0.5;
        kept = 1;
      } else {
        a = t, fa = f;
        if (kept == -1) fb *= 0.5;
        kept = -1;
      }
    }
    return t;
  }

  void find_cuts() {
    cuts_.assign(ways * sites_.size(), no_cut);
    for (std::size_t i = 0; i < sites_.size(); ++i)
      for (int w = 0; w < ways; ++w) {
        const Site to = sites_[i] + way_of[w];
        if (holds(to) && is_inside(sites_[i]) != is_inside(to))
          cuts_[ways * i + std::size_t(w)] = cut(sites_[i], to);
      }
  }

  Vec3d cut_place(std::size_t edge) const {
    const Site& from = sites_[edge / ways];
    const Vec3d x = place(from);
    return x + cuts_[edge] * (place(from + way_of[edge % ways]) - x);
  }

  // Points with a cut too near are moved to the nearest such, and lie on the surface from then on:
  // their other edges are cut no more.
  void warp() {
    sign_.resize(sites_.size()), moved_.resize(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const Site& s = sites_[i];
      sign_[i] = is_inside(s) ? 1 : -1, moved_[i] = place(s);
      double nearest = std::numeric_limits<double>::infinity();
      for (int w = 0; w < 2 * ways; ++w) {
        const double share = cut_from(s, w);
        const bool black = w % ways < black_ways;
        const double away = share * (black ? 2 : std::sqrt(3.0));
        if (share != no_cut && share < (black ? alpha_black : alpha_red) && away < nearest)
          nearest = away, moved_[i] = cut_place(std::size_t(edge_of(s, w)));
      }
      if (!(nearest < 3)) continue;
      sign_[i] = 0;
      for (int w = 0; w < 2 * ways; ++w)
        if (const auto e = edge_of(s, w); e >= 0) cuts_[std::size_t(e)] = no_cut;
    }
  }

  // Cubes that the surface leaves alone are joined to leaves of 2, 4, ... along a side: an octree
  // in which leaves that touch, be it at a corner, differ by one level at most. Blocks of a level
  // are numbered as cubes are.
  int blocks(int level, int axis) const { return (size_[axis] / 2) >> level; }
  std::size_t number(int level, const Site& b) const {
    return std::size_t(b.c[0]) +
           std::size_t(blocks(level, 0)) *
               (std::size_t(b.c[1]) + std::size_t(blocks(level, 1)) * std::size_t(b.c[2]));
  }
  bool has_block(int level, const Site& b) const {
    for (int a = 0; a < 3; ++a)
      if (b.c[a] < 0 || b.c[a] >= blocks(level, a)) return false;
    return true;
  }
  template <class Visit>
  void each_block(int level, const Visit& visit) const {
    for (int k = 0; k < blocks(level, 2); ++k)
      for (int j = 0; j < blocks(level, 1); ++j)
        for (int i = 0; i < blocks(level, 0); ++i) visit(Site{{i, j, k}});
  }
  template <class Holds>
  static bool all_of(const Site& from, int side, const Holds& holds) {
    for (int k = 0; k < side; ++k)
      for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i)
          if (!holds(from + Site{{i, j, k}})) return false;
    return true;
  }
  int level_of(const Site& centre) const {
    return level_[number(0, {{centre.c[0] / 2, centre.c[1] / 2, centre.c[2] / 2}})];
  }
  int level_of_block(int level, const Site& b) const {
    return level_[number(0, {{b.c[0] << level, b.c[1] << level, b.c[2] << level}})];
  }

  bool is_deep(const Site& s) const {
    return holds(s) && row_[slot(s)] >= 0 && sign_[std::size_t(row_[slot(s)])] > 0;
  }
  // All tets of a cube are whole: its corners, its centre and those of its neighbours are inside.
  bool is_whole(const Site& cube) const {
    const Site low{{2 * cube.c[0], 2 * cube.c[1], 2 * cube.c[2]}}, centre = low + Site{{1, 1, 1}};
    if (!is_deep(centre)) return false;
    for (int a = 0; a < black_ways; ++a)
      if (!is_deep(centre + way_of[a]) || !is_deep(centre + -way_of[a])) return false;
    return all_of({{0, 0, 0}}, 2, [&](const Site& s) {
      return is_deep(low + Site{{2 * s.c[0], 2 * s.c[1], 2 * s.c[2]}});
    });
  }

  void find_leaves() {
    level_.assign(number(0, {{0, 0, blocks(0, 2)}}), 0);
    std::vector<bool> below;
    for (int level = 1; level <= top_; ++level) {
      std::vector<bool> joined(number(level, {{0, 0, blocks(level, 2)}}));
      each_block(level, [&](const Site& b) {
        const Site first{{2 * b.c[0], 2 * b.c[1], 2 * b.c[2]}};
        const bool joins = level == 1
                               ? all_of(first, 2, [&](const Site& cube) { return is_whole(cube); })
                               : all_of(first + Site{{-1, -1, -1}}, 4, [&](const Site& n) {
                                   return has_block(level - 1, n) && below[number(level - 1, n)];
                                 });
        if (!joins) return;
        joined[number(level, b)] = true;
        all_of({{first.c[0] << (level - 1), first.c[1] << (level - 1), first.c[2] << (level - 1)}},
               1 << level, [&](const Site& cube) {
                 level_[number(0, cube)] = std::int8_t(level);
                 return true;
               });
      });
      below = std::move(joined);
    }
  }

  // Labelle & Shewchuk, section 3.2. Leaves of one size meet in four tets, one at each side of
  // their face, halved where that side is; at a face towards a larger leaf either centre has two
  // halves of the face, cut from the middle of the larger face to its corner.
  void fill_leaves() {
    for (int level = 0; level < top_; ++level)
      each_block(level, [&](const Site& b) {
        if (level_of_block(level, b) != level) return;
        for (int w = 0; w < black_ways; ++w)
          for (const bool forth : {true, false}) fill_face(level, b, w, forth);
      });
    each_block(top_, [&](const Site& b) {
      if (top_ == 0 || level_of_block(top_, b) != top_) return;
      for (int w = 0; w < black_ways; ++w) fill_face(top_, b, w, true);
    });
  }

  Corner leaf_point(const Site& s) { return point({s, 1, row_[slot(s)]}); }
  static Site centre_of(int level, const Site& b) {
    const int side = 2 << level;
    return {{side * b.c[0] + side / 2, side * b.c[1] + side / 2, side * b.c[2] + side / 2}};
  }

  void fill_face(int level, const Site& b, int axis, bool forth) {
    const auto step = [](int a, int by) {
      Site s{{0, 0, 0}};
      s.c[a] = by;
      return s;
    };
    const Site next = b + step(axis, forth ? 1 : -1);
    if (!has_block(level, next)) return;
    const int beyond = level_of_block(level, next), half = 1 << level;
    if (beyond < level || (beyond == level && (level == 0 || !forth))) return;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const Site centre = centre_of(level, b), face = centre + step(axis, forth ? half : -half);
    const Site corner[4] = {
        face + step(u, -half) + step(v, -half), face + step(u, half) + step(v, -half),
        face + step(u, half) + step(v, half), face + step(u, -half) + step(v, half)};
    const Corner c = leaf_point(centre);
    if (beyond == level) {
      const Site outwards[4] = {step(v, -1), step(u, 1), step(v, 1), step(u, -1)};
      const Corner other = leaf_point(centre_of(level, next));
      for (int k = 0; k < 4; ++k) {
        const Corner from = leaf_point(corner[k]), to = leaf_point(corner[(k + 1) % 4]);
        if (level_of_block(level, b + outwards[k]) < level ||
            level_of_block(level, next + outwards[k]) < level) {
          const Corner middle =
              leaf_point(face + step(k % 2 ? u : v, (k == 1 || k == 2 ? 1 : -1) * half));
          add(c, other, from, middle), add(c, other, middle, to);
        } else {
          add(c, other, from, to);
        }
      }
      return;
    }
    const Site larger = centre_of(level + 1, {{next.c[0] / 2, next.c[1] / 2, next.c[2] / 2}});
    int inner = 0;  // of the corners, the middle of the larger leaf's face
    for (int k = 0; k < 4; ++k)
      if (corner[k].c[u] == larger.c[u] && corner[k].c[v] == larger.c[v]) inner = k;
    const Corner far = leaf_point(larger), middle = leaf_point(corner[inner]),
                 outer = leaf_point(corner[(inner + 2) % 4]);
    for (const int k : {1, 3}) {
      const Corner side = leaf_point(corner[(inner + k) % 4]);
      add(c, middle, outer, side), add(far, middle, outer, side);
    }
  }

  // A corner of a lattice tet.
  struct Vertex {
    Site site;
    int sign;  // 1 inside, 0 on the surface, -1 outside
    std::int32_t row;
  };

  // Every tet once: it has one black edge between corners, along an axis, and one between two
  // neighbours of the four centres around that.
  void fill() {
    point_.assign(sites_.size(), -1), cut_point_.assign(cuts_.size(), -1);
    for (const Site& from : sites_) {
      if (from.c[0] % 2) continue;
      for (int a = 0; a < 3; ++a) {
        const Site to = from + way_of[a];
        if (!holds(to)) continue;
        constexpr int around[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
        Site centre[4];
        for (int q = 0; q < 4; ++q) {
          Site mid = from;
          mid.c[a] += 1, mid.c[(a + 1) % 3] += around[q][0], mid.c[(a + 2) % 3] += around[q][1];
          centre[q] = mid;
        }
        for (int q = 0; q < 4; ++q) {
          const Site &one = centre[q], &other = centre[(q + 1) % 4];
          if (holds(one) && holds(other) && level_of(one) == 0 && level_of(other) == 0)
            fill_tet({from, to, one, other});
        }
      }
    }
  }

  void fill_tet(const std::array<Site, 4>& site) {
    std::array<Vertex, 4> v;
    bool any = false;
    for (std::size_t k = 0; k < 4; ++k) {
      if (!holds(site[k])) return;
      const std::int32_t row = row_[slot(site[k])];
      v[k] = {site[k], row < 0 ? -1 : int(sign_[std::size_t(row)]), row};
      any |= v[k].sign > 0;
    }
    if (any) fill_tet(v);
  }

  // What of a tet lies inside, by the signs of its corners.
  void fill_tet(const std::array<Vertex, 4>& v) {
    std::array<const Vertex*, 4> in{}, out{};
    const Vertex* on = nullptr;
    std::size_t ins = 0, outs = 0;
    for (const Vertex& x : v) (x.sign > 0 ? in[ins++] : x.sign < 0 ? out[outs++] : on) = &x;
    if (outs == 0) return add(point(v[0]), point(v[1]), point(v[2]), point(v[3]));
    if (ins == 1) {
      Corner c[4];
      for (int k = 0; k < 4; ++k) {
        const Vertex& x = v[std::size_t(k)];
        c[k] = x.sign < 0 ? cut_point(*in[0], x) : point(x);
      }
      return add(c[0], c[1], c[2], c[3]);
    }
    if (ins == 2 && outs == 1) return fill_pyramid(*in[0], *in[1], *out[0], *on);
    if (ins == 2) return fill_wedge(*in[0], *in[1], *out[0], *out[1]);
    Prism p;
    for (std::size_t i = 0; i < 3; ++i) {
      p.low[i] = point(*in[i]), p.high[i] = cut_point(*in[i], *out[0]);
      for (std::size_t j = 0; j < i; ++j) p.set(i, j, starts_at(*in[i], *in[j], *out[0]));
    }
    fill_prism(p);
  }

  // Of a face with a and b inside and n outside a quadrilateral is left, which the face alone says
  // how to cut, so that both its tets do so alike. Returns whether the diagonal goes from a to the
  // cut beyond b. Where one of the cuts is on a black edge the diagonal ends there. Else a - b is
  // one, and the faces around it take its ends in turn, so that the two of a tet differ.
  static bool starts_at(const Vertex& a, const Vertex& b, const Vertex& n) {
    if (is_black(b, n)) return true;
    if (is_black(a, n)) return false;
    int axis = 0, side = 1;
    for (int k = 0; k < 3; ++k) {
      if (a.site.c[k] != b.site.c[k])
        axis = k;
      else
        side *= n.site.c[k] - a.site.c[k];
    }
    return (a.site.c[axis] < b.site.c[axis]) == (side > 0);
  }
  static bool is_black(const Vertex& a, const Vertex& b) {
    return ((a.site.c[0] ^ b.site.c[0]) & 1) == 0;
  }

  // Three edges from `low` to `high`, and the diagonals of the quadrilaterals between them.
  struct Prism {
    std::array<Corner, 3> low, high;
    bool from[3][3] = {};  // [i][j]: the one between i and j goes from low[i] to high[j]

    void set(std::size_t i, std::size_t j, bool from_i) {
      from[i][j] = from_i, from[j][i] = !from_i;
    }
  };

  // Inside are an edge's ends, outside the two others: a prism along that edge. The quadrilateral
  // on the surface is nobody else's: it gets the diagonal that the others need, or the shorter.
  void fill_wedge(const Vertex& a, const Vertex& b, const Vertex& n, const Vertex& m) {
    Prism p{{point(a), cut_point(a, n), cut_point(a, m)},
            {point(b), cut_point(b, n), cut_point(b, m)}};
    p.set(0, 1, starts_at(a, b, n));
    p.set(0, 2, starts_at(a, b, m));
    if (p.from[0][1] != p.from[0][2])
      p.set(1, 2, !p.from[0][1]);  // else they would go round in a circle
    else
      p.set(1, 2, length(p.low[1], p.high[2]) < length(p.low[2], p.high[1]));
    fill_prism(p);
  }

  void fill_prism(const Prism& p) {
    std::array<std::size_t, 3> order{};  // by how many diagonals start there, most first
    for (std::size_t i = 0; i < 3; ++i) {
      const int starts = p.from[i][(i + 1) % 3] + p.from[i][(i + 2) % 3];
      order[std::size_t(2 - starts)] = i;
    }
    const auto [a, b, c] = order;
    add(p.low[a], p.low[b], p.low[c], p.high[c]);
    add(p.low[a], p.low[b], p.high[b], p.high[c]);
    add(p.low[a], p.high[a], p.high[b], p.high[c]);
  }

  void fill_pyramid(const Vertex& a, const Vertex& b, const Vertex& n, const Vertex& apex) {
    const Corner at_a = cut_point(a, n), at_b = cut_point(b, n), top = point(apex);
    if (starts_at(a, b, n)) {
      add(point(a), point(b), at_b, top);
      add(point(a), at_b, at_a, top);
    } else {
      add(point(a), point(b), at_a, top);
      add(point(b), at_b, at_a, top);
    }
  }

  Corner new_point(const Vec3d& x) {
    mesh_.points.push_back(x);
    return Corner(mesh_.points.size() - 1);
  }
  Corner point(const Vertex& v) {
    Corner& p = point_[std::size_t(v.row)];
    if (p < 0) p = new_point(moved_[std::size_t(v.row)]);
    return p;
  }
  Corner cut_point(const Vertex& a, const Vertex& b) {
    int way = 0;
    for (int w = 0; w < ways; ++w)
      for (const bool forth : {true, false}) {
        const Site to = a.site + (forth ? way_of[w] : -way_of[w]);
        if (std::ranges::equal(to.c, b.site.c)) way = forth ? w : w + ways;
      }
    const auto e = std::size_t(edge_of(a.site, way));
    Corner& p = cut_point_[e];
    if (p < 0) p = new_point(cut_place(e));
    return p;
  }
  double length(Corner a, Corner b) const {
    return norm(mesh_.points[std::size_t(a)] - mesh_.points[std::size_t(b)]);
  }
  void add(Corner a, Corner b, Corner c, Corner d) {
    CellMesh::Tet t{a, b, c, d};
    if (volume_of(mesh_, t) < 0) std::swap(t[2], t[3]);
    mesh_.tets.push_back(t);
  }

  const Shape& shape_;
  double unit_;                     // [m]
  int top_;                         // the largest leaves have 2^top_ cubes along a side
  std::vector<std::int8_t> level_;  // of the leaf that each cube is in
  Vec3d low_;                       // [m] of the site (0, 0, 0)
  int size_[3];                     // sites along the axes, both kinds together
  std::vector<double> distance_;    // [m] of each site, by its slot
  std::vector<std::int32_t> row_;   // of each site in what follows, or -1
  std::vector<Site> sites_;         // those that matter
  std::vector<std::int8_t> sign_;
  std::vector<Vec3d> moved_;               // [m] where they are in the mesh
  std::vector<double> cuts_;               // share of each edge from its first end, or no_cut
  std::vector<Corner> point_, cut_point_;  // of the mesh, or -1 as yet
  CellMesh mesh_;
};

}  // namespace

CellMesh stuff(const Shape& shape, double spacing, double coarsest) {
  return Stuffing(shape, spacing, coarsest).mesh();
}

}  // namespace rtsim
