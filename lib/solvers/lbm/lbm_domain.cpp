#include "solvers/lbm/lbm_domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rtsim {

template <int D>
LbmDomain<D>::LbmDomain(World& world, const LbmParams& p)
    : p_(p),
      grid_(*world.object(p.grid.name).grid),
      layout_(grid_.cells, D),
      solids_(world, p.boundary.names, grid_, 4 * grid_.spacing, p.grid.name + ".solids"),
      solid_(world.exec),
      tracks_(world.exec),
      before_(world.exec),
      obstacle_links_(world.exec),
      order_(world.exec) {
  if (layout_.slots() > std::numeric_limits<Index>::max())
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' with its ghost cells has {:.3g} cells, more than 2^31 - 1; use a "
                            "larger spacing",
                            p.grid.name, layout_.slots()));
  for (const std::string& b : p.boundary.names) refuse_deforming(world.object(b), "\"lbm\"");
  check_faces(p);
  check_balance(p);
  for (int f = 0; f < 2 * D; ++f)
    if (p.faces[f].kind == lbm::Faces::wall)
      takers_.push_back({p.grid.name + "." + lbm_face_names[f], f});
  for (std::size_t k = 0; k < solids_.members().size(); ++k)
    if (solids_.members()[k].named) takers_.push_back({solids_.members()[k].name, wall_of(k)});
  if (solids_.members().size() > 249)
    throw Error(
        ExitCode::bad_input,
        fmt::format("{} boundaries and bodies are more than the 249 that lbm can tell apart",
                    solids_.members().size()));
}

template <int D>
void LbmDomain<D>::check_faces(const LbmParams& p) const {
  for (int f = 0; f < 2 * D; ++f) {
    const auto fault = [&](const std::string& what) {
      throw Error(ExitCode::bad_input, fmt::format("{}: {}", lbm_face_names[f], what));
    };
    const LbmFace& face = p.faces[f];
    const bool moves = norm(face.velocity) > 0;
    if ((face.kind == lbm::Faces::periodic) != (p.faces[f ^ 1].kind == lbm::Faces::periodic))
      fault(fmt::format("a face and its opposite, {}, are periodic together or not at all",
                        lbm_face_names[f ^ 1]));
    if (face.kind < lbm::Faces::inlet && moves)
      fault("\"velocity\" is for faces of type \"wall\" and \"inlet\"");
    if (face.kind == lbm::Faces::wall && face.velocity[f / 2] != 0)
      fault("a wall moves along itself only; use type \"inlet\" for a flow through it");
    if (face.kind != lbm::Faces::pressure && face.pressure != 0)
      fault("\"pressure\" is for faces of type \"pressure\"");
    if (face.kind != lbm::Faces::inlet && face.parabolic)
      fault("\"parabolic\" is for faces of type \"inlet\"");
  }
}

// Without a pressure face all that flows in has to flow out at another inlet. A parabola's mean is
// 2/3 of its middle along each axis of the face.
template <int D>
void LbmDomain<D>::check_balance(const LbmParams& p) const {
  double net = 0, all = 0;
  for (int f = 0; f < 2 * D; ++f) {
    const LbmFace& face = p.faces[f];
    if (face.kind == lbm::Faces::pressure) return;
    if (face.kind != lbm::Faces::inlet) continue;
    const double mean = face.parabolic ? std::pow(2.0 / 3, D - 1) : 1;
    const double in = (f % 2 == 0 ? 1 : -1) * face.velocity[f / 2] * mean / grid_.cells[f / 2];
    net += in, all += std::abs(in);
  }
  if (std::abs(net) > 1e-5 * all)
    throw Error(
        ExitCode::bad_input,
        fmt::format("{:.3g} of what inlets let in has no way out; make a face \"pressure\", "
                    "or give another inlet the velocity that leads it out",
                    net / all));
}

template <int D>
lbm::Cells LbmDomain<D>::cells() const {
  const grid::GridView g = grid_view(grid_);
  return {layout_,
          solid_.span(),
          solids_.nearest(),
          solids_.distance(),
          solids_.poses(),
          g.first,
          g.step,
          Real(double(scale_) * units_.to_speed(1))};
}

