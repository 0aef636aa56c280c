#include "shapes/sample.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "shapes/lattice.h"
#include "shapes/openness.h"
#include "shapes/point_grid.h"

namespace rtsim {
namespace {

// Tolerances in spacings.
constexpr double apart = 0.9;         // samples that had to be placed keep this far from all others
constexpr double on_lattice = 0.01;   // a lattice point this near the level is on it
constexpr double on_level = 1e-4;     // where projection stops
constexpr double near = 0.5;          // lattice points this near the level may be moved onto it
constexpr int finer = 3;              // places are looked for on a lattice this much finer,
constexpr double band = 0.5 / finer;  // as near the level as half its spacing
constexpr double bare = 1.25;         // surface this far from all samples may be thin

// One level set of a shape's distance, and the blocks of lattice cells it passes through.
class Level {
 public:
  Level(const Shape& shape, double level, double spacing, int dim)
      : shape_(shape), level_(level), spacing_(spacing), dim_(dim) {}

  double offset(const Vec3d& x) const { return shape_.distance(x) - level_; }

  // Calls found(x, offset) for the cell centres that lie within `band` of the level, passing over
  // those where done(x, 0). Blocks are halved until none of their points can be near (the distance
  // is 1-Lipschitz); a small block of which done(middle, radius) holds is passed over as a whole.
  template <class Done, class Found>
  void visit(const Lattice& lattice, const CellRange& block, double band, const Done& done,
             const Found& found) const {
    std::int64_t size = 1;
    int axis = 0;
    for (int a = 0; a < dim_; ++a) {
      const std::int64_t n = block.high[a] - block.low[a];
      if (n <= 0) return;
      size *= n;
      if (n > block.high[axis] - block.low[axis]) axis = a;
    }
    const Vec3d x = middle(lattice, block);
    const double r = radius(lattice, block);
    if (size <= 8 && done(x, r)) return;
    const double f = offset(x);
    if (std::abs(f) > band + r) return;
    if (size == 1) return found(x, f);
    CellRange left = block, right = block;
    left.high[axis] = right.low[axis] = (block.low[axis] + block.high[axis]) / 2;
    visit(lattice, left, band, done, found);
    visit(lattice, right, band, done, found);
  }

  // Newton on offset(x) = 0 along the gradient; nothing where it does not arrive.
  std::optional<Vec3d> project(Vec3d x) const {
    for (int iteration = 0; iteration < 8; ++iteration) {
      const double f = offset(x);
      if (std::abs(f) <= on_level * spacing_) return x;
      const Vec3d g = gradient(x, f);
      const double g2 = dot(g, g);
      if (g2 < 0.25) return std::nullopt;
      x = x - (f / g2) * g;
    }
    return std::nullopt;
  }

  // Forward differences from f = offset(x); of length 1 but where several surface points are
  // nearest.
  Vec3d gradient(const Vec3d& x, double f) const {
    const double e = 1e-5 * spacing_;
    Vec3d g;
    for (int a = 0; a < dim_; ++a) {
      Vec3d beside = x;
      beside[a] += e;
      g[a] = (offset(beside) - f) / e;
    }
    return g;
  }

 private:
  Vec3d middle(const Lattice& lattice, const CellRange& block) const {
    return 0.5 * (lattice.centre(block.low) +
                  lattice.centre({block.high[0] - 1, block.high[1] - 1, block.high[2] - 1}));
  }
  double radius(const Lattice& lattice, const CellRange& block) const {
    double sum = 0;
    for (int a = 0; a < dim_; ++a) {
      const double half = 0.5 * double(block.high[a] - block.low[a] - 1) * lattice.spacing;
      sum += half * half;
    }
    return std::sqrt(sum);
  }

