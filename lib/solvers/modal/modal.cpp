#include "solvers/modal/modal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "contact/respond.h"
#include "deformables/contacts/contact.h"
#include "deformables/halving.h"
#include "deformables/impulse_response.h"
#include "deformables/mesh_series.h"
#include "modal/modal.h"
#include "solvers/fem/fem.h"
#include "solvers/modal/modal_contact.h"
#include "solvers/modal/modal_motion.h"
#include "stage/fed.h"

namespace rtsim {

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int most_solves = 4;       // of a step with contact, each with what the last ran into
constexpr int modes_in_series = 5;   // the lowest
constexpr int most_halvings = 6;     // of a step of a free mesh
constexpr double most_risen = 1e-2;  // of energy, by the swing of the splitting
constexpr double rigid_base = 1e-5;  // of the mesh's size: how far held points may move apart

ModeShapes shapes_of(const ModalParams& p, const RestMesh& rest) {
  const double most = p.highest_frequency ? 2 * std::numbers::pi * *p.highest_frequency
                                          : std::numeric_limits<double>::infinity();
  refuse_locked(rest.elements, p.poissons_ratio);
  return mode_shapes(rest, lame_of(p.youngs_modulus, p.poissons_ratio), {p.modes, most});
}

std::vector<double> damping_of(const ModalParams& p, const ModeShapes& shapes) {
  std::vector<double> zeta;
  for (const double w : shapes.omega)
    zeta.push_back(p.damping_ratio + (p.rayleigh_mass / w + p.rayleigh_stiffness * w) / 2);
  return zeta;
}

ContactParams contact_of(const ModalParams& p) {
  ContactParams c;
  c.boundary = p.boundary, c.thickness = p.thickness;
  c.friction = p.friction, c.recovery = p.recovery;
  return c;
}

std::vector<modal::ShapeSlot> slots_of(const MatrixXd& rows) {
  const auto points = std::size_t(rows.rows() / 3), modes = std::size_t(rows.cols()),
             wide = std::size_t(lane_count);
  std::vector<modal::ShapeSlot> slots((points + wide - 1) / wide * modes, modal::ShapeSlot{});
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t j = 0; j < modes; ++j)
      for (std::size_t a = 0; a < 3; ++a)
        slots[i / wide * modes + j].u[a][i % wide] =
            Real(rows(Eigen::Index(3 * i + a), Eigen::Index(j)));
  return slots;
}

std::vector<modal::PointSlot> slots_of(const RestMesh& m, const Vector3d& centre) {
  const std::size_t wide = lane_count;
  std::vector<modal::PointSlot> slots((m.place.size() + wide - 1) / wide, modal::PointSlot{});
  for (std::size_t i = 0; i < m.place.size(); ++i) {
    modal::PointSlot& s = slots[i / wide];
    for (int a = 0; a < 3; ++a) s.rest[a][i % wide] = Real(m.place[i][a] - centre[a]);
    s.mass[i % wide] = m.held[i] ? Real(0) : Real(m.mass[i]);
  }
  return slots;
}

Vec3d vec(const Vector3d& v) { return {{v[0], v[1], v[2]}}; }
Vector3d vec(const Vec3d& v) { return {v[0], v[1], v[2]}; }

double size_of(const RestMesh& m) {
  double size = 0;
  for (const Vec3d& x : m.place) size = std::max(size, norm(x - m.place[0]));
  return size;
}

