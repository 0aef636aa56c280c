#include "convert/frame_range.h"

#include <charconv>
#include <vector>

#include "base/error.h"

namespace rtsim {

namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ExitCode::usage, "--frames " + text +
                                   ": wants FRAME or FIRST:END or FIRST:END:STEP, whole numbers "
                                   "from 0 and a step from 1; END itself is left out");
}

std::optional<long> number(const std::string& part, const std::string& text) {
  if (part.empty()) return std::nullopt;
  long value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size() || value < 0) refuse(text);
  return value;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

}  // namespace

FrameRange parse_frame_range(const std::string& text) {
  const std::vector<std::string> parts = split(text);
  if (text.empty() || parts.size() > 3) refuse(text);
  FrameRange range;
  range.first = number(parts[0], text).value_or(0);
  if (parts.size() == 1) return {range.first, range.first + 1, 1};
  range.end = number(parts[1], text);
  if (parts.size() == 3) range.step = number(parts[2], text).value_or(1);
  if (range.step < 1) refuse(text);
  return range;
}

}  // namespace rtsim
