#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace rtsim {

namespace {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string* best = nullptr;
  int least = 3;
  for (const std::string& k : known) {
    const int distance = edit_distance(name, k);
    if (distance < least && distance < int(k.size())) least = distance, best = &k;
  }
  return best ? "; did you mean \"" + *best + "\"?" : "";
}

}  // namespace rtsim
