#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/hash.h"
#include "sweep/sweep.h"

namespace rtsim {
namespace {

constexpr std::size_t longest = 100;  // characters of a name

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+' ||
         c == '_';
}

std::string short_hash(const std::string& text) {
  return hex(hash_bytes(text.data(), text.size())).substr(0, 8);
}

// A number, a word, or a hash of anything else.
std::string value_word(const std::string& json) {
  std::string word = json;
  if (word.size() >= 2 && word.front() == '"') word = word.substr(1, word.size() - 2);
  const bool plain = !word.empty() && word.size() <= 40 && word.front() != '.' &&
                     std::all_of(word.begin(), word.end(), is_plain);
  return plain ? word : short_hash(json);
}

}  // namespace

std::string case_name(const std::vector<SweepParameter>& parameters,
                      const std::vector<std::string>& values) {
  std::string name, all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    name += fmt::format("{}{}={}", i ? "_" : "", parameters[i].name, value_word(values[i]));
    all += fmt::format("{}={}\n", parameters[i].name, values[i]);
  }
  if (name.size() <= longest) return name;
  return name.substr(0, longest - 9) + "-" + short_hash(all);
}

}  // namespace rtsim