class Modal final : public Stage {
 public:
  Modal(const ModalParams& p, World& world, const std::string& name)
      : p_(p),
        modes_(name + ".modes"),
        frame_(name + ".frame"),
        rest_(rest_mesh(world, p.mesh.name)),
        size_(size_of(rest_)),
        shapes_(shapes_of(p, rest_)),
        motion_(rest_, shapes_, damping_of(p, shapes_)),
        fed_(world, name),
        contact_(contact_of(p), world, p.mesh.name),
        contacts_(p.friction, p.recovery, 1e-3 * std::max(contact_.thickness(), 1e-6 * size_)),
        point_slots_(world.exec),
        shape_slots_(world.exec),
        turn_slots_(world.exec),
        amplitudes_(world.exec),
        parts_(world.exec),
        rest_places_(world.exec),
        held_rows_(world.exec),
        inverse_mass_(world.exec),
        left_(world.exec),
        scratch_(world.exec),
        more_(world.exec),
        found_(world.exec),
        impulses_(world.exec) {
    if (p.warping && motion_.free())
      throw Error(ExitCode::bad_input,
                  fmt::format("\"warping\" of '{}', which is free: what is warped does not keep "
                              "its angular momentum; hold points, or leave \"warping\" out",
                              p.mesh.name));
    upload(world);
    add_tables(world);
    start(world);
    world.responses[p.mesh.name] = [this](World& w, const ImpulseResponse& r) { respond(w, r); };
  }

  void advance(World& world, const Step& step) override {
    refuse_other_hold(world);
    ModalState s = load(world);
    double fed = motion_.free() ? 0 : move_base(world, s, step.dt);
    const ModalState before = s;
    const Kicks kicks = kicks_of(world, s);
    const ModalForces forces = forces_of(world, s, kicks, step.dt);
    s = motion_.free() ? fly(world, before, forces, step.dt) : swing(before, forces, step.dt);
    if (contact_.any()) s = collide(world, step, before, forces);
    store(world, s);
    place(world, s);
    if (!motion_.free()) fed += work_of_base(world, before, s, step.dt);
    if (kicks.any) fed += work(kicks, before, s, step.dt) - kicks.work;
    if (fed != 0) fed_.add(world, fed);
    watch(s);
  }

  void refresh(World& world, double) override {
    scratch_.resize(left_.size());
    place_points(world, load(world), scratch_.span(), left_.span());
  }

  std::string warning(World&) const override {
    if (made_energy_) return Halving::warning(p_.mesh.name, 1 << most_halvings);
    if (!contacts_.converged())
      return fmt::format(
          "contacts of '{}' did not converge: points may sink in; take shorter steps",
          p_.mesh.name);
    return contact_.warning();
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const std::string& m = p_.mesh.name;
    const ModalState s = load(world);
    const std::size_t first = out.size();
    measure_motion(world, m, out);
    // As the modes have it, in double, where places and velocities follow from them.
    const auto exact = [&](const std::string& quantity, double value) {
      const auto at = std::ranges::find(out.begin() + std::ptrdiff_t(first), out.end(),
                                        m + "." + quantity, &Measurement::name);
      at->value = value;
    };
    exact("kinetic_energy", motion_.kinetic_energy(s));
    if (motion_.free()) {
      const Vector3d turn = s.place.cross(s.momentum) + s.angular_momentum;
      const Vec3d g{{world.gravity[0], world.gravity[1], world.gravity[2]}};
      exact("potential_energy", -motion_.mass() * vec(g).dot(s.place));
      for (int a = 0; a < 3; ++a) {
        exact(std::string("momentum.") + "xyz"[a], s.momentum[a]);
        exact(std::string("angular_momentum.") + "xyz"[a], turn[a]);
      }
    }
    out.push_back({m + ".elastic_energy", motion_.elastic_energy(s), "J"});
    const VectorXd rate = motion_.rates(s);
    for (Eigen::Index j = 0; j < std::min<Eigen::Index>(modes_in_series, motion_.modes()); ++j)
      out.push_back({fmt::format("{}.mode_{}", m, j + 1),
                     largest_[std::size_t(j)] * std::hypot(s.q[j], rate[j] / motion_.omega()[j]),
                     "m"});
    if (contact_.any()) out.push_back({m + ".contacts", double(touching_), ""});
    fed_.measure(world, m, out);
  }

  Feed feed(World&) const override { return contact_.feed(); }

  std::vector<ColumnUse> uses() const override { return uses_of_mesh(p_.mesh.name); }

 private:
  // What other stages gave to points since their last step, as impulses.
  struct Kicks {
    bool any = false;
    ModalForces impulse;
    double work = 0;  // [J] that they count for it
  };

