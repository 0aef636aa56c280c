#include "deformables/mesh_contact.h"

#include <fmt/format.h>

#include <algorithm>

namespace rtsim {

void describe(Describe& d, MeshContactParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.roles("meshes", p.meshes, kinds, "Two meshes or more, which cannot pass through one another.");
  describe(d, p.contact);
  auto names = p.meshes.names;
  std::ranges::sort(names);
  if (d.given("meshes") && (names.size() < 2 || std::ranges::adjacent_find(names) != names.end()))
    d.fault("meshes",
            "must be two different meshes or more; a solver's \"self_contact\" is for one");
}

namespace {

class MeshContact final : public Stage {
 public:
  MeshContact(const MeshContactParams& p, World& world, const std::string& name)
      : meshes_(p.meshes.names),
        points_(name + ".points"),
        contact_(p.contact, world, meshes_),
        position_(world.exec, points(world)),
        velocity_(world.exec, position_.size()),
        inverse_mass_(world.exec, position_.size()) {
    world.add_table(points_, Index(position_.size())).add<Vec<3>>({"before", "m"});
    gather(world, "position", before(world));
  }

  void advance(World& world, const Step& step) override {
    gather(world, "position", position_.span());
    gather(world, "velocity", velocity_.span());
    gather(world, "inverse_mass", inverse_mass_.span());
    contact_.begin(world, step, 1);
    contact_.resolve(world, 0, before(world), position_.span(), velocity_.span(),
                     inverse_mass_.span(), Real(step.dt));
    scatter(world, position_, "position");
    scatter(world, velocity_, "velocity");
    gather(world, "position", before(world));
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    out.push_back({"meshes.intersections", double(contact_.intersections(before(world))), ""});
  }
  std::string warning(World&) const override { return contact_.warning(); }

  std::vector<ColumnUse> uses() const override {
    std::vector<ColumnUse> all;
    for (const std::string& m : meshes_) {
      all.push_back({m, "position", Access::add});
      all.push_back({m, "velocity", Access::add});
    }
    return all;
  }

 private:
  std::size_t points(World& world) const {
    Index n = 0;
    for (const std::string& m : meshes_) n += world.table(m).rows();
    return std::size_t(n);
  }
  // Where points were when this was done last: another stage may have moved them since.
  Span<Vec<3>> before(World& world) const { return world.table(points_).column<Vec<3>>("before"); }
  template <class T>
  void gather(World& world, const char* column, Span<T> to) const {
    T* at = to.data;
    for (const std::string& m : meshes_) {
      const auto from = world.table(m).column<const T>(column);
      world.exec.copy(at, from.data, std::size_t(from.size) * sizeof(T));
      at += from.size;
    }
  }
  template <class T>
  void scatter(World& world, const Buffer<T>& from, const char* column) const {
    const T* at = from.data();
    for (const std::string& m : meshes_) {
      const auto to = world.table(m).column<T>(column);
      world.exec.copy(to.data, at, std::size_t(to.size) * sizeof(T));
      at += to.size;
    }
  }

  std::vector<std::string> meshes_;
  std::string points_;  // table of those of all meshes
  Contact contact_;
  Buffer<Vec<3>> position_, velocity_;  // of one mesh after the other
  Buffer<Real> inverse_mass_;
};

std::unique_ptr<Stage> make_mesh_contact(const MeshContactParams& p, World& world,
                                         const std::string& name) {
  return std::make_unique<MeshContact>(p, world, name);
}

}  // namespace

StageType mesh_contact_type() {
  return stage_type(
      "mesh_contact", "Keeps meshes from passing through one another, whatever solvers move them.",
      "Bridson, Fedkiw & Anderson, \"Robust Treatment of Collisions, Contact and Friction for "
      "Cloth Animation\", SIGGRAPH 2002; advancement after Li, Kaufman & Jiang, \"Codimensional "
      "Incremental Potential Contact\", SIGGRAPH 2021",
      "Acts once a step, behind the solvers of its meshes: it does not know their substeps, so "
      "take "
      "shorter steps where stacks are to stand still. What it pushes into a boundary has to be "
      "kept "
      "out here: give it the boundaries, too. Points that come nearer by more than the thickness "
      "in a step stop short, and their momentum is lost. A mesh that lies wholly inside another "
      "one stays "
      "there.",
      make_mesh_contact);
}

}  // namespace rtsim
