#include "grids/boundary_conditions.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace rtsim {

using mac::BoundaryCondition;

void describe(Describe& d, BoundaryConditionSpec& p) {
  static constexpr Option kinds[] = {
      {"no_slip", int(BoundaryCondition::no_slip), "a wall that the fluid sticks to."},
      {"free_slip", int(BoundaryCondition::free_slip), "a wall that the fluid slides along."},
      {"open", int(BoundaryCondition::open),
       "the fluid goes in and out; the pressure outside is 0."},
      {"periodic", int(BoundaryCondition::periodic),
       "the opposite side follows; both must say so."},
      {"inflow", int(BoundaryCondition::inflow),
       "the fluid has the given velocity, inwards or outwards."}};
  d.choice("kind", p.kind, kinds, "What it does:");
  d.vector("velocity", p.velocity, "m/s",
           "Of the fluid there, for `inflow`; of the wall along itself, for `no_slip`.");
  d("parabolic", p.parabolic,
    "What flows in has its velocity in the middle of the side, and falls to 0 at its rims as a "
    "parabola.");
  d("density", p.density, "kg/m^D", at_least(0), "Of smoke that flows in.");
  d("temperature", p.temperature, "K", any(),
    "Above the ambient one: what flows in has (default: 0), or a wall keeps (default: it lets no "
    "warmth through).");
  d("dyes", p.dyes, "", any(), "Of what flows in, in the stage's order; none: 0.");
  if (p.kind != BoundaryCondition::inflow && p.kind != BoundaryCondition::no_slip &&
      norm(p.velocity) > 0)
    d.fault("velocity", "is for kinds \"inflow\" and \"no_slip\"");
  if (p.kind != BoundaryCondition::inflow && p.parabolic)
    d.fault("parabolic", "is for kind \"inflow\"");
  if (p.kind != BoundaryCondition::inflow && (p.density != 0 || !p.dyes.empty()))
    d.fault("kind", "only what flows in has \"density\" and \"dyes\"; use \"inflow\"");
  if ((p.kind == BoundaryCondition::open || p.kind == BoundaryCondition::periodic) && p.temperature)
    d.fault("temperature", "is for walls and for kind \"inflow\"");
}

void describe(Describe& d, BoundaryConditionsSpec& p) {
  static constexpr const char* keys[3][2] = {
      {"x_low", "x_high"}, {"y_low", "y_high"}, {"z_low", "z_high"}};
  static constexpr const char* docs[3][2] = {{"Where x is least.", "Where x is greatest."},
                                             {"Where y is least.", "Where y is greatest."},
                                             {"Where z is least; 3D.", "Where z is greatest; 3D."}};
  for (int a = 0; a < (d.dim() == 2 ? 2 : 3); ++a) {
    for (int e = 0; e < 2; ++e) {
      BoundaryConditionSpec& s = p.side[a][e];
      d.nested(keys[a][e], s, docs[a][e], "side");
      if (s.kind == BoundaryCondition::no_slip && s.velocity[a] != 0)
        d.fault(keys[a][e],
                "the velocity of a wall must lie along it; use kind \"inflow\", or a "
                "boundary that moves");
    }
    if ((p.side[a][0].kind == BoundaryCondition::periodic) !=
        (p.side[a][1].kind == BoundaryCondition::periodic))
      d.fault(keys[a][1],
              fmt::format("\"periodic\" must stand at both {} and {}", keys[a][0], keys[a][1]));
  }
}

namespace {

// Without an open side all that flows in has to flow out at another inflow side.
void check_balance(const mac::Domain& d) {
  double net = 0, all = 0;
  for (int a = 0; a < d.dims; ++a)
    for (int e = 0; e < 2; ++e) {
      if (d.condition[a][e] == BoundaryCondition::open) return;
      if (d.condition[a][e] != BoundaryCondition::inflow) continue;
      // The mean of 4 s (1 - s) over the middles of n faces is 2/3 + 1/(3 n^2).
      double area = double(d.rows(mac::centres)) / d.cells[a];
      for (int b = 0; b < d.dims && d.parabolic[a][e]; ++b)
        if (b != a) area *= 2.0 / 3 + 1 / (3.0 * d.cells[b] * d.cells[b]);
      const double in = (e == 0 ? 1 : -1) * double(d.boundary_velocity[a][e][a]) * area;
      net += in, all += std::abs(in);
    }
  if (std::abs(net) > 1e-5 * all)
    throw Error(
        ExitCode::bad_input,
        fmt::format("sides: {:.3g} of what flows in has no way out; make a side \"open\", or "
                    "give another \"inflow\" side the velocity that leads it out",
                    net / all));
}

// Rows with a margin around them are counted by an Index as well.
void check_size(const mac::Domain& d) {
  double rows = 1;
  for (int a = 0; a < 3; ++a)
    rows *= d.cells[a] + (a < d.dims ? mac::Layout::low + mac::Layout::high : 0);
  if (rows > std::numeric_limits<Index>::max())
    throw Error(ExitCode::bad_input,
                fmt::format("the grid with its margin has {:.3g} cells, more than 2^31 - 1; use a "
                            "larger spacing, or a grid less thin",
                            rows));
}

}  // namespace

mac::Domain make_domain(const GridShape& g, int dim, const BoundaryConditionsSpec& conditions) {
  mac::Domain d;
  d.dims = dim, d.spacing = Real(g.spacing);
  for (int a = 0; a < dim; ++a) {
    d.cells[a] = g.cells[a];
    if (d.cells[a] < 4)
      throw Error(ExitCode::bad_input,
                  fmt::format("the grid has {} cells along {}; a flow needs 4 or more", d.cells[a],
                              "xyz"[a]));
    for (int e = 0; e < 2; ++e) {
      d.condition[a][e] = conditions.side[a][e].kind;
      d.parabolic[a][e] = conditions.side[a][e].parabolic;
      for (int b = 0; b < dim; ++b)
        d.boundary_velocity[a][e][b] = Real(conditions.side[a][e].velocity[b]);
    }
  }
  check_balance(d);
  check_size(d);
  return d;
}

}  // namespace rtsim