  void upload(World& world) {
    point_slots_.upload(slots_of(rest_, motion_.centre()));
    shape_slots_.upload(slots_of(shapes_.phi));
    const MatrixXd turns = p_.warping ? shape_turns(rest_, shapes_.phi) : MatrixXd();
    if (p_.warping) turn_slots_.upload(slots_of(turns));
    if (contact_.any()) points_.emplace(rest_, motion_.centre(), shapes_.phi, turns);
    rest_places_.upload(table(world).download<Vec<3>>("position"));
    inverse_mass_.upload(table(world).download<Real>("inverse_mass"));
    std::vector<Index> held;
    for (std::size_t k = 0; k < rest_.held.size(); ++k)
      if (rest_.held[k]) held.push_back(Index(k));
    held_rows_.upload(held);
    for (Eigen::Index j = 0; j < shapes_.phi.cols(); ++j) {
      double most = 0;
      for (Eigen::Index i = 0; i < shapes_.phi.rows(); i += 3)
        most = std::max(most, shapes_.phi.block<3, 1>(i, j).norm());
      largest_.push_back(most);
    }
    shapes_.phi = MatrixXd();
    left_.resize(rest_places_.size());
    left_.zero();
    parts_.resize(std::size_t(modal::sum_parts(shapes()) * (motion_.modes() + modal::extra_sums)));
  }

  void add_tables(World& world) {
    std::vector<double> hertz;
    for (const double w : shapes_.omega) hertz.push_back(w / (2 * std::numbers::pi));
    Table& modes = world.add_table(modes_, Index(motion_.modes()));
    modes.add<double>({"amplitude", "m*kg^(1/2)"});
    modes.add<double>({"momentum", "m*kg^(1/2)/s"});
    modes.add<double>({"frequency", "Hz", Role::derived}, hertz);
    Table& frame = world.add_table(frame_, 1);
    frame.add<Vec3d>({"place", "m"});
    frame.add<Vec3d>({"momentum", "kg*m/s"});
    frame.add<VecT<double, 4>>({"orientation", ""});
    frame.add<Vec3d>({"angular_momentum", "kg*m^2/s"});
    frame.add<std::int32_t>({"halvings", ""});
    frame.add<double>({"risen", "J"});
  }

  // From the velocities that the mesh begins with.
  void start(World& world) {
    ModalState s = motion_.at_rest();
    const Kicks kicks = kicks_of(world, s);
    if (kicks.any) s = motion_.kicked(std::move(s), kicks.impulse);
    store(world, s);
    if (kicks.any) place(world, s);
  }

  // Held points that move along with a base: what bends is as seen from there, and feels each
  // change of its velocity. Returns the work of that change [J].
  double move_base(World& world, ModalState& s, double dt) {
    Table& t = table(world);
    const modal::Shift shift = modal::shift_of(world.exec, held_rows_.span(), rest_places_.span(),
                                               t.column<const Vec<3>>("target"));
    const Vec3d low = widen(shift.low), high = widen(shift.high);
    if (norm(high - low) > rigid_base * (size_ + norm(high)))
      throw Error(ExitCode::bad_input,
                  fmt::format("held points of '{}' turn, or move apart: its modes are those of a "
                              "base that only shifts; let all \"attach\" move alike without "
                              "turning, or take \"fem\"",
                              p_.mesh.name));
    const Vector3d to = motion_.centre() + vec(0.5 * (low + high));
    const Vector3d velocity = (to - s.place) / dt;
    const double before = motion_.kinetic_energy(s);
    s.p -= motion_.weights().transpose() * (velocity - motion_.velocity(s));
    s.momentum = motion_.mass() * velocity;
    return motion_.kinetic_energy(s) - before;
  }
  // Of the base on its way with the velocity V: V . (what the mesh's momentum changes by, less what
  // weight and contact give to it).
  double work_of_base(World& world, const ModalState& from, const ModalState& to, double dt) const {
    const Vector3d V = motion_.velocity(to);
    if (V.isZero(0)) return 0;
    const Vector3d g(world.gravity[0], world.gravity[1], world.gravity[2]);
    return V.dot(motion_.weights() * (to.p - from.p) - dt * motion_.mass() * g - pushed_);
  }
  void refuse_other_hold(World& world) const {
    Table& t = table(world);
    if (!modal::any_changed(world.exec, t.column<const Real>("inverse_mass"), inverse_mass_.span()))
      return;
    const auto now = t.download<Real>("inverse_mass");
    const std::vector<Real> before = inverse_mass_.download();
    const auto point = std::ranges::mismatch(now, before).in1 - now.begin();
    throw Error(
        ExitCode::bad_input,
        fmt::format("point {} of '{}' is held otherwise than when its modes were found, "
                    "before the run: put \"attach\" before \"modal\", with no \"start\" and "
                    "no \"end\", or take \"fem\"",
                    point, p_.mesh.name));
  }

