#include "shapes/height_map.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "shapes/ascii_grid.h"
#include "shapes/grey_image.h"
#include "shapes/shape_parts.h"
#include "shapes/triangle_tree.h"

namespace rtsim {
namespace {

// The larger of two distances: to the terrain, which goes on level beyond the rectangle so that it
// has no rim, and to the rectangle's walls.
class HeightMap : public Shape {
 public:
  HeightMap(const HeightMapSpec& s, GreyImage image)
      : min_(s.min), max_(s.max), image_(std::move(image)), tree_(terrain()) {}

  double distance(const Vec3d& x) const override {
    const double to_terrain = tree_.nearest(x).distance;
    const double signed_terrain = x[1] < height(x[0], x[2]) ? -to_terrain : to_terrain;
    return std::max(signed_terrain, to_walls(x));
  }
  Bounds bounds() const override {
    return {{{min_[0], -infinity, min_[2]}}, {{max_[0], tree_.bounds().max[1], max_[2]}}};
  }
  // Distances to the walls are those of a box without floor and lid.
  void write(ShapeParts& parts) const override {
    const double far = 1e3 * norm(max_ - min_);
    parts.add(
        {.kind = ShapePart::Kind::mesh, .tree = &tree_, .normals = PseudoNormals(tree_.mesh())});
    parts.add({ShapePart::Kind::box,
               {{min_[0], min_[1] - far, min_[2]}},
               {{max_[0], max_[1] + far, max_[2]}}});
    parts.add({ShapePart::Kind::greatest});
  }

 private:
  double height_of(int i, int j) const {
    return min_[1] + (max_[1] - min_[1]) * image_.at(std::clamp(i, 0, image_.width - 1),
                                                     std::clamp(j, 0, image_.height - 1));
  }

  // Pixels, and a ring of corners far outside at the height of the border.
  TriangleMesh terrain() const {
    const int nx = image_.width + 2, nz = image_.height + 2;
    const double far = 10 * norm(max_ - min_);
    TriangleMesh mesh;
    for (int j = 0; j < nz; ++j)
      for (int i = 0; i < nx; ++i)
        mesh.vertices.push_back({{coordinate(0, i - 1, image_.width, far), height_of(i - 1, j - 1),
                                  coordinate(2, j - 1, image_.height, far)}});
    for (int j = 0; j + 1 < nz; ++j)
      for (int i = 0; i + 1 < nx; ++i) {
        const int a = j * nx + i, b = a + 1, c = a + nx, d = c + 1;
        mesh.triangles.push_back({a, d, b});
        mesh.triangles.push_back({a, c, d});
      }
    return mesh;
  }

  double coordinate(int axis, int i, int n, double far) const {
    if (i < 0) return min_[axis] - far;
    if (i >= n) return max_[axis] + far;
    return min_[axis] + (max_[axis] - min_[axis]) * i / (n - 1);
  }

  // On the same triangles: the cell's diagonal runs from its lower to its upper corner.
  double height(double x, double z) const {
    const double u = std::clamp((x - min_[0]) / (max_[0] - min_[0]), 0.0, 1.0) * (image_.width - 1);
    const double v =
        std::clamp((z - min_[2]) / (max_[2] - min_[2]), 0.0, 1.0) * (image_.height - 1);
    const int i = std::min(int(u), image_.width - 2), j = std::min(int(v), image_.height - 2);
    const double p = u - i, q = v - j;
    const double a = height_of(i, j), d = height_of(i + 1, j + 1);
    if (p > q) return a + p * (height_of(i + 1, j) - a) + q * (d - height_of(i + 1, j));
    return a + q * (height_of(i, j + 1) - a) + p * (d - height_of(i, j + 1));
  }

  double to_walls(const Vec3d& x) const {
    const double qx = std::max(min_[0] - x[0], x[0] - max_[0]);
    const double qz = std::max(min_[2] - x[2], x[2] - max_[2]);
    if (qx > 0 && qz > 0) return std::hypot(qx, qz);
    return std::max(qx, qz);
  }

  Vec3d min_, max_;
  GreyImage image_;
  TriangleTree tree_;
};

}  // namespace

std::unique_ptr<Shape> make_height_map(const HeightMapSpec& s) {
  const bool grid = std::filesystem::path(s.file.path).extension() == ".asc";
  return std::make_unique<HeightMap>(
      s, grid ? read_ascii_grid(s.file.path, s.min[1], s.max[1]) : read_grey_png(s.file.path));
}

}  // namespace rtsim
