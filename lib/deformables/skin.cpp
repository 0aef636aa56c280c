#include "deformables/skin.h"

#include "meshes/adjacency.h"
#include "meshes/embed.h"
#include "skin/skin.h"

namespace rtsim {

void describe(Describe& d, SkinParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.role("mesh", p.mesh, kinds, "The mesh that a solver moves: tetrahedra, or else triangles.");
  d.role("skin", p.skin, kinds, "The mesh that goes with it, as finely made as pictures want.");
}

namespace {

std::vector<Vec3d> places_of(World& world, const std::string& mesh) {
  std::vector<Vec3d> points;
  for (const Vec<3>& x : world.table(mesh).download<Vec<3>>("position")) points.push_back(widen(x));
  return points;
}

std::vector<Embedded> embed_in(World& world, const SkinParams& p) {
  const auto skin = places_of(world, p.skin.name), points = places_of(world, p.mesh.name);
  if (const auto tets = corners_of<4>(world, tet_table(p.mesh.name)); !tets.empty())
    return embed(skin, points, tets);
  if (const auto triangles = corners_of<3>(world, triangle_table(p.mesh.name)); !triangles.empty())
    return embed(skin, points, triangles);
  throw Error(ExitCode::bad_input, "'" + p.mesh.name +
                                       "' has neither tetrahedra nor triangles that "
                                       "a skin could follow");
}

class Skin final : public Stage {
 public:
  Skin(const SkinParams& p, World& world) : p_(p), bindings_(world.exec) {
    std::vector<skin::Binding> bindings;
    for (const Embedded& e : embed_in(world, p)) {
      skin::Binding b;
      for (std::size_t k = 0; k < 4; ++k) b.at[k] = e.at[k], b.weight[k] = Real(e.weight[k]);
      b.offset = Real(e.offset);
      bindings.push_back(b);
    }
    bindings_.upload(bindings);
  }

  void advance(World& world, const Step&) override {
    Table &from = world.table(p_.mesh.name), &to = world.table(p_.skin.name);
    skin::follow(world.exec, bindings_.span(), from.column<const Vec<3>>("position"),
                 from.column<const Vec<3>>("velocity"), to.column<Vec<3>>("position"),
                 to.column<Vec<3>>("velocity"));
  }

  std::vector<ColumnUse> uses() const override {
    return {{p_.mesh.name, "position", Access::read},
            {p_.mesh.name, "velocity", Access::read},
            {p_.skin.name, "position", Access::write},
            {p_.skin.name, "velocity", Access::write}};
  }

 private:
  SkinParams p_;
  Buffer<skin::Binding> bindings_;
};

std::unique_ptr<Stage> make_skin(const SkinParams& p, World& world) {
  return std::make_unique<Skin>(p, world);
}

}  // namespace

StageType skin_type() {
  return stage_type(
      "skin", "Lets a fine mesh follow a coarse one that a solver moves.",
      "Müller & Gross, \"Interactive Virtual Materials\", Graphics Interface 2004, for embedding "
      "by "
      "barycentric weights",
      {"The skin has no mass, no forces and no contact of its own.",
       "Linear in each cell: creases of the coarse mesh show.",
       "Points outside of all tetrahedra follow the nearest one."},
      "docs/cloth_and_soft_bodies.md", make_skin);
}

}  // namespace rtsim