  Kicks kicks_of(World& world, const ModalState& s) {
    const auto v = table(world).column<const Vec<3>>("velocity");
    Kicks k;
    k.any = modal::any_changed(world.exec, modal::numbers(v), modal::numbers(left_.span()));
    if (!k.any) return k;
    k.impulse = impulses_of(world, s, v, left_.span());
    k.work = sum_of_parts()[motion_.modes() + 6];
    return k;
  }
  // Of what changed the velocities of points.
  ModalForces impulses_of(World& world, const ModalState& s, Span<const Vec<3>> after,
                          Span<const Vec<3>> before) {
    modal::project(world.exec, shapes(), frame(s), amplitudes(s), after, before, parts_.span());
    const VectorXd sum = sum_of_parts();
    const Eigen::Index r = motion_.modes();
    return {sum.head(r), s.orientation * Vector3d(sum.segment<3>(r)),
            s.orientation * Vector3d(sum.segment<3>(r + 3))};
  }
  // Impulses of other meshes at the end of a step of the length h, where modes resist along:
  //   (1 + 2 zeta w h + (w h)^2) dq' = phi . J.
  // Those of a whole step are taken: q += h dq'.
  void respond(World& world, const ImpulseResponse& r) {
    Table& t = table(world);
    const auto v = t.column<Vec<3>>("velocity");
    if (!r.again)
      kicked_ = modal::any_changed(world.exec, modal::numbers(v), modal::numbers(left_.span()));
    ModalState s = load(world);
    scratch_.resize(left_.size()), more_.resize(left_.size()), more_.zero();
    contact::respond_alone(world.exec, inverse_mass_.span(), r.impulse, scratch_.span());
    ModalForces impulse = impulses_of(world, s, scratch_.span(), more_.span());
    impulse.modes = motion_.end_rates(impulse.modes, r.h);
    if (r.change.size > 0) {
      place_points(world, s, scratch_.span(), more_.span());
      place_points(world, motion_.kicked(s, impulse), scratch_.span(), r.change);
      modal::mean_velocities(world.exec, more_.span(), r.change, 1, r.change);
      return;
    }
    s = motion_.moved(s, impulse, r.h);
    store(world, s);
    if (!kicked_) return place(world, s);
    place_points(world, s, t.column<Vec<3>>("position"), left_.span());
  }

  // In the order of the parts.
  VectorXd sum_of_parts() const {
    const Eigen::Index rows = motion_.modes() + modal::extra_sums;
    const std::vector<double> all = parts_.download();
    VectorXd sum = VectorXd::Zero(rows);
    for (std::size_t k = 0; k < all.size(); k += std::size_t(rows))
      sum += Eigen::Map<const VectorXd>(all.data() + k, rows);
    return sum;
  }

  // Kicks and the weight, each as a force that is constant in the step.
  ModalForces forces_of(World& world, const ModalState& s, const Kicks& kicks, double dt) {
    ModalForces f = motion_.no_forces();
    const Vector3d g(world.gravity[0], world.gravity[1], world.gravity[2]);
    if (motion_.free())
      f.force = motion_.mass() * g;
    else if (p_.warping && !g.isZero(0)) {
      modal::project_weight(world.exec, shapes(), frame(s), amplitudes(s),
                            world.gravity_vector<3>(), parts_.span());
      f.modes = sum_of_parts().head(motion_.modes());
    } else {
      f.modes = motion_.weights().transpose() * g;
    }
    if (!kicks.any) return f;
    f.modes += kicks.impulse.modes / dt;
    if (motion_.free()) f.force += kicks.impulse.force / dt, f.torque += kicks.impulse.torque / dt;
    return f;
  }

