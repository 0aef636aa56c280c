#include "bodies/contacts/collision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bodies/named_bodies.h"

namespace rtsim {

namespace {

// Boxes are searched for pairs with so much around them, in parts of an item's reach: they serve
// until one leaves it.
constexpr double aabb_margin_share = 0.1;

std::vector<ShapePart> parts_of(const Object& boundary) {
  try {
    return ShapeParts(*boundary.shape).list();
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("'{}' {}", boundary.name, e.what()));
  }
}

// What turns the first pose into the second within dt, about an axis that stays: the angular
// velocity [rad/s].
Vec3d turn_between(const Pose& from, const Pose& to, double dt) {
  double r[3][3];  // to = r from
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[i][j] = dot(to.row[i], from.row[j]);
  const Vec3d axis{{r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]}};
  const double twice_sine = norm(axis), twice_cosine = r[0][0] + r[1][1] + r[2][2] - 1;
  if (twice_sine == 0) return {};
  return std::atan2(twice_sine, twice_cosine) / (dt * twice_sine) * axis;
}

rigid::Angular<2> angular(const Vec3d& v, rigid::Angular<2>*) { return {{Real(v[2])}}; }
rigid::Angular<3> angular(const Vec3d& v, rigid::Angular<3>*) { return narrow<3>(v); }

}  // namespace

template <int D>
Collision<D>::Collision(World& world, const std::string& bodies,
                        const std::vector<std::string>& boundaries)
    : ex_(world.exec),
      bodies_(bodies),
      rows_(world.table(bodies).rows()),
      parts_(ex_),
      kept_solids_(ex_),
      kept_item_eights_(ex_),
      kept_items_(ex_),
      poses_(ex_),
      steps_(boundaries.size()),
      kept_rests_(ex_),
      placed_(ex_),
      box_rows_(ex_),
      aabbs_(ex_),
      kept_fat_aabbs_(ex_),
      kept_pairs_(ex_),
      manifolds_(ex_) {
  for (const BodyShape& s : world.object(bodies).bodies->shapes) {
    first_part_.push_back(parts_.add(s));
    part_count_.push_back(parts_.size() - first_part_.back());
  }
  list_items(world);
  moving_ = Index(items_.size());
  for (const std::string& name : boundaries) {
    add_boundary(world, name);
  }
  parts_.upload();
  items_.shrink_to_fit(), first_item_.shrink_to_fit();
  if (ex_.backend() == Backend::cuda) kept_items_.upload(items_);
  std::vector<contact::Solid> solids;
  for (const ContactSolid& s : solids_) solids.push_back(s.view());
  kept_solids_.upload(solids);
  poses_.resize(std::size_t(rows_) + boundaries.size());
  aabbs_.resize(items_.size());
  list_boxes();
  const std::vector<rigid::Part<D>>& parts = parts_.list();
  Index meshes = 0;
  for (std::size_t i = std::size_t(moving_); i < items_.size(); ++i) {
    const bool is_mesh = parts[std::size_t(items_[i].part)].kind == rigid::PartKind::mesh;
    mesh_of_.push_back(is_mesh ? meshes++ : -1);
  }
}

template <int D>
void Collision<D>::add_solid(World& world, const std::string& boundary) {
  try {
    solids_.emplace_back(world, std::vector<std::string>{boundary});
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("'{}' {}", boundary, e.what()));
  }
}

template <int D>
void Collision<D>::add_boundary(World& world, const std::string& name) {
  const Object& boundary = world.object(name);
  refuse_deforming(boundary, "\"rigid\"");
  const std::vector<ShapePart> list = parts_of(boundary);
  const BoundaryParts made_of = boundary_parts(list, D);
  const Index body = rows_ + Index(motions_.size());
  motions_.push_back(boundary.moving ? std::optional(*boundary.motion) : std::nullopt);
  const Index solid = Index(solids_.size());
  if (made_of.rest || !made_of.meshes.empty()) add_solid(world, name);
  if (made_of.rest) {
    if (std::ranges::any_of(list,
                            [](const ShapePart& p) { return p.kind == ShapePart::Kind::polygon; }))
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' has a polygon that is not convex, or within other shapes; "
                              "bodies touch convex ones and unions of them",
                              name));
    items_.push_back({body, parts_.size(), 0});
    return parts_.add_field(solid);
  }
  for (const rigid::Item& i : parts_.add(body, made_of, solid)) items_.push_back(i);
  meshes_move_ = meshes_move_ || (boundary.moving && !made_of.meshes.empty());
}

