#pragma once
#include <string>
#include <vector>

#include "mixture/mixture.h"
#include "particles/sph_params.h"
#include "world/world.h"

namespace rtsim {

// The rows of all fluids of a stage in one table of their own, `<fluid>.mixture`, with the columns
// position, velocity, and what the stage keeps of a row. Other stages know the fluids' tables only:
// before a step their velocities come from there, with rows that were added, and without those that
// were removed; after it everything goes back. Of one fluid alone there is no mixture, and its own
// table is the one to work on.
template <int D>
class Mixture {
 public:
  struct Member {
    std::string fluid;
    double rest_density;   // [kg/m^D]
    double particle_mass;  // [kg]
  };

  Mixture(World&, const SphParams&);

  bool empty() const { return !phases_.mixed(); }
  const std::string& table() const { return table_; }
  // The fluids, that of the stage first; itself where it is alone.
  const std::vector<Member>& members() const { return members_; }
  const sph::Phases& phases() const { return phases_; }
  Span<const Real> phase(World&) const;  // of each row

  void take(World&);
  // The same where nothing is known of the tables, as after a checkpoint was read.
  void take_afresh(World&);
  void give(World&) const;
  // Rows times the relative densities of their phases.
  void weigh(World&, Span<Row4> rows) const;

 private:
  mixture::Rows<D> rows(World&) const;
  mixture::Phase<D> member(World&, std::size_t) const;
  void add_columns(World&);
  void follow(World&);
  void remove_rows(World&);
  void add_rows(World&, std::size_t member);

  std::string table_;
  std::vector<Member> members_;
  sph::Phases phases_;
  std::vector<std::uint64_t> revisions_;  // of the members' tables, when rows were last taken
  Buffer<std::uint32_t> doomed_;
  Buffer<Index> at_;
};

// factor * 2 x_p x_q / (x_p + x_q): the harmonic mean of a quantity of the phases.
sph::PhaseTable harmonic_means(const std::vector<double>& of_phases, double factor);
// Dynamic viscosities over the first phase's rest density, nu_p rho0_p / rho0 [m^2/s].
std::vector<double> relative_viscosities(const SphParams&, double kinematic_viscosity);
// The greatest kinematic viscosity of the phases [m^2/s].
double greatest_viscosity(const SphParams&, double kinematic_viscosity);

}  // namespace rtsim