template <int D>
void LbmDomain<D>::prepare(World& world, const LbmUnits& units, Real scale) {
  units_ = units, scale_ = scale;
  for (int f = 0; f < 2 * D; ++f) {
    const LbmFace& face = p_.faces[f];
    faces_.kind[f] = std::uint8_t(face.kind);
    faces_.parabolic[f] = face.parabolic;
    faces_.velocity[f] = narrow<3>(double(scale) * units.to_speed(1) * face.velocity);
    faces_.density[f] = Real(double(scale) * units.to_density(face.pressure));
    wall_speed_ = std::max(wall_speed_, norm(face.velocity));
  }
  tracks_.obstructed.resize(0);
  find_tracks(world.exec);
}

// On the host, once.
template <int D>
void LbmDomain<D>::mark(World& world) {
  solids_.recall(world);
  Table& t = world.table(p_.grid.name);
  auto pressure = t.download<Real>("pressure");
  auto velocity = t.download<Vec<D>>("velocity");
  std::vector<Real> distance(pressure.size());
  std::vector<grid::SolidId> nearest(pressure.size());
  world.exec.download(distance.data(), solids_.distance().data, distance.size() * sizeof(Real));
  world.exec.download(nearest.data(), solids_.nearest().data, nearest.size() * sizeof nearest[0]);

  std::vector<std::uint8_t> solid(std::size_t(layout_.slots()), 1);
  std::vector<Index> covered(solids_.members().size(), 0);
  Index fluid = 0;
  for (Index c = 0; c < layout_.cells(); ++c) {
    const auto i = std::size_t(c);
    if (distance[i] < 0) {
      pressure[i] = 0, velocity[i] = {};
      ++covered[nearest[i]];
    } else {
      solid[std::size_t(layout_.slot_of(c))] = 0;
      ++fluid;
    }
  }
  if (fluid == 0)
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' has no cell of fluid: boundaries fill it", p_.grid.name));
  unfelt_.clear();
  for (std::size_t k = 0; k < covered.size(); ++k) {
    const Solids::Member& m = solids_.members()[k];
    if (covered[k] == 0 && (m.body < 0 || solids_.part_in(k, grid_).share > 0))
      unfelt_.push_back(m.name);
  }
  solid_.upload(solid);
  world.exec.upload(t.column<Real>("pressure").data, pressure.data(),
                    pressure.size() * sizeof(Real));
  world.exec.upload(t.column<Vec<D>>("velocity").data, velocity.data(),
                    velocity.size() * sizeof(Vec<D>));
}

template <int D>
void LbmDomain<D>::find_tracks(const Exec& ex) {
  std::swap(tracks_, before_);
  lbm::find_tracks<D>(ex, cells(), faces_, before_, tracks_);
  if (solids_.moving())
    wall_speed_ = std::max(wall_speed_, double(lbm::greatest_push<D>(ex, tracks_.links.span())) /
                                            double(scale_) * units_.of_speed());
  first_order_.clear();
  find_regions();
}

template <int D>
void LbmDomain<D>::find_regions() {
  regions_.find<D>(layout_, tracks_);
  const std::vector<lbm::Link> links = tracks_.links.download();
  const std::vector<Balance> all = balances(links);
  check_regions(all);
  inlets_ = pushed_ = open_cells_ = 0;
  for (const Balance& b : all)
    if (b.open()) inlets_ += b.net, pushed_ += b.pushed, open_cells_ += b.open_cells;
  sort_obstacle_links(links);
}

template <int D>
lbm::Walk LbmDomain<D>::walk() const {
  return {tracks_.first_span.span(), tracks_.spans.span(),
          tracks_.first_link.span(), tracks_.links.span(),
          tracks_.passages.span(),   {obstacle_links_.span(), region_links_}};
}