  ModalState swing(ModalState s, const ModalForces& forces, double dt) {
    if (!contact_.any()) motion_.advance(s, forces, dt);
    return s;
  }

  // A free mesh without contact. Finds how many parts the step goes in: twice as many, up to 64
  // times, until the flight makes no energy but by the swing of the splitting, which is what there
  // is more than when it was lowest.
  ModalState fly(World& world, const ModalState& from, const ModalForces& forces, double dt) {
    Table& frame = world.table(frame_);
    std::int32_t halvings = frame.download<std::int32_t>("halvings")[0];
    const double before = motion_.inner_energy(from);
    // Of what is left where much went since.
    const double risen = std::min(frame.download<double>("risen")[0], most_risen * before);
    double now = 0;
    ModalState to;
    for (;; ++halvings) {
      motion_.take_parts(1 << halvings);
      to = from;
      const double fed = motion_.advance_and_feed(to, forces, dt);
      const double after = motion_.inner_energy(to);
      now = std::max(0., risen + after - before - fed);
      const double most = most_risen * std::max(before, after);
      made_energy_ = !(now - risen <= most);  // by itself: else others have left it no room
      if (now <= most || halvings == most_halvings) break;
    }
    if (made_energy_)
      now = 0;  // it is what is swung about from now on
    else if (halvings > 0)
      --halvings;  // the next step begins with half as many
    world.exec.upload(frame.column<std::int32_t>("halvings").data, &halvings, sizeof halvings);
    world.exec.upload(frame.column<double>("risen").data, &now, sizeof now);
    return to;
  }

  // What kicks did on the way of the step [J].
  double work(const Kicks& k, const ModalState& from, const ModalState& to, double dt) const {
    double sum = k.impulse.modes.dot(to.q - from.q) / dt;
    if (!motion_.free()) return sum;
    const Vector3d turn =
        0.5 * (from.orientation * motion_.spin(from) + to.orientation * motion_.spin(to));
    return sum + k.impulse.force.dot(to.place - from.place) / dt + k.impulse.torque.dot(turn);
  }

