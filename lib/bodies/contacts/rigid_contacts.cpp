#include "bodies/contacts/rigid_contacts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rigid/contacts/contacts.h"
#include "rigid/contacts/held_contacts.h"
#include "rigid/motion/motion.h"

namespace rtsim {

using rigid::ContactBlock;
using rigid::ContactState;
using rigid::Manifold;
using rigid::ManifoldList;

template <int D>
void add_contact_columns(Table& t) {
  t.add<KeyRow>({"key", ""});
  t.add<std::int32_t>({"colour", ""});
  t.add<std::int32_t>({"passes", ""});
  t.add<typename ContactState<D>::Features>({"features", ""});
  t.add<typename ContactState<D>::Kept>({"kept", ""});
}

namespace {

// body(begin, end) for parts of [0, n) of what lies on the host.
template <class Body>
void for_parts(const Exec& ex, Index n, const Body& body) {
  constexpr Index rows = 2048;
  if (ex.backend() == Backend::cuda) return body(0, n);
  ex.for_chunks(
      n, rows,
      [](const void* of, Index begin, Index end) { (*static_cast<const Body*>(of))(begin, end); },
      &body);
}

}  // namespace

template <int D>
void list_keys(const Exec& ex, ManifoldList<D> manifolds, std::vector<ContactKey>& keys,
               std::vector<std::uint8_t>* points) {
  std::vector<Row4> copy;
  if (ex.backend() == Backend::cuda) {
    copy.resize(std::size_t(manifolds.rows.size));
    ex.download(copy.data(), manifolds.rows.data, copy.size() * sizeof(Row4));
    manifolds.rows.data = copy.data();
  }
  keys.resize(std::size_t(manifolds.size));
  if (points) points->resize(keys.size());
  for_parts(ex, manifolds.size, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const Manifold<D>& m = manifolds[k];
      keys[std::size_t(k)] = {m.a, m.b, m.part_a, m.part_b};
      if (points) (*points)[std::size_t(k)] = std::uint8_t(m.points);
    }
  });
}

std::vector<ContactKey> contact_keys(Table& t) {
  std::vector<ContactKey> keys;
  for (const KeyRow& k : t.download<KeyRow>("key"))
    keys.push_back({Index(k[0]), Index(k[1]), k[2], k[3]});
  return keys;
}

template <int D>
RigidContacts<D>::RigidContacts(World& world, const std::string& stage, std::vector<bool> moves,
                                bool rolls)
    : table_(stage + ".contacts"),
      rolls_(rolls),
      moves_(std::move(moves)),
      kept_placed_(world.exec),
      previous_(world.exec),
      touched_(world.exec),
      blocks_(world.exec),
      block_points_(world.exec),
      block_features_(world.exec),
      left_(world.exec),
      materials_(world.exec),
      round_(world.exec),
      mixed_(world.exec),
      reported_(world.exec),
      direct_(world.exec) {
  add_contact_columns<D>(world.add_table(table_, 0));
}

template <int D>
ContactState<D> RigidContacts<D>::state(World& world) const {
  Table& t = world.table(table_);
  return {t.column<typename ContactState<D>::Features>("features"),
          t.column<typename ContactState<D>::Kept>("kept")};
}

template <int D>
void RigidContacts<D>::list() {
  std::vector<std::uint8_t> touched(moves_.size());
  for (const ContactKey& k : now_) touched[std::size_t(k.a)] = touched[std::size_t(k.b)] = 1;
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (held_[k]) touched[k] = rigid::held;
  touched_.upload(touched);
}

// How many passes each is about to take, by its load of late.
template <int D>
void RigidContacts<D>::rank(World& world, const rigid::Stiffness& stiffness,
                            const std::vector<Index>& previous) {
  const Span<const typename ContactState<D>::Kept> kept = state(world).kept;
  std::vector<typename ContactState<D>::Kept> copy;
  const auto* k = kept.data;
  if (world.exec.backend() == Backend::cuda) {
    copy.resize(std::size_t(kept.size));
    world.exec.download(copy.data(), k, copy.size() * sizeof *k);
    k = copy.data();
  }
  ranks_.assign(now_.size(), 1);
  for (std::size_t n = 0; n < now_.size(); ++n)
    if (const Index before = previous[n]; before >= 0)
      ranks_[n] = rigid::passes_of(stiffness, k[before][rigid::load_in_kept<D>]);
}

