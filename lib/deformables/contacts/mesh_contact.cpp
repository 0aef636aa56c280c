#include "deformables/contacts/mesh_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/self_contact.h"
#include "contact/way_parts.h"

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

double row_bytes(const MeshContactParams& p, const GridShape&) {
  ContactParams all = p.contact;
  all.self_contact = true;  // of one mesh with another takes the same
  // Of a solid's point: five tets in eight cells of the hash each, its neighbours, its way out.
  const double overlaps = 160 * sizeof(Index) + sizeof(Vec<4>);
  return 7 * sizeof(Vec<3>) + contact_point_bytes(all) + overlaps;
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
        from_(world.exec, position_.size()),
        end_(world.exec, position_.size()),
        earlier_(world.exec, position_.size()),
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
    if (contact_.stopped_short()) advance_in_parts(world, step);
    contact_.push_apart(position_.span(), velocity_.span(), inverse_mass_.span(), Real(step.dt));
    scatter(world, position_, "position");
    scatter(world, velocity_, "velocity");
    gather(world, "position", before(world));
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    out.push_back({"meshes.intersections", double(contact_.intersections(before(world))), ""});
    if (const auto inside = contact_.points_inside(before(world)))
      out.push_back({"meshes.points_inside", double(*inside), ""});
  }
  std::string warning(World&) const override { return contact_.warning(); }

  // A bar that is pushed at one end with a speed v takes in M (2 v)^2 / 2 until its far end has
  // felt it: it then flies at 2 v.
  Feed feed(World&) const override {
    Feed feed = contact_.feed();
    feed.hidden *= 4;
    return feed;
  }

  std::vector<ColumnUse> uses() const override {
    std::vector<ColumnUse> all;
    for (const std::string& m : meshes_) {
      all.push_back({m, "position", Access::add});
      all.push_back({m, "velocity", Access::add});
    }
    return all;
  }

 private:
  // From the beginning of the step again, with ways of half the thickness.
  void advance_in_parts(World& world, const Step& step) {
    gather(world, "position", end_.span());
    const double longest = contact::farthest(world.exec, before(world), end_.span());
    const int parts =
        int(std::clamp(std::ceil(2 * longest / contact_.thickness()), 1., most_parts));
    if (parts == 1) return;  // which is what was resolved
    gather(world, "velocity", earlier_.span());
    const Real h = Real(step.dt / parts);
    const std::size_t bytes = position_.size() * sizeof(Vec<3>);
    world.exec.copy(from_.data(), before(world).data, bytes);
    world.exec.copy(velocity_.data(), earlier_.data(), bytes);
    const contact::WayParts ways{from_.span(), end_.span(), earlier_.span()};
    contact_.begin(world, step, parts);
    for (int k = 0; k < parts; ++k) {
      contact::aim(world.exec, ways, parts - k, position_.span());
      contact_.resolve(world, k, from_.span(), position_.span(), velocity_.span(),
                       inverse_mass_.span(), h);
      contact::go_on(world.exec, ways, parts - k, Real(parts - k - 1) * h, position_.span(),
                     velocity_.span());
    }
  }

  static constexpr double most_parts = 64;

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
  Buffer<Vec<3>> position_, velocity_;   // of one mesh after the other
  Buffer<Vec<3>> from_, end_, earlier_;  // of ways in parts
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
      {"Acts once a step, not in every substep: stacks at rest need short steps.",
       "Points that move by more than 32 thicknesses in a step lose momentum.",
       "Moves apart what overlaps tetrahedra; cloth that starts tangled with cloth stays so."},
      "docs/cloth_and_soft_bodies.md", make_mesh_contact);
}

}  // namespace rtsim
