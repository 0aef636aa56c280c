#include "shapes/mesh_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/error.h"

namespace rtsim {
namespace {

constexpr std::string_view blanks = " \t\v\f";

// What a message may repeat of a text that might be binary.
std::string shown(std::string_view word) {
  std::string text(word.substr(0, 40));
  for (char& c : text)
    if (c < 32 || c > 126) c = '?';
  return text;
}

}  // namespace

void mesh_fault(const std::string& name, const std::string& message) {
  throw Error(ExitCode::bad_input, name + ": " + message);
}

void mesh_fault(const std::string& name, int line, const std::string& message) {
  throw Error(ExitCode::bad_input, fmt::format("{}:{}: {}", name, line, message));
}

bool MeshText::next_line() {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
  line_ = rest_.substr(0, end);
  const bool pair = rest_.substr(end, 2) == "\r\n";
  rest_.remove_prefix(std::min(rest_.size(), end + (pair ? 2 : 1)));
  ++line_number_;
  return true;
}

std::string_view MeshText::word() {
  const std::size_t start = std::min(line_.find_first_not_of(blanks), line_.size());
  line_.remove_prefix(start);
  const std::string_view found = line_.substr(0, line_.find_first_of(blanks));
  line_.remove_prefix(found.size());
  return found;
}

std::string_view MeshText::next_word() {
  for (;;) {
    const std::string_view found = word();
    if (!found.empty()) return found;
    if (!next_line()) fail("the file ends too early; export it again");
  }
}

std::string_view MeshText::take(std::size_t bytes) {
  if (bytes > rest_.size())
    fail(fmt::format("{} bytes should follow, and {} do; export it again", bytes, rest_.size()));
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return taken;
}

double MeshText::number(std::string_view word, const char* what) const {
  double value = 0;
  const std::string_view digits = word.substr(word.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (word.empty()) fail(fmt::format("{} is missing", what));
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size())
    fail(fmt::format("{} is not a number: '{}'", what, shown(word)));
  if (error != std::errc{} || !std::isfinite(value))
    fail(fmt::format("{} is not finite: '{}'; repair the mesh where it was made", what,
                     shown(word)));
  return value;
}

std::int64_t MeshText::integer(std::string_view word, const char* what) const {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty()) fail(fmt::format("{} is missing", what));
  if (error != std::errc{} || end != word.data() + word.size())
    fail(fmt::format("{} is not a whole number: '{}'", what, shown(word)));
  return value;
}

}  // namespace rtsim
