#include "units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/error.h"

namespace rtsim {
namespace {

[[noreturn]] void bad_duration(const std::string& text) {
  throw Error(ExitCode::usage,
              fmt::format("\"{}\" is not a duration; write 90, 90s, 10min or 1h30m", text));
}

double unit_seconds(std::string_view unit, const std::string& text) {
  if (unit.empty() || unit == "s" || unit == "sec") return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  bad_duration(text);
}

}  // namespace

double parse_duration(const std::string& text) {
  double seconds = 0;
  const char *at = text.data(), *const end = at + text.size();
  if (at == end) bad_duration(text);
  while (at != end) {
    double number = 0;
    const auto [after, failed] = std::from_chars(at, end, number, std::chars_format::fixed);
    if (failed != std::errc() || !(number >= 0)) bad_duration(text);
    const char* unit = after;
    while (unit != end && *unit >= 'a' && *unit <= 'z') ++unit;
    seconds += number * unit_seconds({after, std::size_t(unit - after)}, text);
    at = unit;
  }
  if (!std::isfinite(seconds) || seconds <= 0) bad_duration(text);
  return seconds;
}

std::string bytes_text(double bytes) {
  constexpr const char* prefixes[] = {"B", "kB", "MB", "GB", "TB"};
  int k = 0;
  for (; bytes >= 1000 && k < 4; ++k) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, k > 0 && bytes < 100 ? 1 : 0, prefixes[k]);
}

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.3g} s", seconds);
  const long s = std::lround(seconds);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

}  // namespace rtsim
