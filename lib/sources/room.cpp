#include "sources/room.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "exec/sort.h"

namespace rtsim {

template <int D>
void PlacedVolumes::sort_in(World& world, const std::vector<Source>& sources, double cell,
                            const neighbours::Box* home) {
  const Exec& ex = world.exec;
  std::vector<Real> volume;
  for (const Source& s : sources)
    volume.insert(volume.end(), std::size_t(world.table(s.table).rows()), Real(s.volume));
  const std::size_t n = volume.size();
  rows_.clear();
  if (n == 0) return;
  Buffer<Vec<D>> position(ex, n);
  std::size_t at = 0;
  for (const Source& s : sources) {
    const auto x = world.table(s.table).template column<const Vec<D>>("position");
    ex.copy(position.data() + at, x.data, std::size_t(x.size) * sizeof(Vec<D>));
    at += std::size_t(x.size);
  }
  box_ = neighbours::bounding_box<D>(ex, position.span());
  grid_ = neighbours::make_grid(box_, home ? *home : box_, cell, 2.0 * double(n) + 65536);
  Buffer<std::uint32_t> keys(ex, n);
  Buffer<Index> order(ex, n), first(ex, std::size_t(grid_.cells()) + 1);
  neighbours::cell_keys<D>(ex, grid_, position.span(), keys.span());
  bin_by_key(ex, "room.sort", keys.span(), std::uint32_t(grid_.cells()), order.span(),
             first.span());
  first_ = first.download();
  const std::vector<Vec<D>> x = position.download();
  for (const Index i : order.download()) {
    const Vec3d p = widen(x[std::size_t(i)]);
    rows_.push_back({Real(p[0]), Real(p[1]), Real(p[2]), volume[std::size_t(i)]});
  }
}

void PlacedVolumes::sort(World& world, const std::vector<Source>& sources, double cell,
                         const neighbours::Box* home) {
  if (world.dim == 2)
    sort_in<2>(world, sources, cell, home);
  else
    sort_in<3>(world, sources, cell, home);
}

double PlacedVolumes::fraction(const sph::CubicSpline& kernel, const Vec3d& x) const {
  if (rows_.empty()) return 0;
  const Real at[3] = {Real(x[0]), Real(x[1]), Real(x[2])};
  const CellRows cells{
      grid_, {first_.data(), Index(first_.size())}, {rows_.data(), Index(rows_.size())}};
  double sum = 0;
  for_runs_of_box(cells, at, at, kernel.support, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const Row4& p = rows_[std::size_t(k)];
      const Real dx = at[0] - p.x, dy = at[1] - p.y, dz = at[2] - p.z;
      const Real r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < kernel.support * kernel.support) sum += double(p.w * kernel.shape(r2));
    }
  });
  return double(kernel.scale) * sum;
}

Room::Room(World& world, const std::string& fluid)
    : fluid_(fluid),
      spacing_(world.object(fluid).spacing),
      volume_(std::pow(spacing_, world.dim)),
      kernel_(sph::CubicSpline::of(world.dim, 2 * spacing_)) {}

// Fluids are the particles that a stage said the mass of. Where walls have samples for several of
// them, one set stands for the wall.
void Room::look(World& world) {
  using Source = PlacedVolumes::Source;
  std::vector<Source> rows;
  for (const Object& o : world.objects)
    if (o.kind == Kind::particles && (o.row_mass > 0 || o.name == fluid_))
      rows.push_back({o.name, std::pow(o.spacing, world.dim)});
  if (!looked_ || moving_) {
    std::vector<Source> samples;
    for (const Object& o : world.objects)
      for (const Source& fluid : rows)
        if (const std::string t = sample_table(o.name, fluid.table); world.has_table(t)) {
          samples.push_back({t, fluid.volume});
          moving_ = moving_ || o.moving;
          break;
        }
    walls_.sort(world, samples, double(kernel_.support), nullptr);
    looked_ = true;
  }
  if (!walls_.empty()) liquid_.sort(world, rows, double(kernel_.support), &walls_.box());
}