template <int D>
bool RigidContacts<D>::held(const ContactKey& k) const {
  const auto is = [&](Index body) {
    return std::size_t(body) < held_.size() && held_[std::size_t(body)] != 0;
  };
  return is(k.a) || is(k.b);
}

// Of a colour those first that take most passes, so that blocks take as many as their lanes do, and
// of these those with most points, so that blocks have as many. What others hold lies in blocks of
// its own.
template <int D>
void RigidContacts<D>::fill_slots() {
  std::int32_t most = 1;
  for (const std::int32_t r : ranks_) most = std::max(most, r);
  constexpr std::int32_t most_points = Block::has_own_points ? 1 : Block::most_points;
  const std::int32_t held_level = most + 1;
  const auto place = [&](std::int32_t colour, std::int32_t level, std::int32_t points) {
    return std::size_t((colour * held_level + level - 1) * most_points + points - 1);
  };
  const auto place_of = [&](std::size_t n) {
    return place(colours_[n], held(now_[n]) ? held_level : ranks_[n],
                 Block::has_own_points ? 1 : points_[n]);
  };
  std::vector<Index> first(std::size_t(all_colours * held_level * most_points));
  std::vector<Index> overflow;
  for (std::size_t n = 0; n < now_.size(); ++n) {
    if (colours_[n] == overflow_colour) overflow.push_back(Index(n));
    if (colours_[n] >= 0 && colours_[n] < all_colours) ++first[place_of(n)];
  }
  order_.clear();
  Index blocks = 0;
  const auto add = [&](Index contacts, bool both, bool held) {
    if (contacts == 0) return;
    const Index begin = blocks;
    blocks += (contacts + lane_count - 1) / lane_count;
    order_.push_back({begin, blocks, both, held});
  };
  const auto add_levels = [&](std::int32_t colour, std::int32_t from, std::int32_t to, bool both) {
    Index contacts = 0;
    for (std::int32_t level = from; level >= to; --level)
      for (std::int32_t points = most_points; points > 0; --points) {
        Index& here = first[place(colour, level, points)];
        const Index of_these = std::exchange(here, blocks * lane_count + contacts);
        contacts += of_these;
      }
    add(contacts, both, from == held_level);
  };
  const auto add_colours = [&](std::int32_t from, std::int32_t to, bool both) {
    for (std::int32_t c = from; c < to; ++c) {
      add_levels(c, held_level, held_level, both);
      add_levels(c, most, 1, both);
    }
  };
  add_colours(0, moving_colours, true);
  const Index first_overflow = blocks;
  for (const Index n : overflow) {
    const ContactKey& k = now_[std::size_t(n)];
    add(1, moves_[std::size_t(k.a)] && moves_[std::size_t(k.b)], held(k));
  }
  add_colours(moving_colours, all_colours, false);
  placed_.assign(std::size_t(blocks * (lane_count + !Block::has_own_points)), -1);
  for (std::size_t k = 0; k < overflow.size(); ++k)
    placed_[std::size_t(first_overflow * lane_count) + k * lane_count] = overflow[k];
  for (std::size_t n = 0; n < now_.size(); ++n)
    if (colours_[n] >= 0 && colours_[n] < all_colours)
      placed_[std::size_t(first[place_of(n)]++)] = Index(n);
  blocks_.resize(std::size_t(blocks));
}

// As many for a block as the most of its lanes.
template <int D>
void RigidContacts<D>::place_points() {
  room_.assign(now_.size(), Block::most_points);
  all_points_ = 0;
  if (Block::has_own_points) return;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::span<const Index> lanes = slots().subspan(b * lane_count, lane_count);
    std::uint8_t most = 0;
    for (const Index n : lanes)
      if (n >= 0) most = std::max(most, points_[std::size_t(n)]);
    for (const Index n : lanes)
      if (n >= 0) room_[std::size_t(n)] = most;
    placed_[blocks_.size() * lane_count + b] = std::exchange(all_points_, all_points_ + most);
  }
  block_points_.resize(std::size_t(all_points_)), block_features_.resize(std::size_t(all_points_));
}

