#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace rtsim {

namespace {

// Letters to insert, leave out, replace, or swap with the next one (Damerau, "A Technique for
// Computer Detection and Correction of Spelling Errors", Communications of the ACM 1964), none of
// them twice: d(i, j) of the first i and j letters.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = int(i + j);
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d.back().back();
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string* best = nullptr;
  int least = 0;
  for (const std::string& k : known) {
    const int distance = edit_distance(name, k);
    if (3 * distance > int(std::max(name.size(), k.size()))) continue;
    if (!best || distance < least) least = distance, best = &k;
  }
  return best ? "; did you mean \"" + *best + "\"?" : "";
}

}  // namespace rtsim