// What all links of each region let in, -6 w c.u each, and its cells at pressure faces.
template <int D>
auto LbmDomain<D>::balances(const std::vector<lbm::Link>& links) const -> std::vector<Balance> {
  std::vector<Balance> balances(std::size_t(regions_.count()));
  for (const lbm::Link& l : links) {
    const bool inlet = l.wall < 6 && p_.faces[l.wall].kind == lbm::Faces::inlet;
    if (!inlet && l.kind != lbm::Link::pressure && l.kind != lbm::Link::obstacle) continue;
    const Index cell = link_cell<D>(layout_, l);
    Balance& b = balances[std::size_t(regions_.of_slot(cell))];
    if (inlet) b.net += double(l.shift), b.all += std::abs(double(l.shift)), b.cell = cell;
    if (l.kind == lbm::Link::obstacle) b.pushed += double(l.shift);
    // Along the normal each cell of a face has one link.
    if (l.kind == lbm::Link::pressure && l.from / 2 == l.wall / 2) ++b.open_cells;
  }
  return balances;
}

// All that inlets let in has to leave by a pressure face.
template <int D>
void LbmDomain<D>::check_regions(const std::vector<Balance>& balances) const {
  // One that has all inlets of a grid without pressure faces is as check_balance() found it, but
  // for how a row of cells samples a parabola.
  double all = 0;
  bool open = false;
  for (const Balance& b : balances) all += b.all, open = open || b.open();
  for (const Balance& b : balances) {
    if (b.open() || (!open && b.all == all) || !(std::abs(b.net) > 1e-5 * b.all)) continue;
    const Index at[3] = {b.cell % layout_.pitch - lbm::Layout::margin,
                         b.cell % layout_.plane / layout_.pitch - 1,
                         b.cell / layout_.plane - layout_.deep};
    const Vec3d x = grid_.centre(grid_.row(at[0], at[1], at[2]));
    std::string place = fmt::format("{:.3g}, {:.3g}", x[0], x[1]);
    if (D == 3) place += fmt::format(", {:.3g}", x[2]);
    throw Error(ExitCode::bad_input,
                fmt::format("{:.3g} of what inlets let in has no way out: obstacles close the part "
                            "of '{}' around ({}); leave it a way to a \"pressure\" face",
                            b.net / b.all, p_.grid.name, place));
  }
}

template <int D>
void LbmDomain<D>::sort_obstacle_links(const std::vector<lbm::Link>& links) {
  std::vector<lbm::ObstacleLinks::Region> regions(std::size_t(regions_.count()));
  std::vector<int> of(links.size(), -1);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const lbm::Link& l = links[i];
    if (l.kind != lbm::Link::obstacle) continue;
    of[i] = regions_.of_slot(link_cell<D>(layout_, l));
    auto& region = regions[std::size_t(of[i])];
    ++region.end, region.weight += double(lbm::Lattice<D>::weight(l.from / 2));
  }
  std::vector<Index> next;
  Index begin = 0;
  for (auto& r : regions) {
    next.push_back(begin);
    r.begin = begin, begin += r.end, r.end = begin;
  }
  std::vector<lbm::Link> sorted(static_cast<std::size_t>(begin));
  for (std::size_t i = 0; i < links.size(); ++i)
    if (of[i] >= 0) sorted[std::size_t(next[std::size_t(of[i])]++)] = links[i];
  region_links_ = std::move(regions);
  obstacle_links_.upload(sorted);
}

template <int D>
template <class Stored>
void LbmDomain<D>::move(World& world, double before_end, double ahead, const lbm::Law<D>& law,
                        const lbm::Populations<D, Stored>& f, const lbm::Output<D>& out) {
  if (!solids_.moving()) return;
  solids_.update(world, before_end, ahead);
  const std::vector<lbm::Changed> changes =
      lbm::cover<D, Stored>(world.exec, cells(), law, solid_.span(), f, out);
  find_tracks(world.exec);
  owe(changes);
}

// What a covered cell held goes to the fluid beside it; where no obstacle bounds that, to all.
template <int D>
void LbmDomain<D>::owe(const std::vector<lbm::Changed>& changes) {
  double weight = 0, nobodys = 0;
  for (const auto& r : region_links_) weight += r.weight;
  for (const lbm::Changed& c : changes) {
    const int region = regions_.at_or_beside<D>(c.slot);
    const bool bounded = region >= 0 && region_links_[std::size_t(region)].weight > 0;
    (bounded ? region_links_[std::size_t(region)].owed : nobodys) += c.lost;
  }
  for (auto& r : region_links_)
    if (r.weight > 0) r.owed += nobodys * r.weight / weight;
}

