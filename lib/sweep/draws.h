#pragma once
#include <string>
#include <vector>

#include "sweep/sweep_spec.h"

namespace rtsim {

// The values of a list or a range, each as JSON; those of a range have twelve digits, so that
// 0.1 + 0.2 is 0.3.
std::vector<std::string> values_of(const AxisSpec&);

// Draw number `draw` of each axis, as JSON with six digits. It depends on seed, name of the axis
// and number alone: more draws, or other axes, leave it as it is.
std::vector<std::string> random_draw(const DrawSpec&, const std::vector<std::string>& names,
                                     int draw);

// All draws of all axes, [draw][axis]: on every axis, each of `count` slices of equal probability
// has one (McKay, Beckman & Conover, "A comparison of three methods for selecting values of input
// variables", Technometrics 21, 1979). Another count is another set.
std::vector<std::vector<std::string>> latin_hypercube(const DrawSpec&,
                                                      const std::vector<std::string>& names);

// x with P(X < x) = p for the normal distribution of mean 0 and deviation 1; p in (0, 1).
double normal_quantile(double p);

}  // namespace rtsim