template <int D>
bool RigidContacts<D>::points_fit() const {
  for (std::size_t n = 0; n < points_.size(); ++n)
    if (points_[n] > room_[n]) return false;
  return true;
}

template <int D>
rigid::BlockPoints<D> RigidContacts<D>::block_points() {
  const Index blocks = Index(blocks_.size());
  if (Block::has_own_points) return {};
  return {{kept_placed_.data() + blocks * lane_count, blocks},
          block_points_.span(),
          block_features_.span()};
}

template <int D>
void RigidContacts<D>::place_blocks() {
  fill_slots();
  place_points();
  kept_placed_.upload(placed_);
}

// Where the table has the contacts of now, in their order, all of them stay what they were.
template <int D>
void RigidContacts<D>::match(World& world, const rigid::Stiffness& stiffness,
                             std::vector<ContactKey> old) {
  Table& t = world.table(table_);
  const bool known = kept_ == t.revision();  // `old` is what it has
  same_ = known && old == now_;
  const bool followed = std::exchange(follows_, same_);
  if (same_) {
    if (!points_fit()) place_blocks();
    if (followed) return;
    std::vector<Index> previous(now_.size());
    std::iota(previous.begin(), previous.end(), Index(0));
    return previous_.upload(previous);
  }
  list();
  if (!known) {
    old = contact_keys(t), colours_ = t.download<std::int32_t>("colour");
    ranks_ = t.download<std::int32_t>("passes");
  }
  const std::vector<Index> previous = match_contacts(old, now_);
  colours_ = colour_contacts(now_, previous, colours_, moves_);
  if (old != now_) rank(world, stiffness, previous);
  place_blocks();
  previous_.upload(previous);
}

template <int D>
void RigidContacts<D>::begin(World& world, const ManifoldList<D>& manifolds,
                             Span<const rigid::BodyPose<D>> poses, Span<const Row4> solver_bodies,
                             const rigid::Stiffness& stiffness) {
  const Exec& ex = world.exec;
  all_new_ = world.table(table_).rows() == 0;
  std::vector<ContactKey> old = std::exchange(now_, {});
  list_keys(ex, manifolds, now_, &points_);
  match(world, stiffness, std::move(old));
  const Index spare = solver_bodies.size / rigid::solver_body_rows<D> - rigid::padding_bodies;
  const Span<const Index> lanes{kept_placed_.data(), Index(slots().size())};
  prepare_contacts(ex,
                   {manifolds, lanes, previous_.span(), block_points(), spare, stiffness, rolls_,
                    round_.span(), poses},
                   state(world), solver_bodies, blocks_.span());
  load_ = rigid::most_load<D>(ex, blocks_.span());
  direct_.choose(ex, stiffness, now_, same_, slots(), moves_, solver_bodies, blocks_.span());
  passes_ = rigid::passes_of(stiffness, load_);
  // Where others are solved together, what is left takes as many passes as if they were not.
  if (!direct_.none() && !(rigid::most_load<D>(ex, blocks_.span()) > 1)) passes_ = 1;
  list_loads(ex);
}

template <int D>
void RigidContacts<D>::mix(const Exec& ex, Span<const rigid::BodyPose<D>> poses) {
  if (materials_.size() == 0) return;
  mixed_.resize(blocks_.size());
  mix_materials<D>(ex, materials_.span(), poses, blocks_.span(), mixed_.span());
}

template <int D>
void RigidContacts<D>::watch(bool on) {
  reported_.resize(on ? blocks_.size() : 0);
  reported_.zero();
}

template <int D>
void RigidContacts<D>::add_reported(const Exec& ex) {
  if (reported_.size() > 0) rigid::add_reported<D>(ex, blocks_.span(), reported_.span());
}

template <int D>
void RigidContacts<D>::update_anchors(const Exec& ex, const rigid::Bodies<D>& bodies,
                                      const ManifoldList<D>& manifolds,
                                      Span<const Row4> solver_bodies, bool slender, bool turned) {
  rigid::update_anchors<D>(ex, bodies, manifolds, solver_bodies, slender, turned, blocks_.span());
}

template <int D>
void RigidContacts<D>::warm_start(const Exec& ex, Span<Row4> solver_bodies) {
  for (const Colour& c : order_)
    rigid::warm_start(ex, blocks_.span(), c.begin, c.end, c.both, solver_bodies);
}

