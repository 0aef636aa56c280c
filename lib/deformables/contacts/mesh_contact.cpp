#include "deformables/contacts/mesh_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/respond.h"
#include "contact/self_contact.h"
#include "contact/way_parts.h"
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
        drives_(std::ranges::any_of(p.contact.boundary.names,
                                    [&](const auto& b) { return world.object(b).moving; })),
        position_(world.exec, count(world)),
        velocity_(world.exec, position_.size()),
        from_(world.exec, position_.size()),
        end_(world.exec, position_.size()),
        earlier_(world.exec, position_.size()),
        free_position_(world.exec, position_.size()),
        free_velocity_(world.exec, position_.size()),
        impulse_(world.exec, position_.size()),
        change_(world.exec, position_.size()),
        total_(world.exec, position_.size()),
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

  // Contact pushes points as if each were alone, but what holds them together takes others along
  // within the step: pushed alone, the points of a stiff surface strain its elements by more energy
  // than their motion had. So pushes count as impulses J alone, and solvers say what velocities dv
  // come of them:
  //   v += s dv,  x += h s dv,  s = J . c / J . dv
  // with the changes c of points alone, so that what is pushed goes as far. Rounds go on with what
  // is left over, until it is so little that points may well be pushed alone.
  //   An implicit step that ends with velocities v is given no more than J . v by impulses J: its
  // elastic energy is convex on the way. Rounds only keep ways from leading nearer, so J . v <= 0,
  // and what is too near stays so. What they took is kept count of, and parts what is too near, or
  // overlaps, as long as it lasts: contact never gives more than it took before.
  void collide(World& world, const Step& step) {
    total_.zero(), prepared_ = responded_ = false;
    double first = 0;
    for (int n = 0; n < most_rounds; ++n) {
      const Pushed pushed = push(world, step, 0);
      first = std::max(first, pushed.alone);
      if (!(pushed.alone > least_pushed * first) || !(pushed.moved > 0)) break;
      take(world, pushed.alone / pushed.moved, step.dt);
    }
    if (responded_) push_rest(world, step);
    double given = contact::work(world.exec, total_.span(), velocity_.span());
    if (given > 0 && driven(world)) given = 0;  // what moves held points and boundaries pays it
    double taken = energy(world) - given;
    taken -= recover(world, step, taken);
    stop_short(world, step);
    finish(world, step.dt);
    set_energy(world, taken - part(world, step.dt, taken));
  }

  void push_rest(World& world, const Step& step) {
    if (!(find_pushes(world, step, 0) > 0)) return;
    contact::respond_alone(world.exec, inverse_mass_.span(), impulse_.span(), change_.span());
    take(world, 1, step.dt);
  }

  // Ways that would still lead through one another are shortened, first with what hangs on them.
  void stop_short(World& world, const Step& step) {
    for (int n = 0; n < most_rounds; ++n) {
      keep(world);
      contact_.stop_short(world, 0, points(world, step.dt));
      const double alone =
          contact::find_impulses(world.exec, inverse_mass_.span(), free_position_.span(),
                                 position_.span(), Real(1 / step.dt), impulse_.span());
      if (!(alone > 0)) return;
      bring_back(world);
      respond(world, step.dt);
      const double moved = contact::work(world.exec, impulse_.span(), change_.span());
      if (!(moved > 0)) break;
      take(world, alone / moved, step.dt);
    }
    contact_.stop_short(world, 0, points(world, step.dt));
  }

  // Moves out what is too near. Returns the energy that this gives, which is no more than `most`.
  double recover(World& world, const Step& step, double most) {
    const Pushed pushed = push(world, step, contact_.recovery() * step.dt);
    if (!(pushed.alone > 0) || !(pushed.moved > 0)) return 0;
    // s times J and dv give s linear + s^2 moved
    const double linear = contact::work(world.exec, impulse_.span(), velocity_.span()) +
                          contact::work(world.exec, total_.span(), change_.span()),
                 s = std::min(pushed.alone / pushed.moved,
                              greatest_part(pushed.moved, linear, most));
    take(world, s, step.dt);
    return s * (linear + s * pushed.moved);
  }

  // Velocities that lead out of what overlaps; as above.
  double part(World& world, double h, double most) {
    keep(world);
    contact_.push_apart(position_.span(), velocity_.span(), inverse_mass_.span(), Real(h));
    const double moved =
        contact::find_impulses(world.exec, inverse_mass_.span(), free_velocity_.span(),
                               velocity_.span(), 1, impulse_.span());
    if (!(moved > 0)) return 0;
    const double linear = contact::work(world.exec, impulse_.span(), free_velocity_.span()),
                 s = std::min(1., greatest_part(moved / 2, linear, most));
    bring_back(world);
    contact::respond_alone(world.exec, inverse_mass_.span(), impulse_.span(), change_.span());
    take(world, s, 0);
    return s * (linear + s * moved / 2);
  }

  // The greatest s with  a s^2 + b s <= c.
  static double greatest_part(double a, double b, double c) {
    if (c < 0 && b >= 0) return 0;
    const double root = b * b + 4 * a * c;
    return root > 0 ? std::max(0., (std::sqrt(root) - b) / (2 * a)) : 0;
  }

  // Impulses J of points alone; returns J . c. What was inside a boundary is moved out without a
  // velocity.
  double find_pushes(World& world, const Step& step, double recovery) {
    keep(world);
    contact_.push(world, 0, points(world, step.dt), recovery, prepared_);
    prepared_ = true;
    const bool places = recovery > 0;
    const double alone = contact::find_impulses(
        world.exec, inverse_mass_.span(), places ? free_position_.span() : free_velocity_.span(),
        places ? position_.span() : velocity_.span(), Real(places ? 1 / step.dt : 1),
        impulse_.span());
    bring_back(world);
    return alone;
  }

  struct Pushed {
    double alone = 0;  // J . c [J]
    double moved = 0;  // J . dv [J]
  };
  Pushed push(World& world, const Step& step, double recovery) {
    Pushed p{find_pushes(world, step, recovery)};
    if (!(p.alone > 0)) return p;
    respond(world, step.dt);
    p.moved = contact::work(world.exec, impulse_.span(), change_.span());
    return p;
  }

  void take(World& world, double s, double h) {
    contact::take_round(world.exec, {impulse_.span(), change_.span()}, Real(s), Real(h),
                        position_.span(), velocity_.span(), total_.span());
  }

  void respond(World& world, double h) {
    Index first = 0;
    for (const std::string& m : meshes_) {
      const Index n = world.table(m).rows();
      const Span<const Vec<3>> impulse{impulse_.data() + first, n};
      const Span<Vec<3>> change{change_.data() + first, n};
      if (const auto found = world.responses.find(m); found != world.responses.end())
        found->second(world, {impulse, h, change, responded_});
      else
        contact::respond_alone(world.exec, {inverse_mass_.data() + first, n}, impulse, change);
      first += n;
    }
    responded_ = true;
  }

  // Solvers whose state is not that of points take over what all rounds came to.
  void finish(World& world, double h) {
    if (!responded_) return;
    scatter(world, position_, "position");
    scatter(world, velocity_, "velocity");
    Index first = 0;
    for (const std::string& m : meshes_) {
      const Index n = world.table(m).rows();
      if (const auto found = world.responses.find(m); found != world.responses.end())
        found->second(world, {{total_.data() + first, n}, h, {}, true});
      first += n;
    }
    gather(world, "position", position_.span());
    gather(world, "velocity", velocity_.span());
  }

  bool driven(World& world) const {
    return drives_ || std::ranges::any_of(meshes_, [&](const std::string& m) {
             Table& t = world.table(m);
             return mass_spring::moves_held(
                 world.exec, {t.column<const Real>("mass"), t.column<const Real>("inverse_mass"),
                              t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity")});
           });
  }

  contact::Points points(World& world, double h) {
    return {before(world), position_.span(), velocity_.span(), inverse_mass_.span(), Real(h)};
  }
  void keep(World& world) {
    const std::size_t bytes = position_.size() * sizeof(Vec<3>);
    world.exec.copy(free_position_.data(), position_.data(), bytes);
    world.exec.copy(free_velocity_.data(), velocity_.data(), bytes);
  }
  void bring_back(World& world) {
    const std::size_t bytes = position_.size() * sizeof(Vec<3>);
    world.exec.copy(position_.data(), free_position_.data(), bytes);
    world.exec.copy(velocity_.data(), free_velocity_.data(), bytes);
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
  static constexpr int most_rounds = 8;
  static constexpr double least_pushed = 1e-4;

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
  bool drives_;                                   // a boundary moves
  Buffer<Vec<3>> position_, velocity_;            // of one mesh after the other
  Buffer<Vec<3>> from_, end_, earlier_;           // of ways in parts
  Buffer<Vec<3>> free_position_, free_velocity_;  // before contact
  Buffer<Vec<3>> impulse_, change_, total_;       // of a round, and of all of a step
  bool prepared_ = false, responded_ = false;     // in this step
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
