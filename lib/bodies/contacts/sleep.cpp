#include "bodies/contacts/sleep.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/joined_sets.h"
#include "bodies/contacts/rigid_contacts.h"
#include "bodies/named_bodies.h"
#include "bodies/shapes/body_shape.h"
#include "exec/sort.h"
#include "rigid/motion/inverse_inertia.h"

namespace rtsim {

namespace {

using Pair = VecT<Index, 2>;
constexpr std::int32_t awake = -1;

void copy_rows(const Exec& ex, Table& from, const std::vector<Index>& rows, Table& to) {
  const Index first = to.append(Index(rows.size()));
  Buffer<Index> order(ex);
  order.upload(rows);
  for (const Column& c : from.columns()) {
    const std::size_t stride = c.type.bytes();
    gather_rows(ex, "rigid.sleep",
                to.column_bytes(c.info.name).bytes.data() + std::size_t(first) * stride,
                c.bytes.data(), order.span(), stride);
  }
}

// Contacts are matched in this order.
void sort_by_pair(const Exec& ex, Table& t) {
  const std::vector<ContactKey> keys = contact_keys(t);
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::sort(order, {}, [&](Index k) { return keys[std::size_t(k)]; });
  Buffer<Index> rows(ex);
  rows.upload(order);
  t.permute(rows.span());
}

}  // namespace

template <int D>
Sleep<D>::Sleep(World& world, const std::string& stage, const std::string& bodies,
                const SleepParams& p, std::vector<Pair> joined, Index behind)
    : p_(p),
      gravity_(world.gravity),
      contacts_(stage + ".contacts"),
      inner_contacts_(stage + ".asleep"),
      bodies_(bodies),
      joined_(std::move(joined)),
      reach_(world.exec),
      called_(world.exec),
      rests_(world.exec),
      behind_(behind),
      kept_eights_(world.exec) {
  Table& t = world.table(bodies);
  std::vector<Real> reaches;
  for (const BodyShape& s : world.object(bodies).bodies->shapes) {
    double reach = 0;
    for (const ConvexPart& part : s.parts)
      for (const Vec3d& x : part.points) reach = std::max(reach, norm(x) + part.radius);
    reaches.push_back(Real(reach));
  }
  reach_.upload(reaches);
  called_.resize(std::size_t(t.rows())), rests_.resize(std::size_t(t.rows()));
  t.add<Real>({"still", "s"});
  t.add<std::int32_t>({"island", ""}, std::vector<std::int32_t>(std::size_t(t.rows()), awake));
  add_contact_columns<D>(world.add_table(inner_contacts_, 0));
  rests_.zero();
  refresh(world);
}

template <int D>
rigid::Sleepers<D> Sleep<D>::sleepers(World& world) const {
  Table& t = table(world);
  return {body_states<D>(t), t.template column<const std::int32_t>("island")};
}

template <int D>
void Sleep<D>::refresh(World& world) {
  island_ = table(world).template download<std::int32_t>("island");
  asleep_ = Index(std::ranges::count_if(island_, [](std::int32_t i) { return i != awake; }));
  awake_.assign((island_.size() + lane_count - 1) / lane_count, 1);
  changed_ = true;
}

// In eights, so that those of a CPU stay whole.
template <int D>
void Sleep<D>::list_rows() {
  awake_.assign(awake_.size(), 0);
  for (std::size_t i = 0; i < island_.size(); ++i)
    if (island_[i] == awake) awake_[i / lane_count] = 1;
  eights_.clear();
  for (std::size_t e = 0; e < awake_.size(); ++e)
    if (awake_[e] || were_[e]) eights_.push_back(Index(e));
  const Index bodies = Index(island_.size());
  for (Index e = bodies / lane_count; e * lane_count < bodies + behind_; ++e)
    if (eights_.empty() || eights_.back() < e) eights_.push_back(e);
  kept_eights_.upload(eights_);
  changed_ = false;
}

// Those that forces or new velocities call.
template <int D>
void Sleep<D>::wake_pushed(World& world) {
  Table& t = table(world);
  const rigid::Loads<D> loads{t.template column<Vec<D>>("force"),
                              t.template column<rigid::Angular<D>>("torque")};
  if (find_pushed(world.exec, sleepers(world), loads, called_.span()) == 0) return;
  const std::vector<std::uint8_t> called = called_.download();
  std::vector<Index> rows;
  for (std::size_t i = 0; i < called.size(); ++i)
    if (called[i]) rows.push_back(Index(i));
  wake(world, rows);
}

template <int D>
void Sleep<D>::write(World& world, const std::vector<Real>& still) {
  Table& t = table(world);
  world.exec.upload(t.template column<std::int32_t>("island").data, island_.data(),
                    island_.size() * sizeof(std::int32_t));
  world.exec.upload(t.template column<Real>("still").data, still.data(),
                    still.size() * sizeof(Real));
}

template <int D>
void Sleep<D>::find(World& world, const Step& step, double margin, Collision<D>& collision) {
  const Index bodies = Index(island_.size());
  const bool lingers = were_ != awake_;  // who fell asleep is listed for a step more
  if (lingers) were_ = awake_;
  std::vector<Index> called;
  if (world.gravity != gravity_) {
    called.resize(std::size_t(bodies));
    std::iota(called.begin(), called.end(), Index(0));
    wake(world, called);
  }
  gravity_ = world.gravity;
  if (asleep_ > 0) wake_pushed(world);
  bool changed = lingers;
  for (bool more = true; more;) {
    changed = changed || changed_;
    if (changed) list_rows();
    const rigid::Rows rows = this->rows(bodies);
    if (find_resting(world.exec, rows, sleepers(world), rests_.span()) > 0) changed = true;
    collision.find(world, step, margin, {rests_.span(), changed, rows, &eights_});
    if (asleep_ == 0) return;
    std::vector<ContactKey> keys;
    list_keys(world.exec, collision.manifolds(), keys);
    called.clear();
    for (const ContactKey& k : keys)
      for (const Index i : {k.a, k.b})
        if (i < bodies) called.push_back(i);
    more = wake(world, called);
  }
}

// Wakes the islands of those that are called; false if all of them were awake.
template <int D>
bool Sleep<D>::wake(World& world, const std::vector<Index>& called) {
  std::vector<Index> roots;
  for (const Index i : called)
    if (island_[std::size_t(i)] != awake) roots.push_back(island_[std::size_t(i)]);
  if (roots.empty()) return false;
  std::vector<std::uint8_t> wakes(island_.size()), woken(island_.size());
  for (const Index root : roots) wakes[std::size_t(root)] = 1;
  auto still = table(world).template download<Real>("still");
  for (std::size_t i = 0; i < island_.size(); ++i)
    if (island_[i] != awake && wakes[std::size_t(island_[i])])
      woken[i] = 1, still[i] = 0, island_[i] = awake, --asleep_;
  changed_ = true;
  write(world, still);
  move_contacts(world, inner_contacts_, contacts_, woken);
  return true;
}

template <int D>
void Sleep<D>::move_contacts(World& world, const std::string& from, const std::string& to,
                             const std::vector<std::uint8_t>& of_bodies) {
  Table &source = world.table(from), &target = world.table(to);
  const std::vector<ContactKey> keys = contact_keys(source);
  std::vector<std::uint32_t> moves(keys.size());
  std::vector<Index> rows;
  for (std::size_t k = 0; k < keys.size(); ++k)
    for (const Index i : {keys[k].a, keys[k].b})
      if (!moves[k] && i < Index(of_bodies.size()) && of_bodies[std::size_t(i)])
        moves[k] = 1, rows.push_back(Index(k));
  if (rows.empty()) return;
  copy_rows(world.exec, source, rows, target);
  Buffer<std::uint32_t> doomed(world.exec);
  doomed.upload(moves);
  source.remove(doomed.span());
  if (to == contacts_) sort_by_pair(world.exec, target);
}

// The islands of bodies that may be moved, each by its first row.
template <int D>
std::vector<Index> Sleep<D>::islands(World& world) const {
  const auto mass = table(world).template download<Real>("mass");
  const auto moves = [&](Index i) {
    return i < Index(mass.size()) && rigid::inverse_or_zero(mass[std::size_t(i)]) > 0;
  };
  JoinedSets islands(mass.size());
  std::vector<Pair> pairs = joined_;
  for (const ContactKey& k : contact_keys(world.table(contacts_))) pairs.push_back({{k.a, k.b}});
  for (const Pair& p : pairs)
    if (moves(p[0]) && moves(p[1])) islands.join(p[0], p[1]);
  std::vector<Index> island(mass.size());
  for (Index i = 0; i < Index(island.size()); ++i) island[std::size_t(i)] = islands.root(i);
  return island;
}

// What moves below a body keeps it up.
template <int D>
void Sleep<D>::count_still(World& world, double dt,
                           const std::vector<std::uint8_t>& boundaries_rest) {
  Table& t = table(world);
  rigid::count_still(
      world.exec, rows(t.rows()),
      {Real(dt), Real(p_.speed), t.template column<const std::int32_t>("shape"), reach_.span()},
      sleepers(world), t.template column<Real>("still"));
  if (std::ranges::count(boundaries_rest, 0) == 0) return;
  auto still = t.template download<Real>("still");
  for (const ContactKey& k : contact_keys(world.table(contacts_)))
    if (k.b >= t.rows() && boundaries_rest[std::size_t(k.b - t.rows())] == 0)
      still[std::size_t(k.a)] = 0;
  world.exec.upload(t.template column<Real>("still").data, still.data(),
                    still.size() * sizeof(Real));
}

template <int D>
void Sleep<D>::settle(World& world, double dt, const std::vector<std::uint8_t>& boundaries_rest) {
  Table& t = table(world);
  count_still(world, dt, boundaries_rest);
  if (count_ready<D>(world.exec, rows(t.rows()), sleepers(world),
                     t.template column<const Real>("still"), Real(p_.after)) == 0)
    return;
  const auto still = t.template download<Real>("still");
  const auto mass = t.template download<Real>("mass");
  const auto ready = [&](std::size_t i) {
    return island_[i] == awake && still[i] >= Real(p_.after) && rigid::inverse_or_zero(mass[i]) > 0;
  };
  const std::vector<Index> first = islands(world);
  std::vector<std::uint8_t> settles(still.size()), lively(still.size());
  for (std::size_t i = 0; i < still.size(); ++i)
    if (!ready(i)) lively[std::size_t(first[i])] = 1;
  bool any = false;
  for (std::size_t i = 0; i < still.size(); ++i)
    if (ready(i) && !lively[std::size_t(first[i])]) settles[i] = 1, any = true;
  if (!any) return;
  for (std::size_t i = 0; i < still.size(); ++i)
    if (settles[i]) island_[i] = first[i], ++asleep_;
  changed_ = true;
  stop(world, settles);
  move_contacts(world, contacts_, inner_contacts_, settles);
  write(world, still);
}

template <int D>
void Sleep<D>::stop(World& world, const std::vector<std::uint8_t>& of_bodies) {
  Table& t = table(world);
  auto v = t.template download<Vec<D>>("velocity");
  auto w = t.template download<rigid::Angular<D>>("angular_velocity");
  for (std::size_t i = 0; i < v.size(); ++i)
    if (of_bodies[i]) v[i] = {}, w[i] = {};
  world.exec.upload(t.template column<Vec<D>>("velocity").data, v.data(), v.size() * sizeof v[0]);
  world.exec.upload(t.template column<rigid::Angular<D>>("angular_velocity").data, w.data(),
                    w.size() * sizeof w[0]);
}

template class Sleep<2>;
template class Sleep<3>;

}  // namespace rtsim