template <int D>
void RigidContacts<D>::solve_clusters(const Exec& ex, const rigid::ContactLaw& law, bool weighs,
                                      Span<Row4> solver_bodies) {
  direct_.solve(ex, law, weighs, mixed_.span(), blocks_.span(), solver_bodies);
}

template <int D>
void RigidContacts<D>::solve(const Exec& ex, const rigid::ContactLaw& law,
                             Span<Row4> solver_bodies) {
  for (const Colour& c : order_) {
    const Index end = end_of_turn(law, c);
    if (mixed_.size() > 0)
      solve_own_contacts<D>(ex, law, mixed_.span(), blocks_.span(), c.begin, end, c.both,
                            solver_bodies);
    else
      solve_contacts(ex, law, blocks_.span(), c.begin, end, c.both, solver_bodies);
  }
}

// Behind the last block of a colour that a pass is for. Those that take most passes lie in front.
template <int D>
Index RigidContacts<D>::end_of_turn(const rigid::ContactLaw& law, const Colour& c) const {
  Index end = c.end;
  if (law.again && !block_loads_.empty())
    while (end > c.begin && !(law.beyond < block_loads_[std::size_t(end - 1)])) --end;
  return end;
}

template <int D>
void RigidContacts<D>::list_loads(const Exec& ex) {
  block_loads_.clear();
  if (ex.backend() == Backend::cuda || passes_ == 1) return;
  block_loads_.resize(blocks_.size());
  for_parts(ex, Index(blocks_.size()), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) block_loads_[std::size_t(b)] = blocks_.data()[b].most_load;
  });
}

template <int D>
void RigidContacts<D>::begin_turns() {
  left_.resize(blocks_.size() * std::size_t(lane_count)), left_.zero();
}

template <int D>
Real RigidContacts<D>::answer_more(const Exec& ex, const rigid::ContactLaw& law, Real little,
                                   Span<Row4> solver_bodies) {
  Real most = 0;
  for (const Colour& c : order_)
    if (c.held)
      most = std::max(
          most, rigid::answer_more<D>(ex, law, little, mixed_.span(), blocks_.span(), left_.span(),
                                      c.begin, c.end, c.both, solver_bodies));
  return most;
}

template <int D>
void RigidContacts<D>::bounce(const Exec& ex, const rigid::ImpactLaw& law, int passes,
                              Span<Row4> solver_bodies) {
  for (int pass = 0; pass < passes; ++pass) {
    Index bounced = 0;
    for (const Colour& c : order_)
      bounced += rigid::bounce<D>(ex, law, mixed_.span(), blocks_.span(), c.begin, c.end, c.both,
                                  solver_bodies, reported_.span());
    if (bounced == 0) return;
  }
}

template <int D>
void RigidContacts<D>::keep(World& world) {
  const Exec& ex = world.exec;
  Table& t = world.table(table_);
  if (!same_) {
    static_assert(sizeof(ContactKey) == sizeof(KeyRow));
    t.resize(count());
    ex.upload(t.column<KeyRow>("key").data, now_.data(), now_.size() * sizeof(ContactKey));
    ex.upload(t.column<std::int32_t>("colour").data, colours_.data(), colours_.size() * 4);
    ex.upload(t.column<std::int32_t>("passes").data, ranks_.data(), ranks_.size() * 4);
    kept_ = t.revision();
  }
  keep_contacts<D>(ex, blocks(), state(world));
}

template void add_contact_columns<2>(Table&);
template void add_contact_columns<3>(Table&);
template void list_keys<2>(const Exec&, ManifoldList<2>, std::vector<ContactKey>&,
                           std::vector<std::uint8_t>*);
template void list_keys<3>(const Exec&, ManifoldList<3>, std::vector<ContactKey>&,
                           std::vector<std::uint8_t>*);
template class RigidContacts<2>;
template class RigidContacts<3>;

namespace {

// What a pass changes is little where bodies bear many times their own mass: a bowl of bodies of
// all sizes overlaps by 20 mm with one pass, by 8 with two. Piles of like boxes rest by one.
int for_load(int dim, double load) { return dim == 3 && load > 0.25 ? 2 : 1; }

// [s] three times what it takes a contact to give way to its load.
double settling(const rigid::Stiffness& s) {
  return 3 * std::max(2 * double(s.damping), 1.0) / double(s.omega);
}

}  // namespace

