#include "sweep/sweep_spec.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace rtsim {
namespace {

constexpr int most_draws = 100000;

constexpr Option spacings[] = {
    {"linear", int(Spacing::linear), "Equal differences."},
    {"log", int(Spacing::log), "Equal ratios; both ends positive."},
};

using Distribution = DrawnAxisSpec::Distribution;
constexpr Option distributions[] = {
    {"uniform", int(Distribution::uniform), "All of from..to alike."},
    {"log_uniform", int(Distribution::log_uniform), "The logarithm is uniform."},
    {"normal", int(Distribution::normal), "Gaussian, with mean and deviation."},
};

void describe_name(Describe& d, std::string& name, std::vector<std::string>& set) {
  d("name", name,
    "What conditions, names of cases and tables call it; the last key of the pointer unless "
    "given.");
  d("set", set, "JSON pointer into the scene, or a list of them: where each value goes.");
}

void check_set(Describe& d, const std::vector<std::string>& set) {
  if (!d.given("set")) return d.fault("set", "missing; must be a JSON pointer or a list of them");
  if (set.empty()) d.fault("set", "must hold at least one JSON pointer");
  for (const std::string& pointer : set)
    if (!pointer.starts_with('/'))
      d.fault("set", fmt::format("must be a JSON pointer such as \"/stages/0/stiffness\", got "
                                 "\"{}\"",
                                 pointer));
}

// What a range needs, with `spacing` known.
void check_range(Describe& d, const AxisSpec& a) {
  if (!d.given("from") || !d.given("to"))
    return d.fault("", "a range needs \"from\" and \"to\", a list \"values\"");
  if (d.given("step") == d.given("count"))
    return d.fault("", "a range needs \"step\" or \"count\", and not both");
  if (a.spacing == Spacing::log && d.given("step"))
    return d.fault("step", "only \"count\" goes with \"spacing\": \"log\"");
  if (!a.from || !a.to) return;
  if (a.spacing == Spacing::log && (*a.from <= 0 || *a.to <= 0))
    return d.fault("spacing", "\"log\" wants \"from\" and \"to\" above 0");
  if (a.step && *a.step != 0 && (*a.to - *a.from) / *a.step < 0)
    d.fault("step", fmt::format("leads from {} away from {}", *a.from, *a.to));
  if (a.step && *a.step != 0 && (*a.to - *a.from) / *a.step >= most_draws)
    d.fault("step", fmt::format("makes more than {} values", most_draws));
  if (a.step && *a.step == 0) d.fault("step", "must not be 0");
}

void check_axis(Describe& d, const AxisSpec& a) {
  check_set(d, a.set);
  const bool range = d.given("from") || d.given("to") || d.given("step") || d.given("count");
  if (d.given("values") && range) return d.fault("values", "give a list or a range, not both");
  if (d.given("values") && a.values.empty())
    return d.fault("values", "must hold at least one value");
  if (!d.given("values")) check_range(d, a);
}

void describe_axis(Describe& d, AxisSpec& a) {
  describe_name(d, a.name, a.set);
  d("values", a.values, "The values, of any kind.");
  d("from", a.from, "", any(), "First value of a range.");
  d("to", a.to, "", any(), "Last value of a range, included where the step meets it.");
  d("step", a.step, "", any(), "Difference between two values.");
  d("count", a.count, "", between(1, most_draws), "Number of values, in place of the step.");
  d.choice("spacing", a.spacing, spacings, "How the values of a range lie.");
}

void check_drawn(Describe& d, const DrawnAxisSpec& a) {
  check_set(d, a.set);
  const bool normal = a.distribution == Distribution::normal;
  const auto needed = normal ? std::array{"mean", "deviation"} : std::array{"from", "to"};
  const auto other = normal ? std::array{"from", "to"} : std::array{"mean", "deviation"};
  const char* const name = distributions[int(a.distribution)].name;
  for (const char* key : needed)
    if (!d.given(key)) d.fault(key, fmt::format("missing; needed by \"{}\"", name));
  for (const char* key : other)
    if (d.given(key)) d.fault(key, fmt::format("has no meaning for \"{}\"", name));
  if (a.whole && a.distribution != Distribution::uniform)
    d.fault("whole", "only \"uniform\" draws whole numbers");
  if (normal || !a.from || !a.to) return;
  if (*a.to <= *a.from) return d.fault("to", fmt::format("must be above {}", *a.from));
  if (a.whole && std::ceil(*a.from) > std::floor(*a.to))
    d.fault("whole", fmt::format("there is no whole number from {} to {}", *a.from, *a.to));
  if (a.distribution == Distribution::log_uniform && *a.from <= 0)
    d.fault("from", "must be above 0 for \"log_uniform\"");
}

}  // namespace

void describe(Describe& d, AxisSpec& a) {
  describe_axis(d, a);
  check_axis(d, a);
}

void describe(Describe& d, DrawnAxisSpec& a) {
  describe_name(d, a.name, a.set);
  d.choice("distribution", a.distribution, distributions, "How the draws lie.");
  d("from", a.from, "", any(), "The least.");
  d("to", a.to, "", any(), "The greatest.");
  d("mean", a.mean, "", any(), "Of \"normal\".");
  d("deviation", a.deviation, "", above(0), "Standard deviation of \"normal\".");
  d("whole", a.whole, "Whole numbers, both ends included.");
  check_drawn(d, a);
}

void describe(Describe& d, DrawSpec& s) {
  d.required("count", s.count, "", between(1, most_draws), "Number of draws.");
  d("seed", s.seed, "", at_least(0), "Another seed, other draws.");
  d.list("axes", s.axes, "What is drawn, all at once.", "drawn axis", Need::required);
}

void describe(Describe& d, AxisEntry& e) {
  const bool group = d.given("zip") || d.given("random") || d.given("latin_hypercube");
  if (group && d.given("set")) {
    d.fault("set", "stands beside a group: give it an entry of its own");
    return d.ignore_rest();
  }
  if (!group) describe_axis(d, e.axis);
  d.list("zip", e.zip, "Axes of one length that go in step.", "axis");
  d.nested("random", e.random, "Draws that know nothing of one another.", "draws");
  d.nested("latin_hypercube", e.latin_hypercube,
           "Draws of which each lies in a slice of its own, on every axis.", "draws");
  if (!group) return check_axis(d, e.axis);
  if (d.given("zip") && e.zip.empty()) d.fault("zip", "must hold at least one axis");
  if (d.given("zip") + d.given("random") + d.given("latin_hypercube") > 1)
    d.fault("", "one of \"zip\", \"random\" and \"latin_hypercube\" an entry");
}

void describe(Describe& d, SweepSpec& s) {
  d.required("rtsim_sweep", s.version, "", between(1, 1), "Version of this format.");
  d.required("scene", s.scene, "The scene that every case changes, from this file's folder.");
  d.list("axes", s.axes, "Every combination of the entries is a case; the last changes fastest.",
         "axis or group", Need::required);
  d("where", s.where, "Conditions that a case must meet, as \"nu * 10 < spacing\".");
  d("case_name", s.case_name, "Names of cases, as \"run-{nu}-{spacing}\", in place of the usual.");
}

}  // namespace rtsim
