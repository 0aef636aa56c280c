#include "solvers/sph_clavet/sph_clavet_springs.h"

#include "exec/sort.h"

namespace rtsim {

void describe(Describe& d, SpringParams& p) {
  static constexpr Option starts[] = {
      {"radius", int(SpringParams::Start::radius),
       "The kernel radius, as in the paper: no force until it has given way."},
      {"distance", int(SpringParams::Start::distance),
       "The distance of the pair: a body that keeps its first shape."}};
  d.choice("start", p.start, starts, "Rest length of a new spring.");
  d("stiffness", p.stiffness, "1/s^2", above(0),
    "k_spring: a pair at the distance r shifts by dt^2 k (1 - L/H) (L - r) towards its rest length "
    "L. The paper's 0.3 in frames of 1/30 s is 270.");
  d("yield_ratio", p.yield_ratio, "", between(0, 1),
    "Gamma: how far a spring may be stretched or compressed, in parts of its rest length, before "
    "that gives way.");
  d("plasticity", p.plasticity, "1/s", at_least(0),
    "Alpha: how fast the rest length then follows. With 0 only springs that start at a distance "
    "do anything: an elastic body.");
}

ParticleSprings::ParticleSprings(World& world, const SpringParams& p, const std::string& fluid,
                                 double support)
    : p_(p),
      fluid_(fluid),
      table_(fluid + ".springs"),
      support_(support),
      row_of_(world.exec),
      count_(world.exec),
      first_(world.exec),
      partner_(world.exec),
      rest_length_(world.exec) {
  Table& springs = world.add_table(table_, 0);
  springs.add<std::uint32_t>({"partner", ""});
  springs.add<Real>({"rest_length", "m"});
  for (const char* name : {"first_spring", "springs"}) world.table(fluid).add<Index>({name, ""});
}

sph_clavet::SpringRows ParticleSprings::rows(World& world, const CellRows& rows) const {
  Table &t = world.table(fluid_), &s = world.table(table_);
  return {rows,
          t.column<const std::uint32_t>("id"),
          row_of_.span(),
          t.column<const Index>("first_spring"),
          t.column<const Index>("springs"),
          s.column<const std::uint32_t>("partner"),
          s.column<const Real>("rest_length")};
}

void ParticleSprings::advance(World& world, const CellRows& cells, double dt, Span<Row4> shift) {
  const sph_clavet::SpringLaw law{.support = Real(support_),
                                  .slack = p_.start == SpringParams::Start::radius,
                                  .yield = Real(p_.yield_ratio),
                                  .plasticity = Real(dt * p_.plasticity),
                                  .stiffness = Real(dt * dt * p_.stiffness)};
  row_of_.resize(world.next_id);
  sph_clavet::map_ids(world.exec, world.table(fluid_).column<const std::uint32_t>("id"),
                      row_of_.span());
  renew(world, law, cells);
  sph_clavet::pull_springs(world.exec, law, rows(world, cells), shift);
}

void ParticleSprings::renew(World& world, const sph_clavet::SpringLaw& law, const CellRows& cells) {
  const Exec& ex = world.exec;
  Table &t = world.table(fluid_), &s = world.table(table_);
  const std::size_t n = std::size_t(t.rows());
  const sph_clavet::SpringRows old = rows(world, cells);
  count_.resize(n), first_.resize(n);
  sph_clavet::count_springs(ex, law, old, count_.span());
  const Index total = exclusive_scan(ex, "sph_clavet.first_spring", count_.span(), first_.span());
  partner_.resize(std::size_t(total)), rest_length_.resize(std::size_t(total));
  sph_clavet::fill_springs(ex, law, old, first_.span(), partner_.span(), rest_length_.span());

  s.resize(total);
  ex.copy(s.column<std::uint32_t>("partner").data, partner_.data(), partner_.size() * 4);
  ex.copy(s.column<Real>("rest_length").data, rest_length_.data(),
          rest_length_.size() * sizeof(Real));
  ex.copy(t.column<Index>("first_spring").data, first_.data(), n * sizeof(Index));
  ex.copy(t.column<Index>("springs").data, count_.data(), n * sizeof(Index));
}

}  // namespace rtsim