template <int D>
std::vector<rigid::RoundSurface<D>> Collision<D>::round() const {
  std::vector<rigid::RoundSurface<D>> all(poses_.size());
  std::vector<Index> parts(poses_.size(), 0);
  bool any = false;
  for (const rigid::Item& item : items_) {
    const auto body = std::size_t(item.body);
    all[body] = parts[body]++ == 0
                    ? rigid::RoundSurface<D>::of(parts_.list()[std::size_t(item.part)])
                    : rigid::RoundSurface<D>{};
    any = any || all[body].radius > 0;
  }
  return any ? all : std::vector<rigid::RoundSurface<D>>{};
}

template <int D>
void Collision<D>::list_items(World& world) {
  const auto shape = world.table(bodies_).template download<std::int32_t>("shape");
  for (Index i = 0; i < rows_; ++i) {
    const std::size_t s = std::size_t(shape[std::size_t(i)]);
    first_item_.push_back(Index(items_.size()));
    for (Index k = 0; k < part_count_[s]; ++k)
      items_.push_back({i, first_part_[s] + k, std::uint32_t(k)});
  }
}

// What is no box has the row of another, and asks for none. Where most are boxes, all have one.
template <int D>
void Collision<D>::list_boxes() {
  std::vector<Index> rows;
  Index boxes = 0;
  for (const rigid::Item& i : items_) {
    rows.push_back(boxes);
    boxes += parts_.list()[std::size_t(i.part)].kind == rigid::PartKind::box;
  }
  if (boxes >= moving_) return placed_.resize(items_.size());
  placed_.resize(std::size_t(boxes) + 1);
  box_rows_.upload(rows);
}

template <int D>
void Collision<D>::place_boundary(std::size_t k, const Step& step) {
  const Pose now = motions_[k] ? pose_at(*motions_[k], step.time) : Pose{};
  rigid::BodyPose<D> f{};
  f.x = narrow<D>(now.translation);
  for (int a = 0; a < D; ++a)
    for (int c = 0; c < D; ++c) f.axes[a][c] = Real(now.row[c][a]);
  BoundaryStep<D>& s = steps_[k];
  s = {};
  if (motions_[k]) {
    const Pose then = pose_at(*motions_[k], step.end());
    const Vec3d own = now.to_local(now.centre);
    s.centre = narrow<D>(now.centre);
    s.velocity = narrow<D>((1 / step.dt) * (then.apply(own) - now.centre));
    s.angular_velocity =
        angular(turn_between(now, then, step.dt), static_cast<rigid::Angular<D>*>(nullptr));
  }
  f.centre = s.centre, f.velocity = s.velocity, f.omega = s.angular_velocity;
  f.spin = norm(f.omega);
  ex_.upload(poses_.data() + rows_ + Index(k), &f, sizeof f);
}

template <int D>
void Collision<D>::place(World& world, const Step& step, const rigid::Rows& rows) {
  rigid::pose_bodies<D>(ex_, rows, body_states<D>(world.table(bodies_)), poses_.span());
  for (std::size_t k = 0; k < steps_.size(); ++k) place_boundary(k, step);
}

// A box around a box, in a frame.
template <int D>
rigid::Aabb<D> seen_from(const rigid::BodyPose<D>& f, const rigid::Aabb<D>& b) {
  const Vec<D> centre = Real(0.5) * (b.low + b.high), half = Real(0.5) * (b.high - b.low);
  const Vec<D> own = rigid::turned_back(f.axes, centre - f.x);
  Vec<D> out;
  for (int a = 0; a < D; ++a)
    for (int k = 0; k < D; ++k) out[a] += half[k] * std::abs(f.axes[a][k]);
  return {own - out, own + out};
}

template <int D>
rigid::CollisionWorld<D> Collision<D>::collision_world() {
  const Span<const rigid::Item> items =
      ex_.backend() == Backend::cuda ? kept_items_.span()
                                     : Span<const rigid::Item>{items_.data(), Index(items_.size())};
  return {parts_.view(),    kept_solids_.span(), items, poses_.span(), placed_.span(),
          box_rows_.span(), kept_rests_.span()};
}

template <int D>
bool Collision<D>::rests(Index item) const {
  return !rests_.empty() && rests_[std::size_t(items_[std::size_t(item)].body)] != 0;
}

template <int D>
Span<const rigid::Aabb<D>> Collision<D>::fat_aabbs() const {
  if (ex_.backend() == Backend::cuda) return kept_fat_aabbs_.span();
  return {fat_aabbs_.data(), Index(fat_aabbs_.size())};
}