  const Shape& shape_;
  double level_, spacing_;
  int dim_;
};

// Where a shape's surface lies, cut to the region where it is infinite, and the lattice that starts
// at its lower corner: the one that fills a shape of these bounds.
struct Site {
  Lattice lattice;
  CellRange cells;
};

Site site_of(const Shape& shape, double spacing, int dim, const Bounds& region, int layers) {
  const Bounds surface = shape.surface_bounds();
  Site site{{{}, spacing, dim}, {}};
  Vec3d low, high;
  for (int a = 0; a < dim; ++a) {
    const bool from = std::isfinite(surface.min[a]), to = std::isfinite(surface.max[a]);
    site.lattice.origin[a] = from ? surface.min[a] : to ? surface.max[a] : region.min[a];
    // A sheet across an axis lies on cell centres, not between two.
    if (!shape.closed() && surface.max[a] == surface.min[a]) site.lattice.origin[a] -= spacing / 2;
    low[a] = from ? surface.min[a] - layers * spacing : region.min[a];
    high[a] = to ? surface.max[a] + layers * spacing : region.max[a];
  }
  site.cells = cells_between(site.lattice, low, high);
  return site;
}

// One layer, beside those that were accepted before.
class Sampler {
 public:
  Sampler(const Shape& shape, double spacing, int dim, const Bounds& region, int layer,
          PointGrid& accepted)
      : shape_(shape),
        spacing_(spacing),
        dim_(dim),
        layer_(layer),
        depth_(shape.closed() ? -(layer + 0.5) * spacing : 0),
        level_(shape, depth_, spacing, dim),
        site_(site_of(shape, spacing, dim, region, layer + 1)),
        before_(accepted),
        accepted_(accepted) {}

  void run() {
    find_near_cells();
    take_aligned();
    if (shape_.closed()) take_concave_edges();
    take_projected();
    take_between();
    if (shape_.closed() && layer_ == 0) take_thin();
  }

 private:
  struct NearCell {
    Vec3d x;
    double offset;
  };
  static constexpr auto none = [](const Vec3d&, double) { return false; };

  bool free(const Vec3d& x, double r) const { return !accepted_.any_within(x, r * spacing_); }
  void take(const Vec3d& x) {
    if (free(x, apart)) accepted_.add(x);
  }

  // In a concave edge the lattice goes on as far as the diagonal of a square, or of a cube, where
  // the level is an arc.
  void find_near_cells() {
    const double edge = layer_ == 0 ? 0 : (std::sqrt(dim_) - 1) * (layer_ + 0.5) + on_lattice;
    level_.visit(site_.lattice, site_.cells, std::max(near, edge) * spacing_, none,
                 [this](const Vec3d& x, double f) {
                   near_.push_back({x, f});
                 });
  }

  // Faces along the axes: their samples continue the lattice.
  void take_aligned() {
    for (const NearCell& c : near_)
      if (std::abs(c.offset) <= on_lattice * spacing_) accepted_.add(c.x);
  }

  // Inside a tank's edges and corners the level is rounded and misses the lattice point, which
  // fluid in the corner needs: one whose neighbours along two axes, or three, are taken, and whose
  // diagonal neighbour between them is outside the solid, or in an earlier layer. Deeper layers
  // grow round the edge from both sides.
  void take_concave_edges() {
    bool grown = false;
    do {
      grown = false;
      for (int axes = 2; axes <= dim_; ++axes) {
        std::vector<Vec3d> found;
        for (const NearCell& c : near_)
          if (in_edge(c) && joins_faces(c.x, axes)) found.push_back(c.x);
        for (const Vec3d& x : found) accepted_.add(x);
        grown |= !found.empty();
      }
    } while (grown && layer_ > 0);
  }

  bool in_edge(const NearCell& c) const {
    const double off = on_lattice * spacing_;
    return layer_ == 0 ? std::abs(c.offset) > off : c.offset < -off;
  }

  bool is_before(const Vec3d& x) const {
    return layer_ == 0 ? shape_.distance(x) > 0 : before_.any_within(x, on_lattice * spacing_);
  }

