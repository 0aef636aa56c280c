#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "commands.h"

namespace rtsim {
namespace {

// The length of ":<digits>" at the start of the text, 0 if it starts otherwise.
std::size_t colon_number(std::string_view text) {
  if (!text.starts_with(':')) return 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
  return end > 1 ? end : 0;
}

// scene.json:3:7: ...
bool begins_with_place(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  for (std::size_t at = text.find(':'); at != text.npos; at = text.find(':', at + 1)) {
    const std::size_t line = colon_number(text.substr(at));
    const std::size_t column = line ? colon_number(text.substr(at + line)) : 0;
    if (column && text.substr(at + line + column).starts_with(": ")) return at > 0;
  }
  return false;
}

}  // namespace

void print_error(const Error& e) {
  fmt::print(stderr, "{}{}\n", begins_with_place(e.what()) ? "" : "rtsim: ", e.what());
}

}  // namespace rtsim
