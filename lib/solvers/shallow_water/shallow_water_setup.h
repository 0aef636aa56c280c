#pragma once
#include <vector>

#include "shallow_water/sources.h"
#include "shallow_water/sums.h"
#include "solvers/shallow_water/shallow_water.h"

// What shallow_water makes of its parameters, and what it says of its state.
namespace rtsim {

// Throws Error{bad_input} where gravity does not act along -y, or an edge's stretch is empty.
shallow_water::Flow make_flow(const ShallowWaterParams&, World&);

// A source on the grid, and how fast its water rises there [m/s].
struct WaterDisc {
  shallow_water::Disc disc;
  double rise;
};
// Throws Error{bad_input} for a source that meets no cell.
std::vector<WaterDisc> make_discs(const ShallowWaterParams&, const GridShape&);

// Throws Error{bad_input} for a probe outside.
std::vector<shallow_water::Probe> make_probes(const ShallowWaterParams&, const GridShape&);

// The greatest |u| + |v| + 2 c that water has which comes in over the edges onto dry ground [m/s].
double fastest_at_edges(const ShallowWaterParams&, const GridShape&, const std::vector<Real>& bed,
                        double g);

// The greatest |db/dx| + |db/dz| as the scheme sees slopes: a step of the ground between two flats
// has none.
double steepest(const GridShape&, const std::vector<Real>& bed);

void measure_water(World&, const ShallowWaterParams&, const shallow_water::Flow&,
                   const shallow_water::Columns&, std::vector<Measurement>&);
void measure_probes(World&, const ShallowWaterParams&, const shallow_water::Flow&,
                    const shallow_water::Columns&, Span<const shallow_water::Probe>,
                    std::vector<Measurement>&);

}  // namespace rtsim