  // Contacts of where points begin, then of what the step turns out to run into.
  ModalState collide(World& world, const Step& step, const ModalState& from,
                     const ModalForces& forces) {
    const Real h = Real(step.dt);
    Table& t = table(world);
    const auto x = t.column<Vec<3>>("position"), v = t.column<Vec<3>>("velocity");
    const auto w = t.column<const Real>("inverse_mass");
    scratch_.resize(left_.size());
    world.exec.copy(scratch_.data(), x.data, scratch_.size() * sizeof(Vec<3>));
    found_.resize(left_.size()), found_.zero();
    contact_.begin(world, step, 1);
    contact_.find_contacts(world, 0, x, v, w, h, found_.span());
    ModalState s;
    std::vector<ModalContact> all;
    const std::vector<Contact::Carrier> bodies = contact_.carriers();
    const std::vector<ModalCarrier> carriers = mobile(bodies);
    for (int round = 1;; ++round) {
      all = contacts_now(step.dt, bodies);
      s = contacts_.solve(motion_, *points_, from, forces, step.dt, carriers, all);
      place_points(world, s, x, v);
      modal::mean_velocities(world.exec, scratch_.span(), x, h, v);
      if (contact_.has_bodies()) push_bodies(world, all);
      if (round == most_solves ||
          !contact_.add_contacts(world, 0, scratch_.span(), x, v, w, h, found_.span()))
        break;
    }
    contact_.hand_over(world);
    pushed_ = Vector3d::Zero();
    for (const ModalContact& c : all) pushed_ += c.impulse;
    touching_ =
        std::ranges::count_if(all, [](const ModalContact& c) { return !c.force.isZero(0); });
    return s;
  }
  std::vector<ModalContact> contacts_now(double dt,
                                         const std::vector<Contact::Carrier>& bodies) const {
    std::vector<ModalContact> now;
    const std::vector<contact::PointContact> found = found_.download();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const contact::PointContact& c = found[i];
      if (!c.any()) continue;
      const Vector3d n = vec(widen(c.normal)).normalized();
      const double towards = std::max(0., double(c.gap)) / dt;
      now.push_back({Index(i), n, vec(widen(c.velocity)) + towards * n, double(c.gap)});
      const auto body = std::ranges::find(bodies, c.solid, &Contact::Carrier::solid);
      if (body != bodies.end()) now.back().carrier = Index(body - bodies.begin());
    }
    return now;
  }
  static std::vector<ModalCarrier> mobile(const std::vector<Contact::Carrier>& bodies) {
    std::vector<ModalCarrier> all;
    for (const Contact::Carrier& b : bodies) {
      const Eigen::Map<const Matrix6> inertia(&b.inertia.m[0][0]);  // symmetric
      all.push_back({vec(b.centre), inverse(inertia)});
    }
    return all;
  }
  // With what they push back.
  void push_bodies(World& world, const std::vector<ModalContact>& all) {
    std::vector<Vec<3>> impulse(found_.size());
    for (const ModalContact& c : all) impulse[std::size_t(c.point)] = narrow<3>(vec(c.impulse));
    impulses_.upload(impulse);
    contact_.apply_impulses(world, scratch_.span(), found_.span(), impulses_.span());
  }

  ModalState load(World& world) const {
    Table &modes = world.table(modes_), &frame = world.table(frame_);
    const auto q = modes.download<double>("amplitude"), p = modes.download<double>("momentum");
    ModalState s;
    s.q = Eigen::Map<const VectorXd>(q.data(), Eigen::Index(q.size()));
    s.p = Eigen::Map<const VectorXd>(p.data(), Eigen::Index(p.size()));
    const auto first = [&](const char* name) { return vec(frame.download<Vec3d>(name)[0]); };
    s.place = first("place"), s.momentum = first("momentum");
    s.angular_momentum = first("angular_momentum");
    const VecT<double, 4> o = frame.download<VecT<double, 4>>("orientation")[0];
    s.orientation = Eigen::Quaterniond(o[3], o[0], o[1], o[2]);
    return s;
  }
  void store(World& world, const ModalState& s) const {
    Table &modes = world.table(modes_), &frame = world.table(frame_);
    const auto put = [&](Table& t, const char* name, const auto* from) {
      using T = std::remove_cvref_t<decltype(*from)>;
      const Span<T> to = t.column<T>(name);
      world.exec.upload(to.data, from, std::size_t(to.size) * sizeof(T));
    };
    put(modes, "amplitude", s.q.data()), put(modes, "momentum", s.p.data());
    const Vec3d place = vec(s.place), momentum = vec(s.momentum), turn = vec(s.angular_momentum);
    const VecT<double, 4> o{
        {s.orientation.x(), s.orientation.y(), s.orientation.z(), s.orientation.w()}};
    put(frame, "place", &place), put(frame, "momentum", &momentum);
    put(frame, "angular_momentum", &turn), put(frame, "orientation", &o);
  }

  modal::Shapes shapes() const {
    return {point_slots_.span(), shape_slots_.span(), turn_slots_.span(), Index(motion_.modes())};
  }
  modal::Frame frame(const ModalState& s) const {
    const Eigen::Matrix3d R = s.orientation.toRotationMatrix();
    modal::Frame f;
    for (int a = 0; a < 3; ++a) f.rotation.row[a] = narrow<3>(vec(Vector3d(R.row(a))));
    f.place = narrow<3>(vec(s.place)), f.velocity = narrow<3>(vec(motion_.velocity(s)));
    f.spin = narrow<3>(vec(motion_.spin(s)));
    return f;
  }
  modal::Amplitudes amplitudes(const ModalState& s) {
    const VectorXd rate = motion_.rates(s);
    std::vector<Real> both;
    for (const double q : s.q) both.push_back(Real(q));
    for (const double r : rate) both.push_back(Real(r));
    amplitudes_.upload(both);
    const auto r = Index(motion_.modes());
    return {{amplitudes_.data(), r}, {amplitudes_.data() + r, r}};
  }
  void place_points(World& world, const ModalState& s, Span<Vec<3>> x, Span<Vec<3>> v) {
    modal::place_points(world.exec, shapes(), frame(s), amplitudes(s), x, v);
  }
  // Other stages' kicks are what velocities then differ by.
  void place(World& world, const ModalState& s) {
    Table& t = table(world);
    const auto v = t.column<Vec<3>>("velocity");
    place_points(world, s, t.column<Vec<3>>("position"), v);
    world.exec.copy(left_.data(), v.data, left_.size() * sizeof(Vec<3>));
  }

  void watch(const ModalState& s) const {
    for (Eigen::Index j = 0; j < s.q.size(); ++j)
      if (!std::isfinite(s.q[j]) || !std::isfinite(s.p[j]))
        throw Diverged(
            fmt::format("mode {} of '{}' is not finite; look at what pushes it: springs "
                        "and loads act once a step",
                        j + 1, p_.mesh.name));
    if (!s.place.allFinite() || !s.angular_momentum.allFinite())
      throw Diverged(
          fmt::format("the place of '{}' is not finite; take shorter steps where it "
                      "spins fast",
                      p_.mesh.name));
  }

  Table& table(World& w) const { return w.table(p_.mesh.name); }

  ModalParams p_;
  std::string modes_, frame_;  // tables
  RestMesh rest_;
  double size_;  // [m]
  ModeShapes shapes_;
  ModalMotion motion_;
  Fed fed_;
  Contact contact_;
  ModalContacts contacts_;
  std::optional<ModalPoints> points_;  // where there is contact
  std::vector<double> largest_;        // way of any point by a mode's amplitude [1/sqrt(kg)]
  Buffer<modal::PointSlot> point_slots_;
  Buffer<modal::ShapeSlot> shape_slots_, turn_slots_;
  Buffer<Real> amplitudes_;
  Buffer<double> parts_;
  Buffer<Vec<3>> rest_places_;
  Buffer<Index> held_rows_;
  Buffer<Real> inverse_mass_;  // when modes were found
  Buffer<Vec<3>> left_;        // velocities as this stage left them
  Buffer<Vec<3>> scratch_;     // places at the beginning of a step
  Buffer<Vec<3>> more_;        // scratch too
  bool kicked_ = false;        // by others than meshes, since its last step
  bool made_energy_ = false;   // in the last step, however many parts
  Buffer<contact::PointContact> found_;
  Buffer<Vec<3>> impulses_;             // of contacts, for bodies
  long touching_ = 0;                   // points, in the last step
  Vector3d pushed_ = Vector3d::Zero();  // by contact in the last step [N s]
};

std::unique_ptr<Stage> make_modal(const ModalParams& p, World& world, const std::string& name) {
  return std::make_unique<Modal>(p, world, name);
}

}  // namespace

StageType modal_type() {
  return stage_type(
      "modal", "Solids that ring and bend a little, by their lowest modes: steps of any length.",
      "Pentland & Williams, \"Good Vibrations: Modal Dynamics for Graphics and Animation\", "
      "SIGGRAPH 1989; a floating frame after Shabana, \"Dynamics of Multibody Systems\"; warping "
      "after Choi & Ko, \"Modal Warping\", TVCG 2005; contact after Hauser, Shen & O'Brien, "
      "Graphics Interface 2003",
      {"Small strains, and small turns but for \"warping\"; what its modes cannot do is left out.",
       "Held points are those of the start; they move as one, without turning, or not at all.",
       "Its points meet what is in its \"boundary\", not its faces; linear elements ring too "
       "high."},
      "docs/solids.md", make_modal);
}

}  // namespace rtsim
