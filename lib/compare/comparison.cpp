#include "compare/comparison.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.h"

namespace rtsim {

namespace {

bool fits(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

[[noreturn]] void refuse(const std::string& rule) {
  throw Error(ExitCode::usage,
              fmt::format("--tol {}: wants a pattern of names, =, and rel:NUMBER, abs:NUMBER or "
                          "both with a comma between, as wcsph.water.*=rel:1e-3,abs:1e-6",
                          rule));
}

}  // namespace

bool fits(const std::vector<std::string>& patterns, const std::string& name) {
  return patterns.empty() ||
         std::ranges::any_of(patterns, [&](const std::string& p) { return fits(p, name); });
}

void Tolerances::add(const std::string& rule) {
  const std::size_t equals = rule.rfind('=');
  if (equals == rule.npos || equals == 0) refuse(rule);
  Rule r{rule.substr(0, equals), {}};
  std::string_view rest = std::string_view(rule).substr(equals + 1);
  for (bool more = true; more;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    more = part.size() < rest.size();
    rest.remove_prefix(part.size() + more);
    const std::string_view kind = part.substr(0, 4),
                           number = part.substr(std::min<std::size_t>(4, part.size()));
    double value = 0;
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), value);
    if ((kind != "rel:" && kind != "abs:") || failed != std::errc() ||
        end != number.data() + number.size() || !(value >= 0) || std::isinf(value))
      refuse(rule);
    (kind == "rel:" ? r.tolerance.rel : r.tolerance.abs) = value;
  }
  rules_.push_back(std::move(r));
}

Tolerance Tolerances::of(const std::string& name) const {
  Tolerance t = otherwise_;
  for (const Rule& r : rules_)
    if (fits(r.pattern, name)) t = r.tolerance;
  return t;
}

void Compared::append(const Compared& later) {
  values += later.values, different += later.different;
  if (!first) first = later.first;
  if (later.worst && (!worst || later.worst->excess > worst->excess)) worst = later.worst;
}

bool Comparison::equal() const {
  const auto same = [](const Compared& c) { return c.different == 0; };
  return faults.empty() && std::ranges::all_of(series, same) && std::ranges::all_of(columns, same);
}

}  // namespace rtsim