// What rests stays where it is, and pairs of two such are not looked for.
template <int D>
void Collision<D>::search(double margin) {
  const bool on_device = ex_.backend() == Backend::cuda;
  const std::vector<rigid::Aabb<D>> copy =
      on_device ? aabbs_.download() : std::vector<rigid::Aabb<D>>();
  const rigid::Aabb<D>* const aabbs = on_device ? copy.data() : aabbs_.data();
  const auto fatten = [&](Index item) {
    const std::size_t i = std::size_t(item);
    const Real reach = parts_.list()[std::size_t(items_[i].part)].reach;
    const Real pad = Real(aabb_margin_share) * reach + Real(margin);
    fat_aabbs_[i] = aabbs[i];
    for (int k = 0; k < D; ++k) fat_aabbs_[i].low[k] -= pad, fat_aabbs_[i].high[k] += pad;
  };
  if (!parted_) {
    fat_aabbs_.resize(items_.size()), live_.clear();
    std::vector<Index> resting;
    for (Index i = 0; i < Index(items_.size()); ++i) {
      (rests(i) ? resting : live_).push_back(i);
      if (rests(i)) fatten(i);
    }
    search_.rest(fat_aabbs_, resting);
    live_.shrink_to_fit(), parted_ = true;
  }
  for (const Index i : live_) fatten(i);
  if (on_device) kept_fat_aabbs_.upload(fat_aabbs_);
  std::vector<rigid::ItemPair>().swap(pairs_);
  list_pairs(search_.find(ex_, fat_aabbs_, items_, moving_, live_));
  if (on_device) kept_pairs_.upload(pairs_);
  ++searches_;
}

// Of bodies that have come to rest since pairs were searched for.
template <int D>
void Collision<D>::drop_resting_pairs() {
  std::erase_if(pairs_, [&](const rigid::ItemPair& p) { return rests(p.a) && rests(p.b); });
  if (ex_.backend() == Backend::cuda) kept_pairs_.upload(pairs_);
}

template <int D>
Span<const rigid::ItemPair> Collision<D>::tested_pairs() const {
  if (ex_.backend() == Backend::cuda) return kept_pairs_.span();
  return {pairs_.data(), Index(pairs_.size())};
}

template <int D>
bool Collision<D>::ignored(const rigid::OverlapPair& p) const {
  if (ignored_.empty()) return false;
  const Index a = items_[std::size_t(p[0])].body, b = items_[std::size_t(p[1])].body;
  return std::ranges::binary_search(
      ignored_, std::pair(std::min(a, b), std::max(a, b)), {},
      [](const VecT<Index, 2>& pair) { return std::pair(pair[0], pair[1]); });
}

// Whether what this box contains cannot reach the plane; planes that move are never left out. The
// allowance is for rounding: what is found must not show when pairs were searched for.
template <int D>
bool Collision<D>::above_plane(const rigid::OverlapPair& p, const rigid::Aabb<D>& box) const {
  const rigid::Item& b = items_[std::size_t(p[1])];
  if (parts_.list()[std::size_t(b.part)].kind != rigid::PartKind::plane) return false;
  if (motions_[std::size_t(b.body - rows_)]) return false;
  const rigid::HalfSpace<D> s = parts_.plane(b.part);
  const Vec<D> middle = Real(0.5) * (box.low + box.high) - s.point;
  Real height = dot(middle, s.normal), allowance = norm(middle) + norm(s.point);
  for (int k = 0; k < D; ++k) {
    const Real half = Real(0.5) * (box.high[k] - box.low[k]);
    height -= half * std::abs(s.normal[k]), allowance += half;
  }
  return height > Real(1e-5) * allowance;
}

