#include <openvdb/tools/SignedFloodFill.h>
#include <openvdb/tools/VolumeToMesh.h>

#include "surfaces/signed_field.h"

namespace rtsim {

namespace {

using openvdb::Vec4I;

double length2(const Vec3d& a, const Vec3d& b) { return dot(a - b, a - b); }

// A quad's two triangles, cut along its shorter diagonal.
void add_quad(TriangleMesh& mesh, const Vec4I& q) {
  const auto corner = [&](int k) { return std::int32_t(q[k % 4]); };
  const auto at = [&](int k) { return mesh.vertices[std::size_t(corner(k))]; };
  const int k = length2(at(0), at(2)) <= length2(at(1), at(3)) ? 0 : 1;
  mesh.triangles.push_back({corner(k), corner(k + 1), corner(k + 2)});
  mesh.triangles.push_back({corner(k), corner(k + 2), corner(k + 3)});
}

}  // namespace

TriangleMesh surface_mesh(const openvdb::FloatGrid& field, double voxel) {
  openvdb::FloatGrid::Ptr filled = field.deepCopy();
  openvdb::tools::signedFloodFill(filled->tree());
  return contour(*filled, 0, voxel);
}

TriangleMesh contour(const openvdb::FloatGrid& field, double value, double voxel) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;  // none without adaptivity
  std::vector<Vec4I> quads;
  const openvdb::FloatGrid::ConstPtr plain = field.copyReplacingMetadataAndTransform(
      {}, openvdb::math::Transform::createLinearTransform());
  openvdb::tools::volumeToMesh(*plain, points, triangles, quads, value, /*adaptivity=*/0);

  TriangleMesh mesh;
  for (const openvdb::Vec3s& p : points)
    mesh.vertices.push_back({{voxel * p[0], voxel * p[1], voxel * p[2]}});
  for (const Vec4I& q : quads) add_quad(mesh, q);
  return mesh;
}

}  // namespace rtsim
