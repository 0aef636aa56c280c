#include "solvers/flip/narrow_band.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "exec/sort.h"

namespace rtsim {

namespace {

constexpr Index disturbed_cells = 2;   // around those where particles were put
constexpr std::uint64_t draws = 1024;  // of a step: more than it has substeps

std::string carried_table(const std::string& grid, int axis) {
  return grid + ".faces_" + "xyz"[axis];
}

}  // namespace

template <int D>
NarrowBand<D>::NarrowBand(World& world, const std::string& stage, const std::string& fluid,
                          const std::string& grid, const flip::Place<D>& place, double spacing,
                          int width)
    : ex_(world.exec),
      place_(place),
      fluid_(fluid),
      grid_(grid),
      state_(stage + ".band"),
      width_(width),
      tile_(std::pow(double(place.domain.spacing) / spacing, D)),
      seed_(world.seed),
      key_(std::uint32_t(hash_bytes(stage.data(), stage.size()))),
      sites_(flip::Sites<D>::of(double(place.domain.spacing) / spacing)),
      around_(ex_, std::size_t(place.domain.rows(mac::centres))),
      next_(ex_, around_.size()),
      shallow_(ex_, around_.size()),
      origin_(ex_, around_.size()),
      scratch_(ex_, around_.size()),
      seeds_(ex_),
      listed_(ex_),
      lines_(ex_, std::size_t(place.domain.cells[1]) * std::size_t(place.domain.cells[2])),
      room_(ex_),
      change_(ex_),
      count_(ex_),
      doomed_(ex_) {
  world.table(grid).template add<std::uint8_t>({"deep", ""});
  for (int a = 0; a < D; ++a)
    world.add_table(carried_table(grid, a), place.domain.rows(a))
        .template add<Real>({"velocity", "m/s"});
  Table& state = world.add_table(state_, 1);
  for (const char* column : {"begun", "deep", "seeded", "absorbed"})
    state.add<std::int64_t>({column, ""});
  state.add<double>({"owed", ""});
  for (Object& o : world.objects)
    if (o.name == fluid) o.hollow = true;
}

template <int D>
bool NarrowBand<D>::begun(World& w) const {
  return get<std::int64_t>(w, "begun") != 0;
}

template <int D>
Span<std::uint8_t> NarrowBand<D>::cells(World& w) const {
  return w.table(grid_).template column<std::uint8_t>("deep");
}

template <int D>
Span<Real> NarrowBand<D>::carried(World& w, int axis) const {
  return w.table(carried_table(grid_, axis)).template column<Real>("velocity");
}

template <int D>
void NarrowBand<D>::find_speed(World& w) {
  mac::Velocity v;
  for (int a = 0; a < D; ++a) v.u[a] = carried(w, a);
  speed_ = double(mac::greatest_speed(ex_, place_.domain, v));
}

template <int D>
void NarrowBand<D>::recall(World& w) {
  find_around(w);
  find_speed(w);
}

template <int D>
Index NarrowBand<D>::deep_cells(World& w) const {
  return Index(get<std::int64_t>(w, "deep"));
}

template <int D>
bool NarrowBand<D>::disturbed(World& w) const {
  const auto position = w.table(fluid_).template column<const Vec<D>>("position");
  return flip::count_deep<D>(ex_, place_, position, cells(w)) > 0;
}

template <int D>
void NarrowBand<D>::find_around(World& w) {
  flip::spread(ex_, place_.domain, 1, cells(w), scratch_.span(), around_.span());
}

template <int D>
void NarrowBand<D>::take(World& w, int axis, Span<Real> u, Span<std::uint8_t> known) {
  flip::take_carried(ex_, place_.domain, axis, around(), carried(w, axis), u, known);
}

template <int D>
void NarrowBand<D>::list(flip::Bytes wanted, flip::Bytes deep, Span<const Index> first) {
  const Index n = flip::list_cells(ex_, place_.domain, wanted, deep, first, lines_.span(), listed_);
  seeds_.resize(std::size_t(n)), change_.resize(seeds_.size());
  room_.resize(seeds_.size()), count_.resize(seeds_.size());
}

template <int D>
void NarrowBand<D>::wake(World& w, const Rows& rows, const flip::Move<D>& still, const Step& step) {
  flip::strangers(ex_, cells(w), rows.first, origin_.span());
  flip::spread(ex_, place_.domain, disturbed_cells, origin_.span(), scratch_.span(), next_.span());
  const Index woken = flip::wake(ex_, cells(w), next_.span());
  sites_.begin(seed_, key_, std::uint64_t(step.index) * draws);
  list(next_.span(), {}, {});
  flip::seed_all<D>(ex_, place_, sites_, listed_.span(), seeds_.span());
  change_.zero();
  const std::int64_t seeded = sow(w, still);
  find_around(w);
  set(w, "deep", std::int64_t(deep_cells(w) - woken));
  book(w, owed(w) + tile_ * woken - double(seeded), seeded, 0);
}

// The cells that are deep now, to next_, and how many; their like of before is still there.
template <int D>
Index NarrowBand<D>::find_deep(World& w, const Rows& rows, const flip::Move<D>& law, double speed,
                               const mac::Walls& walls, double end) {
  const mac::Domain& d = place_.domain;
  const auto reach = Index(std::min(1e6, 2 + double(speed) * double(law.cells_per_speed)));
  flip::spread(ex_, d, reach, cells(w), scratch_.span(), next_.span());
  flip::find_origin<D>(ex_, law, next_.span(), cells(w), around(), origin_.span());
  flip::shallow(ex_, d, walls, rows.first, origin_.span(), shallow_.span());
  if (const auto sinks = w.sinks.find(fluid_); sinks != w.sinks.end())
    for (const Sink& sink : sinks->second) {
      region::HalfSpaces region;
      sink.where(end, region);
      flip::add_region<D>(ex_, place_, region, sink.outside, shallow_.span());
    }
  flip::spread(ex_, d, width_, shallow_.span(), scratch_.span(), next_.span());
  return flip::find_deep(ex_, next_.span(), next_.span());
}

// Writes change_: cells of the band come within limits, and what is owed is paid as far as it fits.
template <int D>
void NarrowBand<D>::even_out(const Rows& rows, double owed) {
  Buffer<std::uint8_t>& edge = origin_;  // whose origins are spent
  flip::spread(ex_, place_.domain, 1, shallow_.span(), scratch_.span(), edge.span());
  const auto crowd =
      flip::Crowd::limited(tile_, listed_.span(), rows.first, seeds_.span(), edge.span());
  const auto left = std::int64_t(std::llround(owed)) - flip::even_out(ex_, crowd, change_.span());
  if (left == 0) return;
  const std::int64_t room = flip::find_room(ex_, crowd, left < 0, change_.span(), room_.span());
  if (room == 0) return;
  exclusive_scan(ex_, "flip.band", room_.span(), count_.span());
  flip::pay(ex_, std::clamp(left, -room, room), room, std::int64_t(sites_.substep), room_.span(),
            count_.span(), change_.span());
}

template <int D>
Index NarrowBand<D>::take_out(World& w, const Rows& rows) {
  Table& t = w.table(fluid_);
  doomed_.resize(std::size_t(t.rows()));
  flip::doom(ex_, sites_.substep, listed_.span(), rows.order, rows.first, change_.span(),
             doomed_.span());
  return t.remove(doomed_.span());
}

template <int D>
std::int64_t NarrowBand<D>::sow(World& w, const flip::Move<D>& law) {
  flip::count_seeds(ex_, seeds_.span(), change_.span(), count_.span());
  const Index rows = exclusive_scan(ex_, "flip.band", count_.span(), count_.span());
  if (rows == 0) return 0;
  Table& t = w.table(fluid_);
  const Index first = t.append(rows);
  const auto behind = [&](auto span) { return decltype(span)(span.data + first, rows); };
  flip::State<D> s{behind(t.column<Vec<D>>("position")), behind(t.column<Vec<D>>("velocity")), {}};
  if (t.has("velocity_gradient")) s.affine = behind(t.column<Vec<D * D>>("velocity_gradient"));
  flip::sow<D>(ex_, place_, sites_, listed_.span(), seeds_.span(), change_.span(), count_.span(),
               s.position);
  flip::give_velocity<D>(ex_, place_, law, s);
  flip::number(ex_, w.take_ids(rows), behind(t.column<std::uint32_t>("id")));
  return rows;
}

template <int D>
void NarrowBand<D>::settle(World& w, const Rows& rows, const flip::Move<D>& law, double speed,
                           const mac::Walls& walls, const Step& step, int substep) {
  sites_.begin(seed_, key_, std::uint64_t(step.index) * draws + 1 + std::uint64_t(substep));
  const Index before = deep_cells(w), there = w.table(fluid_).rows(),
              after = find_deep(w, rows, law, speed, walls, step.end());
  list(origin_.span(), next_.span(), rows.first);
  flip::find_seeds<D>(ex_, law, sites_, listed_.span(), origin_.span(), cells(w), seeds_.span());
  const double changed = tile_ * (before - after) + there -
                         double(flip::count_in(ex_, listed_.span(), rows.first, seeds_.span()));
  even_out(rows, owed(w) + changed);
  const Index gone = there > 0 ? take_out(w, rows) : 0;
  const std::int64_t seeded = sow(w, law);
  ex_.copy(cells(w).data, next_.data(), next_.size());
  find_around(w);
  for (int a = 0; a < D; ++a) flip::carry<D>(ex_, law, a, around(), carried(w, a));
  find_speed(w);
  set(w, "deep", std::int64_t(after));
  book(w, owed(w) + tile_ * (before - after) + gone - double(seeded), seeded, gone);
}

template <int D>
void NarrowBand<D>::book(World& w, double owed, std::int64_t seeded, std::int64_t absorbed) const {
  set(w, "begun", std::int64_t(1));
  set(w, "owed", owed);
  set(w, "seeded", get<std::int64_t>(w, "seeded") + seeded);
  set(w, "absorbed", get<std::int64_t>(w, "absorbed") + absorbed);
}

template <int D>
flip::Sums NarrowBand<D>::sums(World& w, Vec<D> gravity) const {
  mac::Velocity v;
  for (int a = 0; a < D; ++a) v.u[a] = carried(w, a);
  flip::Sums s = flip::sums_of_deep<D>(ex_, place_, cells(w), v, gravity);
  s.kinetic *= tile_, s.potential *= tile_;
  for (int a = 0; a < 3; ++a) s.momentum[a] *= tile_, s.angular_momentum[a] *= tile_;
  return s;
}

template <int D>
void NarrowBand<D>::measure(World& w, std::vector<Measurement>& out) const {
  out.push_back({fluid_ + ".seeded", double(get<std::int64_t>(w, "seeded")), ""});
  out.push_back({fluid_ + ".absorbed", double(get<std::int64_t>(w, "absorbed")), ""});
  out.push_back({fluid_ + ".deep_cells", double(deep_cells(w)), ""});
  out.push_back({fluid_ + ".owed", owed(w), ""});
}

template class NarrowBand<2>;
template class NarrowBand<3>;

}  // namespace rtsim
