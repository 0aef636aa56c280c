#include "shapes/ascii_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/input_file.h"

namespace rtsim {
namespace {

constexpr double most_values = 1e9;

// Words of a file, with the line of the last one.
class Words {
 public:
  explicit Words(const std::string& path) : path_(path), in_(read_input(path, largest_text)) {}

  // Empty at the end.
  std::string next() {
    std::string word;
    while (!(line_ >> word)) {
      std::string text;
      if (!std::getline(in_, text)) return {};
      line_ = std::istringstream(text);
      ++number_;
    }
    return word;
  }
  double number(const std::string& word, const char* what) const {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty()) fail(fmt::format("ends before {}", what));
    if (*end != 0 || !std::isfinite(value)) fail(fmt::format("wants {}, and has '{}'", what, word));
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitCode::bad_input, fmt::format("{}:{}: {}", path_, number_, what));
  }

 private:
  std::string path_;
  std::istringstream in_;
  std::istringstream line_;
  int number_ = 0;
};

std::string lower(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

bool starts_number(const std::string& word) {
  return !word.empty() && std::string("+-.0123456789").find(word[0]) != std::string::npos;
}

int count(const Words& words, const std::map<std::string, double>& header, const char* key) {
  const auto found = header.find(key);
  if (found == header.end()) words.fail(fmt::format("its header has no \"{}\"", key));
  const double n = found->second;
  if (!(n >= 2 && n <= most_values && n == std::floor(n)))
    words.fail(fmt::format("\"{}\" must be a whole number of 2 or more", key));
  return int(n);
}

}  // namespace

GreyImage read_ascii_grid(const std::string& path, double low, double high) {
  Words words(path);
  std::map<std::string, double> header;
  std::string word = words.next();
  for (; !word.empty() && !starts_number(word); word = words.next())
    header[lower(word)] = words.number(words.next(), "a number behind a word of the header");
  GreyImage image;
  image.width = count(words, header, "ncols"), image.height = count(words, header, "nrows");
  if (double(image.width) * image.height > most_values)
    words.fail(fmt::format("has {} x {} heights, more than {:.0g}", image.width, image.height,
                           most_values));
  const auto none = header.find("nodata_value");
  for (std::size_t n = std::size_t(image.width) * std::size_t(image.height); n > 0; --n) {
    const double y = words.number(word, "a height");
    const bool unknown = none != header.end() && y == none->second;
    if (!unknown && !(y >= low && y <= high))
      words.fail(fmt::format(
          "a height of {} m lies outside of \"min\" to \"max\", {} to {} m along y; make the box "
          "higher, or name what stands for no data as NODATA_value",
          y, low, high));
    image.values.push_back(unknown ? 0 : (y - low) / (high - low));
    word = words.next();
  }
  if (!word.empty())
    words.fail(fmt::format("has more than its {} x {} heights", image.width, image.height));
  return image;
}

}  // namespace rtsim