ContactPasses::ContactPasses(World& world, const std::string& stage) : table_(stage + ".settling") {
  Table& t = world.add_table(table_, 1);
  t.add<double>({"left", "s"});
}

// What is put down touching has no impulses of a step before, and what stands just so falls while
// it finds them: five plates at 0.96 of their greatest overhang take more than 100 passes. As many
// as large piles can pay, but 16: friction at the foot of a cube takes a fifth of the slip away a
// pass, half of 1 / 2.5, since the cube also turns until its pressures stop that, so they leave 3 %
// of it. Then contacts give, loads change, and what has no pressure for a moment slides: an eighth
// as many passes keep it (pyramids of 4900 boxes drift by 0.60 mm instead of 1.3).
void ContactPasses::begin(World& world, double dt, const rigid::Stiffness& stiffness, bool fresh,
                          Index contacts, double load) {
  const auto left = world.table(table_).template column<double>("left");
  double now = 0;
  world.exec.download(&now, left.data, sizeof now);
  if (fresh && contacts > 0) now = settling(stiffness);
  const Index paid = 2000000 / std::max(contacts, Index(1));
  each_ = for_load(world.dim, load);
  if (now > 0) each_ = int(std::clamp(paid / 8, Index(each_), Index(16)));
  first_ = fresh ? int(std::clamp(paid, Index(16), Index(400))) : each_;
  now = std::max(now - dt, 0.0);
  world.exec.upload(left.data, &now, sizeof now);
}

using BodyPair = VecT<std::int32_t, 2>;

std::string contact_table(const std::string& bodies) { return bodies + ".touches"; }

template <int D>
void add_contact_table(World& world, const std::string& bodies) {
  Table& t = world.add_table(contact_table(bodies), 0);
  t.beside = {bodies, "touches", D == 2 ? 6 : 12};  // in a pile of boxes, three of 2 or 4 points
  t.add<BodyPair>({"bodies", "", Role::derived});
  t.add<Vec<D>>({"position", "m", Role::derived});
  t.add<Vec<D>>({"arm_first", "m", Role::derived});
  t.add<Vec<D>>({"arm_second", "m", Role::derived});
  t.add<Vec<D>>({"normal", "", Role::derived});
  t.add<Vec<D>>({"force", "N", Role::derived});
  t.add<rigid::Angular<D>>({"moment", "N m", Role::derived});
  t.add<Real>({"separation", "m", Role::derived});
}

template <int D>
void fill_contact_table(World& world, const std::string& name, double dt,
                        const rigid::BodyStates<D>& bodies, Index contacts,
                        Span<const rigid::ContactBlock<D>> blocks,
                        Span<const rigid::ReportedImpulses<D>> given,
                        Span<const Row4> solver_bodies) {
  Table& t = world.table(contact_table(name));
  Buffer<Index> first(world.exec, std::size_t(contacts));
  first.zero();
  t.resize(count_points<D>(world.exec, blocks, given, first.span()));
  list_points<D>(
      world.exec, dt, bodies, blocks, given, first.span(), solver_bodies,
      {t.column<BodyPair>("bodies"), t.column<Vec<D>>("position"), t.column<Vec<D>>("arm_first"),
       t.column<Vec<D>>("arm_second"), t.column<Vec<D>>("normal"), t.column<Vec<D>>("force"),
       t.column<rigid::Angular<D>>("moment"), t.column<Real>("separation")});
}

template void add_contact_table<2>(World&, const std::string&);
template void add_contact_table<3>(World&, const std::string&);
template void fill_contact_table<2>(World&, const std::string&, double, const rigid::BodyStates<2>&,
                                    Index, Span<const rigid::ContactBlock<2>>,
                                    Span<const rigid::ReportedImpulses<2>>, Span<const Row4>);
template void fill_contact_table<3>(World&, const std::string&, double, const rigid::BodyStates<3>&,
                                    Index, Span<const rigid::ContactBlock<3>>,
                                    Span<const rigid::ReportedImpulses<3>>, Span<const Row4>);

}  // namespace rtsim