namespace {

// Of w: half of the kernel is beyond a wall through its middle. Samples of a curved wall are up to
// 1.8 spacings apart, with 0.3 of it half-way from one to the next; so little bars the way from a
// node to the next one, as a wall may be one layer of samples.
constexpr double inside = 0.5, half_way = 0.25;

using Node = std::array<std::int32_t, 3>;

Node operator+(const Node& a, const Node& b) { return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}}; }

std::uint64_t key(const Node& n) {
  std::uint64_t k = 0;
  for (const std::int32_t i : n) k = k << 21 | (std::uint32_t(i + (1 << 20)) & 0x1fffff);
  return k;
}

// A spacing along each axis, against gravity last.
std::vector<Node> ways(const std::array<double, 3>& gravity, int dim) {
  std::vector<Node> all;
  for (int a = 0; a < dim; ++a)
    for (const int step : {-1, 1}) {
      Node n{};
      n[std::size_t(a)] = step;
      all.push_back(n);
    }
  const auto fall = [&](const Node& n) {
    return n[0] * gravity[0] + n[1] * gravity[1] + n[2] * gravity[2];
  };
  std::ranges::stable_sort(all, [&](const Node& a, const Node& b) { return fall(a) > fall(b); });
  return all;
}

// A lattice of nodes, and those that were met on a walk from node to node.
class Walk {
 public:
  Walk(const Vec3d& middle, double spacing) : middle_(middle), spacing_(spacing) {}

  Vec3d place(const Node& n) const {
    return middle_ + spacing_ * Vec3d{{double(n[0]), double(n[1]), double(n[2])}};
  }
  Node nearest(const Vec3d& x) const {
    Node n;
    for (int a = 0; a < 3; ++a)
      n[std::size_t(a)] = std::int32_t(std::lround((x[a] - middle_[a]) / spacing_));
    return n;
  }
  bool met(const Node& n) const { return met_.contains(key(n)); }
  void meet(const Node& n) {
    if (met_.insert(key(n)).second) open_.push_back(n);
  }
  bool ended() const { return open_.empty(); }
  // The last one met comes first, which goes straight to a surface above.
  Node next() {
    const Node n = open_.back();
    open_.pop_back();
    return n;
  }

 private:
  Vec3d middle_;
  double spacing_;
  std::unordered_set<std::uint64_t> met_;
  std::vector<Node> open_;
};

Vec3d mean(const std::vector<Vec3d>& x) {
  Vec3d sum;
  for (const Vec3d& p : x) sum = sum + p;
  return (1 / double(x.size())) * sum;
}

}  // namespace

bool Room::fits(const Vec3d& x) const {
  const double own = double(kernel_.scale * kernel_.shape(Real(0))) * volume_;
  if (walls_.empty()) return true;
  const double left = 1 - own - liquid_.fraction(kernel_, x);
  return left >= 0 && wall(x) <= left;
}

std::size_t Room::nodes(const World& world, const std::vector<Vec3d>& from,
                        const region::HalfSpaces* guided, std::size_t enough) const {
  if (walls_.empty() || from.empty()) return enough;
  const auto counts = [&](const Vec3d& x) {
    if (!guided) return true;
    return world.dim == 2 ? !guided->inside(narrow<2>(x)) : !guided->inside(narrow<3>(x));
  };
  Walk walk(mean(from), spacing_);
  for (const Vec3d& x : from)
    if (const Node n = walk.nearest(x); wall(walk.place(n)) <= inside) walk.meet(n);
  if (walk.ended()) return enough;
  const std::vector<Node> around = ways(world.gravity, world.dim);
  std::size_t fit = 0;
  while (!walk.ended() && fit < enough) {
    const Node n = walk.next();
    const Vec3d x = walk.place(n);
    if (counts(x)) fit += fits(x);
    for (const Node& way : around) {
      const Node m = n + way;
      if (walk.met(m)) continue;
      const Vec3d y = walk.place(m);
      if (wall(0.5 * (x + y)) <= half_way && wall(y) <= inside) walk.meet(m);
    }
  }
  return fit;
}

}  // namespace rtsim
