#include "deformables/contacts/mesh_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/respond.h"
#include "contact/self_contact.h"
#include "contact/way_parts.h"
#include "deformables/contacts/answered_contact.h"
#include "deformables/impulse_response.h"
#include "mass_spring/mass_spring.h"

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
  return 12 * sizeof(Vec<3>) + contact_point_bytes(all) + overlaps;
}

namespace {

class MeshContact final : public Stage {
 public:
  MeshContact(const MeshContactParams& p, World& world, const std::string& name)
      : meshes_(p.meshes.names),
        points_(name + ".points"),
        state_(name + ".state"),
        contact_(p.contact, world, meshes_),
        answered_(world.exec, contact_),
        drives_(std::ranges::any_of(p.contact.boundary.names,
                                    [&](const auto& b) { return world.object(b).moving; })),
        position_(world.exec, count(world)),
        velocity_(world.exec, position_.size()),
        from_(world.exec, position_.size()),
        end_(world.exec, position_.size()),
        earlier_(world.exec, position_.size()),
        inverse_mass_(world.exec, position_.size()) {
    world.add_table(points_, Index(position_.size())).add<Vec<3>>({"before", "m"});
    gather(world, "position", before(world));
    world.add_table(state_, 1).add<double>({"taken", "J"});
    // What may come of an overlap that contact did not see come to be: as feed() has it.
    if (contact_.tangled(before(world))) set_energy(world, contact_.feed().hidden * 4);
  }

  void advance(World& world, const Step& step) override {
    gather(world, "position", position_.span());
    gather(world, "velocity", velocity_.span());
    gather(world, "inverse_mass", inverse_mass_.span());
    contact_.begin(world, step, 1);
    if (responds(world))
      collide(world, step);
    else
      push_alone(world, step);
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
  void push_alone(World& world, const Step& step) {
    contact_.resolve(world, 0, before(world), position_.span(), velocity_.span(),
                     inverse_mass_.span(), Real(step.dt));
    if (contact_.stopped_short()) advance_in_parts(world, step);
    contact_.push_apart(position_.span(), velocity_.span(), inverse_mass_.span(), Real(step.dt));
  }

  bool responds(const World& world) const {
    return std::ranges::any_of(meshes_, [&](const auto& m) { return world.responses.contains(m); });
  }

  // What is taken is kept count of from step to step, and parts what overlaps.
  void collide(World& world, const Step& step) {
    const contact::Points points{before(world), position_.span(), velocity_.span(),
                                 inverse_mass_.span(), Real(step.dt)};
    const double taken = answered_.resolve(
        world, 0, step.dt, points,
        [&](Span<const Vec<3>> impulse, double h, Span<Vec<3>> change, bool again) {
          respond(world, {impulse, h, change, again});
        },
        energy(world), [&] { return driven(world); });
    finish(world, step.dt);
    set_energy(world, answered_.push_apart(points, taken));
  }

  void respond(World& world, const ImpulseResponse& all) {
    for_meshes(world, [&](const std::string& mesh, Index first, Index n) {
      const Span<const Vec<3>> impulse{all.impulse.data + first, n};
      const Span<Vec<3>> change{all.change.data + first, n};
      if (const auto found = world.responses.find(mesh); found != world.responses.end())
        found->second(world, {impulse, all.h, change, all.again});
      else
        contact::respond_alone(world.exec, {inverse_mass_.data() + first, n}, impulse, change);
    });
  }

  // Solvers whose state is not that of points take over what all rounds came to.
  void finish(World& world, double h) {
    if (!answered_.pushed()) return;
    scatter(world, position_, "position");
    scatter(world, velocity_, "velocity");
    for_meshes(world, [&](const std::string& mesh, Index first, Index n) {
      if (const auto found = world.responses.find(mesh); found != world.responses.end())
        found->second(world, {{answered_.impulses().data + first, n}, h, {}, true});
    });
    gather(world, "position", position_.span());
    gather(world, "velocity", velocity_.span());
  }

  // For each mesh and its points, which stand one mesh after the other.
  template <class F>
  void for_meshes(World& world, const F& f) const {
    Index first = 0;
    for (const std::string& m : meshes_) {
      const Index n = world.table(m).rows();
      f(m, first, n);
      first += n;
    }
  }

  bool driven(World& world) const {
    return drives_ || std::ranges::any_of(meshes_, [&](const std::string& m) {
             Table& t = world.table(m);
             return mass_spring::moves_held(
                 world.exec, {t.column<const Real>("mass"), t.column<const Real>("inverse_mass"),
                              t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity")});
           });
  }

  double energy(World& world) { return world.table(state_).download<double>("taken")[0]; }
  void set_energy(World& world, double e) {
    world.exec.upload(world.table(state_).column<double>("taken").data, &e, sizeof e);
  }

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

  std::size_t count(World& world) const {
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
  std::string state_;   // table of the energy that contact took and may give back
  Contact contact_;
  AnsweredContact answered_;
  bool drives_;                          // a boundary moves
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