  bool joins_faces(const Vec3d& x, int axes) const {
    if (!free(x, on_lattice)) return false;
    bool taken[3][2] = {};
    for (int a = 0; a < dim_; ++a)
      for (int side = 0; side < 2; ++side) taken[a][side] = !free(step(x, a, side), on_lattice);
    for (int way = 0; way < 27; ++way) {  // base 3: down, up or not along each axis
      const int sides[3] = {way % 3, way / 3 % 3, way / 9};
      Vec3d diagonal = x;
      int count = 0;
      for (int a = 0; a < dim_; ++a)
        if (sides[a] < 2 && taken[a][sides[a]])
          diagonal = step(diagonal, a, sides[a]), ++count;
        else if (sides[a] < 2)
          count = -3;
      if (count == axes && is_before(diagonal)) return true;
    }
    return false;
  }
  Vec3d step(Vec3d x, int axis, int side) const {
    x[axis] += side ? spacing_ : -spacing_;
    return x;
  }

  // Lattice points near the level moved onto it: rows stay in step with the lattice.
  void take_projected() {
    for (const NearCell& c : near_)
      if (std::abs(c.offset) <= near * spacing_ && free(c.x, apart - std::abs(c.offset) / spacing_))
        if (const auto x = level_.project(c.x)) take(*x);
  }

  // What is still bare, from a finer lattice. A point within half a fine cell of the level moves by
  // no more than that, so one with a sample well within `apart` need not be tried.
  void take_between() {
    level_.visit(
        finer_lattice(), finer_cells(), band * spacing_,
        [&](const Vec3d& x, double r) { return !free(x, apart - band - r / spacing_); },
        [&](const Vec3d& x, double) {
          if (const auto p = level_.project(x)) take(*p);
        });
  }

  // Solids thinner than a spacing have no level half a spacing deep: where the surface has no
  // sample near, new ones lie as deep as they can.
  void take_thin() {
    const PointGrid regular = accepted_;
    const Level surface(shape_, 0, spacing_, dim_);
    surface.visit(
        finer_lattice(), finer_cells(), band * spacing_,
        [&](const Vec3d& x, double r) { return regular.any_within(x, bare * spacing_ - r); },
        [&](const Vec3d& x, double f) {
          if (const auto p = deepest(surface, x, f)) take(*p);
        });
  }

  // Walks from the surface into the solid, up to once an axis along the inward normal (the faces of
  // a corner each turn it); nothing where half a spacing of depth is reached.
  std::optional<Vec3d> deepest(const Level& surface, Vec3d x, double depth) const {
    for (int turn = 0; turn < dim_; ++turn) {
      const Vec3d n = surface.gradient(x, depth), from = x;
      const double before = depth;
      for (int k = 8; k >= 1; --k) {
        const Vec3d p = from - (0.125 * k * spacing_) * n;
        const double d = surface.offset(p);
        if (d < 0.98 * depth_) return std::nullopt;
        if (d < depth) depth = d, x = p;
      }
      if (depth > before - 0.02 * spacing_) break;
    }
    if (depth < 0) return x;
    return std::nullopt;
  }

  Lattice finer_lattice() const { return {site_.lattice.origin, spacing_ / finer, dim_}; }
  CellRange finer_cells() const {
    CellRange cells = site_.cells;
    for (int a = 0; a < dim_; ++a) cells.low[a] *= finer, cells.high[a] *= finer;
    return cells;
  }

  const Shape& shape_;
  double spacing_;
  int dim_, layer_;
  double depth_;
  Level level_;
  Site site_;
  const PointGrid before_;
  PointGrid& accepted_;
  std::vector<NearCell> near_;
};

}  // namespace

std::vector<SurfaceSample> sample_surface(const Shape& shape, double spacing, int dim,
                                          const Bounds& region, int layers) {
  const double area = dim == 3 ? spacing * spacing : spacing;
  PointGrid accepted(spacing);
  std::vector<SurfaceSample> samples;
  for (int layer = 0; layer < (shape.closed() ? layers : 1); ++layer) {
    Sampler(shape, spacing, dim, region, layer, accepted).run();
    for (std::size_t k = samples.size(); k < accepted.points().size(); ++k) {
      const Vec3d& x = accepted.points()[k];
      samples.push_back(
          {x, layer == 0 ? area : 0, layer, layer == 0 ? openness(shape, x, spacing, dim) : 0});
      if (layer == 0 && shape.closed())
        samples.back().thickness = thickness(shape, x, layers * spacing, spacing, dim);
    }
  }
  return samples;
}

}  // namespace rtsim
