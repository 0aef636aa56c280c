#include "deformables/convergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/types.h"

namespace rtsim {

namespace {

// rho of a substep of this length.
double left_over(const Projections& p, double compliance, double h) {
  const double a = compliance / (h * h);
  if (!(p.diagonal > 0)) return 0;
  if (p.sharing > 0) return 1 - a / (p.sharing * (a + p.diagonal));
  return 0.5 * p.diagonal / (a + 0.5 * p.diagonal);
}

double softening_at(const Projections& p, double compliance, double h) {
  return 1 / (1 - std::pow(left_over(p, compliance, h), p.iterations));
}

constexpr double allowed = 0.02;
constexpr int most = 1000000;  // substeps or iterations; nobody would take more

int enough_substeps(const Projections& p, double compliance) {
  int n = p.substeps;
  while (n < most && softening_at(p, compliance, p.h * p.substeps / n) > 1 + allowed)
    n += 1 + n / 50;
  return std::min(n, most);
}

double enough_iterations(const Projections& p, double compliance) {
  const double rho = left_over(p, compliance, p.h);
  return std::ceil(std::log(allowed / (1 + allowed)) / std::log(rho));
}

std::string what_mends(const Projections& p, double compliance) {
  const int substeps = enough_substeps(p, compliance);
  const double iterations = enough_iterations(p, compliance);
  std::string text = substeps < most ? fmt::format("\"substeps\": {} would do", substeps) : "";
  if (iterations < most)
    text += fmt::format("{} some \"iterations\": {:.0f}", text.empty() ? "" : ", or", iterations);
  return text.empty() ? "no number of substeps would do; take less stiff a mesh" : text;
}

}  // namespace

double softening(const Projections& p, double compliance) {
  return softening_at(p, compliance, p.h);
}

std::string tell_bending(const std::string& mesh, const Projections& p, double stiffness) {
  const double soft = softening(p, 1 / stiffness);
  if (!(soft > 1 + allowed)) return {};
  return fmt::format(
      "'{}' bends as if its \"bending_stiffness\" were some {:.2g} in place of {:.3g} N m, as "
      "{} of its projections in each of {} substeps come no nearer: {}",
      mesh, stiffness / soft, stiffness, p.iterations, p.substeps, what_mends(p, 1 / stiffness));
}

std::string tell_stretch(const std::string& mesh, const Projections& p, double compliance,
                         double off) {
  if (compliance == 0) {
    if (!(off > allowed)) return {};
    // Under the same pull the strain falls with the square of a substep.
    return fmt::format(
        "edges of '{}' are to keep their lengths and are {:.2g} % off, as a projection gives way "
        "like a spring of {:.3g} N/m: some \"substeps\": {:.0f} would bring that to {:.0f} %",
        mesh, 100 * off, 2 / (p.diagonal * p.h * p.h),
        std::ceil(p.substeps * std::sqrt(off / allowed)), 100 * allowed);
  }
  const double soft = softening(p, compliance);
  if (!(off * (1 - 1 / soft) > allowed)) return {};
  return fmt::format(
      "'{}' stretches as if its \"stretch_compliance\" were some {:.2g} in place of {:.3g} m/N, as "
      "{} of its projections in each of {} substeps come no nearer: {}",
      mesh, compliance * soft, compliance, p.iterations, p.substeps, what_mends(p, compliance));
}

std::string tell_rounding(const std::string& mesh, const Projections& p, double gravity,
                          double far) {
  const double digit = double(std::numeric_limits<Real>::epsilon()) * far,
               fall = p.h * p.h * gravity;
  if (!(gravity > 0) || !(fall < digit)) return {};
  return fmt::format(
      "in a substep gravity moves points of '{}' by {:.2g} m, less than the last digit of "
      "positions "
      "{:.2g} m out, {:.2g} m, so that rounding decides how it rests: at most \"substeps\": "
      "{:.0f}, "
      "with more \"iterations\", or a build in double precision",
      mesh, fall, far, digit, std::max(1.0, std::floor(p.substeps * std::sqrt(fall / digit))));
}

}  // namespace rtsim