template <int D>
Span<const Index> LbmDomain<D>::links_of(int wall) {
  if (first_order_.empty()) {
    const std::vector<lbm::Link> links = tracks_.links.download();
    first_order_.assign(257, 0);
    for (const lbm::Link& l : links) ++first_order_[l.wall + 1u];
    for (std::size_t w = 0; w < 256; ++w) first_order_[w + 1] += first_order_[w];
    std::vector<Index> order(links.size()), next = first_order_;
    for (std::size_t i = 0; i < links.size(); ++i)
      order[std::size_t(next[links[i].wall]++)] = Index(i);
    order_.upload(order);
  }
  const Index first = first_order_[std::size_t(wall)];
  return {order_.data() + first, first_order_[std::size_t(wall) + 1] - first};
}

template <int D>
template <class Stored>
lbm::Wrench LbmDomain<D>::wrench(const Exec& ex, const lbm::Law<D>& law,
                                 const lbm::Populations<D, Stored>& last, int wall) {
  return lbm::wrench<D, Stored>(ex, cells(), law, last, tracks_.links.span(), links_of(wall));
}

template <int D>
lbm::Periods LbmDomain<D>::periods() const {
  lbm::Periods p;
  for (int a = 0; a < D; ++a)
    if (p_.faces[2 * a].kind == lbm::Faces::periodic) p[a] = grid_.cells[a] * grid_.spacing;
  return p;
}

template <int D>
lbm::Response LbmDomain<D>::response(const Exec& ex, int wall) {
  return lbm::response<D>(ex, cells(), periods(), solids_.centre(std::size_t(wall - 6)),
                          tracks_.links.span(), links_of(wall));
}

template <int D>
template <class Stored>
void LbmDomain<D>::set_motion(World& world, const std::vector<SolidMotion>& motions,
                              const lbm::Law<D>& law, const lbm::Populations<D, Stored>& f) {
  const Exec& ex = world.exec;
  std::vector<lbm::SpeedChange> changes(motions.size());
  for (std::size_t k = 0; k < motions.size(); ++k) {
    if (solids_.members()[k].body < 0) continue;
    const SolidMotion before = solids_.motion(k);
    changes[k] = {narrow<3>(motions[k].velocity - before.velocity),
                  narrow<3>(motions[k].angular - before.angular)};
  }
  solids_.set_motion(world, motions);
  const Buffer<lbm::SpeedChange> there(ex, std::span<const lbm::SpeedChange>(changes));
  lbm::change_speed<D>(ex, cells(), periods(), there.span(), obstacle_links_.span());
  lbm::change_speed<D>(ex, cells(), periods(), there.span(), tracks_.links.span());
  lbm::bend_links<D, Stored>(ex, layout_, law, f, walk().obstacles);
}

template class LbmDomain<2>;
template class LbmDomain<3>;
#define RTSIM_LBM_STORED(D, Stored)                                                       \
  template void LbmDomain<D>::move<Stored>(World&, double, double, const lbm::Law<D>&,    \
                                           const lbm::Populations<D, Stored>&,            \
                                           const lbm::Output<D>&);                        \
  template void LbmDomain<D>::set_motion<Stored>(World&, const std::vector<SolidMotion>&, \
                                                 const lbm::Law<D>&,                      \
                                                 const lbm::Populations<D, Stored>&);     \
  template lbm::Wrench LbmDomain<D>::wrench<Stored>(const Exec&, const lbm::Law<D>&,      \
                                                    const lbm::Populations<D, Stored>&, int);
RTSIM_LBM_STORED(2, Real)
RTSIM_LBM_STORED(3, Real)
RTSIM_LBM_STORED(2, lbm::Half)
RTSIM_LBM_STORED(3, lbm::Half)
#undef RTSIM_LBM_STORED

}  // namespace rtsim
