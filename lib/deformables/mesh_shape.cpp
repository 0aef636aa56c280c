#include "deformables/mesh_shape.h"

#include "meshes/adjacency.h"
#include "skin/skin.h"

namespace rtsim {

void describe(Describe& d, MeshShapeParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.role("mesh", p.mesh, kinds, "The mesh that gets the columns.");
}

namespace {

class MeshShapeColumns final : public Stage {
 public:
  MeshShapeColumns(const MeshShapeParams& p, World& world)
      : mesh_(p.mesh.name),
        fan_first_(world.exec),
        fan_slots_(world.exec),
        star_first_(world.exec),
        star_slots_(world.exec),
        length_(world.exec) {
    Table& t = world.table(mesh_);
    const auto points = std::size_t(t.rows());
    const auto edges = corners_of<2>(world, edge_table(mesh_));
    const Incidence star = incidence_of(points, edges);
    star_first_.upload(star.first), star_slots_.upload(star.slots);
    const auto x = t.download<Vec<3>>("position");
    std::vector<Real> length;
    for (const auto& e : edges) length.push_back(norm(x[std::size_t(e[1])] - x[std::size_t(e[0])]));
    length_.upload(length);
    t.add<Real>({"strain", "", Role::derived});
    if (!world.has_table(triangle_table(mesh_))) return;
    const Incidence fan = incidence_of(points, corners_of<3>(world, triangle_table(mesh_)));
    fan_first_.upload(fan.first), fan_slots_.upload(fan.slots);
    t.add<Vec<3>>({"normal", "", Role::derived});
  }

  void advance(World&, const Step&) override {}

  void before_frame(World& world) override {
    Table& t = world.table(mesh_);
    const auto position = t.column<const Vec<3>>("position");
    Table& edges = world.table(edge_table(mesh_));
    skin::strains(world.exec,
                  {edges.column<const Corners<2>>("corners"), length_.span(), torn_of(edges),
                   star_first_.span(), star_slots_.span()},
                  position, t.column<Real>("strain"));
    if (!t.has("normal")) return;
    Table& triangles = world.table(triangle_table(mesh_));
    skin::normals(world.exec,
                  {triangles.column<const Corners<3>>("corners"), torn_of(triangles),
                   fan_first_.span(), fan_slots_.span()},
                  position, t.column<Vec<3>>("normal"));
  }

  std::vector<ColumnUse> uses() const override {
    return {{mesh_, "position", Access::read}, {mesh_, "strain", Access::write}};
  }

 private:
  std::string mesh_;
  Buffer<Index> fan_first_, fan_slots_, star_first_, star_slots_;
  Buffer<Real> length_;
};

std::unique_ptr<Stage> make_mesh_shape(const MeshShapeParams& p, World& world) {
  return std::make_unique<MeshShapeColumns>(p, world);
}

}  // namespace

StageType mesh_shape_type() {
  return stage_type(
      "mesh_shape", "Adds normals and strains of a mesh to its frames.",
      "normals: the mean of a point's triangles by area; strain: |x_j - x_i| / L - 1 "
      "of the point's edge that is strained most, below 0 where it is shorter",
      {"Computed for frames only.", "Strains refer to the lengths of edges at the start."},
      "docs/cloth_and_soft_bodies.md", make_mesh_shape);
}

}  // namespace rtsim
