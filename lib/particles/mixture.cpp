#include "particles/mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "exec/sort.h"

namespace rtsim {

namespace {

constexpr const char* place = "place_in_mixture";

void require_alike(const World& world, const SphParams& p) {
  const double spacing = world.object(p.fluid.name).spacing;
  for (const PhaseSpec& phase : p.phases)
    if (const double other = world.object(phase.fluid.name).spacing;
        std::abs(other - spacing) > 0.01 * spacing)
      throw Error(
          ExitCode::bad_input,
          fmt::format("\"phases\": '{}' has a spacing of {:.4g} m and '{}' one of {:.4g} m, "
                      "as their fills fit them; fluids of one stage need the same: take "
                      "one that divides the sides of both fills",
                      phase.fluid.name, other, p.fluid.name, spacing));
}

}  // namespace

template <int D>
Mixture<D>::Mixture(World& world, const SphParams& p)
    : table_(p.fluid.name), doomed_(world.exec), at_(world.exec) {
  const auto mass = [&](double density) {  // as kernels have it
    return double(Real(p.mass(world) / p.rest_density * density));
  };
  members_.push_back({p.fluid.name, p.rest_density, double(Real(p.mass(world)))});
  if (p.phases.empty()) return;
  require_alike(world, p);
  for (const PhaseSpec& phase : p.phases)
    members_.push_back({phase.fluid.name, phase.rest_density, mass(phase.rest_density)});
  phases_.count = int(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    phases_.density[m] = Real(members_[m].rest_density / p.rest_density);
    phases_.inv_density[m] = Real(p.rest_density / members_[m].rest_density);
  }
  table_ = p.fluid.name + ".mixture";
  add_columns(world);
  take_afresh(world);
}

template <int D>
void Mixture<D>::add_columns(World& world) {
  Table& t = world.add_table(table_, 0);
  t.add<Vec<D>>({"position", "m"});
  t.add<Vec<D>>({"velocity", "m/s"});
  t.add<Real>({"phase", ""});
  t.add<Index>({"row", ""});
  for (const Member& m : members_) {
    Table& own = world.table(m.fluid);
    own.add<Real>({"density", D == 2 ? "kg/m^2" : "kg/m^3", Role::derived});
    own.add<Real>({"pressure", D == 2 ? "N/m" : "Pa", Role::derived});
    own.add<Index>({place, ""});
  }
}

template <int D>
Span<const Real> Mixture<D>::phase(World& world) const {
  return world.table(table_).column<const Real>("phase");
}

template <int D>
mixture::Rows<D> Mixture<D>::rows(World& world) const {
  Table& t = world.table(table_);
  return {t.column<Real>("phase"), t.column<Index>("row"), t.column<Vec<D>>("position"),
          t.column<Vec<D>>("velocity")};
}

template <int D>
mixture::Phase<D> Mixture<D>::member(World& world, std::size_t m) const {
  Table& t = world.table(members_[m].fluid);
  return {Real(m),
          phases_.density[m],
          t.column<Vec<D>>("position"),
          t.column<Vec<D>>("velocity"),
          t.column<Real>("density"),
          t.column<Real>("pressure"),
          t.column<Index>(place)};
}

template <int D>
void Mixture<D>::take(World& world) {
  if (empty()) return;
  follow(world);
  for (std::size_t m = 0; m < members_.size(); ++m)
    mixture::take<D>(world.exec, member(world, m), rows(world));
}

template <int D>
void Mixture<D>::take_afresh(World& world) {
  revisions_.assign(empty() ? 0 : members_.size(), ~std::uint64_t(0));
  take(world);
}

// Rows that other stages added or removed.
template <int D>
void Mixture<D>::follow(World& world) {
  bool changed = false;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const std::uint64_t now = world.table(members_[m].fluid).revision();
    changed = changed || now != revisions_[m];
    revisions_[m] = now;
  }
  if (!changed) return;
  remove_rows(world);
  for (std::size_t m = 0; m < members_.size(); ++m) add_rows(world, m);
}

template <int D>
void Mixture<D>::remove_rows(World& world) {
  Table& t = world.table(table_);
  doomed_.upload(std::vector<std::uint32_t>(std::size_t(t.rows()), 1));
  for (std::size_t m = 0; m < members_.size(); ++m)
    mixture::claim(world.exec, member(world, m).place, rows(world).row, doomed_.span());
  t.remove(doomed_.span());
}

template <int D>
void Mixture<D>::add_rows(World& world, std::size_t m) {
  const mixture::Phase<D> from = member(world, m);
  at_.resize(std::size_t(from.place.size));
  mixture::mark_new(world.exec, from.place, at_.span());
  const Index fresh = exclusive_scan(world.exec, "mixture.add", at_.span(), at_.span());
  if (fresh == 0) return;
  const Index first = world.table(table_).append(fresh);
  mixture::add<D>(world.exec, Real(m), first, from.place, at_.span(), from.position, rows(world));
}

template <int D>
void Mixture<D>::give(World& world) const {
  if (empty()) return;
  Table& t = world.table(table_);
  for (std::size_t m = 0; m < members_.size(); ++m)
    mixture::give<D>(world.exec, rows(world), t.column<const Real>("density"),
                     t.column<const Real>("pressure"), member(world, m));
}

template <int D>
void Mixture<D>::weigh(World& world, Span<Row4> rows) const {
  if (!empty()) mixture::weigh(world.exec, phases_, phase(world), rows);
}

sph::PhaseTable harmonic_means(const std::vector<double>& of_phases, double factor) {
  sph::PhaseTable t;
  for (std::size_t p = 0; p < of_phases.size(); ++p)
    for (std::size_t q = 0; q < of_phases.size(); ++q) {
      const double x = of_phases[p], y = of_phases[q];
      t.of[p][q] = Real(x + y > 0 ? factor * 2 * x * y / (x + y) : 0);
    }
  return t;
}

std::vector<double> relative_viscosities(const SphParams& p, double kinematic_viscosity) {
  std::vector<double> all{kinematic_viscosity};
  for (const PhaseSpec& phase : p.phases)
    all.push_back(phase.kinematic_viscosity * phase.rest_density / p.rest_density);
  return all;
}

double greatest_viscosity(const SphParams& p, double kinematic_viscosity) {
  for (const PhaseSpec& phase : p.phases)
    kinematic_viscosity = std::max(kinematic_viscosity, phase.kinematic_viscosity);
  return kinematic_viscosity;
}

template class Mixture<2>;
template class Mixture<3>;

}  // namespace rtsim