// For meshes their triangles, for fields the groups of corners.
template <int D>
void Collision<D>::list_pairs(const std::vector<rigid::OverlapPair>& found) {
  const auto is_field = [&](Index item) {
    const rigid::Item& of = items_[std::size_t(item)];
    return parts_.list()[std::size_t(of.part)].kind == rigid::PartKind::field;
  };
  const auto of_fields =
      std::ranges::count_if(found, [&](const rigid::OverlapPair& p) { return is_field(p[1]); });
  pairs_.reserve(found.size() + std::size_t(of_fields) * (rigid::most_groups - 1));
  const std::vector<rigid::BodyPose<D>> poses =
      meshes_move_ ? poses_.download() : std::vector<rigid::BodyPose<D>>();
  for (const rigid::OverlapPair& p : found) {
    const Index a = p[0], b = p[1];
    if (ignored(p) || above_plane(p, fat_aabbs_[std::size_t(a)])) continue;
    const rigid::Item& of_b = items_[std::size_t(b)];
    if (is_field(b)) {
      for (int g = 0; g < rigid::most_groups; ++g) pairs_.push_back({a, b, of_b.part, g});
      continue;
    }
    const Index mesh = b < moving_ ? -1 : mesh_of_[std::size_t(b - moving_)];
    if (mesh < 0) {
      pairs_.push_back({a, b, of_b.part, 0});
      continue;
    }
    rigid::Aabb<D> box = fat_aabbs_[std::size_t(a)];
    if (meshes_move_) box = seen_from(poses[std::size_t(of_b.body)], box);
    const std::size_t first = pairs_.size();
    const MeshParts& of_mesh = parts_.meshes()[std::size_t(mesh)];
    of_mesh.visit(widen(box.low), widen(box.high), [&](Index part) {
      pairs_.push_back({a, b, part, 0});
    });
    std::sort(pairs_.begin() + std::ptrdiff_t(first), pairs_.end(),
              [](const auto& x, const auto& y) { return x.part < y.part; });
    if (of_mesh.inside >= 0) pairs_.push_back({a, b, of_mesh.inside, 0});
  }
}

// Those of bodies, if any may rest, then those of boundaries; whether they have changed.
template <int D>
bool Collision<D>::keep_rests(const Resting& resting) {
  const std::vector<std::uint8_t> before = std::move(boundaries_rest_);
  boundaries_rest_.clear();
  for (const BoundaryStep<D>& b : steps_)
    boundaries_rest_.push_back(dot(b.velocity, b.velocity) == 0 &&
                               dot(b.angular_velocity, b.angular_velocity) == 0);
  const std::size_t rows = std::size_t(resting.bodies.size);
  if (rows == 0 || (!resting.changed && before == boundaries_rest_)) return false;
  kept_rests_.resize(rows + boundaries_rest_.size());
  ex_.copy(kept_rests_.data(), resting.bodies.data, rows);
  ex_.upload(kept_rests_.data() + rows, boundaries_rest_.data(), boundaries_rest_.size());
  rests_ = kept_rests_.download();
  return true;
}

// Whether any does not rest now that did when pairs of such were left out.
template <int D>
bool Collision<D>::lacks_pairs() const {
  for (std::size_t k = 0; k < unpaired_.size(); ++k)
    if (unpaired_[k] && !rests_[k]) return true;
  return false;
}

// Items of these rows of bodies, and of boundaries.
template <int D>
void Collision<D>::list_rows(const Resting& resting) {
  const Index items = Index(items_.size());
  item_rows_ = {items};
  if (!resting.eights) return;
  if (resting.changed || item_eights_.empty()) {
    item_eights_.clear();
    const auto list = [&](Index begin, Index end) {
      for (Index e = begin / lane_count; e * lane_count < end; ++e)
        if (item_eights_.empty() || item_eights_.back() < e) item_eights_.push_back(e);
    };
    const auto first_item = [&](Index body) {
      return body < rows_ ? first_item_[std::size_t(body)] : moving_;
    };
    for (const Index e : *resting.eights)
      list(first_item(lane_count * e), first_item(lane_count * (e + 1)));
    list(moving_, items);
    kept_item_eights_.upload(item_eights_);
  }
  item_rows_ = {items, true, kept_item_eights_.span()};
}

template <int D>
void Collision<D>::find(World& world, const Step& step, double margin, const Resting& resting) {
  place(world, step, resting.rows);
  const bool changed = keep_rests(resting);
  if (changed) parted_ = false;
  list_rows(resting);
  rigid::bound_items<D>(ex_, item_rows_, collision_world(), step.dt, margin, aabbs_.span());
  if (meshes_move_ || fat_aabbs_.empty() || (changed && lacks_pairs()) ||
      !rigid::all_within<D>(ex_, item_rows_, aabbs_.span(), fat_aabbs()))
    search(margin);
  else if (changed)
    drop_resting_pairs();
  if (changed) unpaired_ = rests_;
  rigid::collide_pairs<D>(ex_, collision_world(), aabbs_.span(), tested_pairs(), step.dt, margin,
                          manifolds_);
}

template <int D>
rigid::ManifoldList<D> Collision<D>::manifolds() const {
  return manifolds_.list();
}

template class Collision<2>;
template class Collision<3>;

}  // namespace rtsim
