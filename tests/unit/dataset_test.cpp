#include "convert/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

using namespace rtsim;

namespace {

std::vector<DatasetRun> runs(int n) {
  std::vector<DatasetRun> all;
  for (int k = 0; k < n; ++k) all.push_back({fmt::format("nu={}", k), {}, {}, {}});
  return all;
}

long count(const std::vector<int>& splits, int which) { return std::ranges::count(splits, which); }

}  // namespace

TEST_CASE("dataset: splits have the shares, to the nearest run") {
  const std::vector<int> s = split_runs(runs(100), {0.7, 0.2, 0.1}, 0);
  CHECK(count(s, 0) == 70);
  CHECK(count(s, 1) == 20);
  CHECK(count(s, 2) == 10);
  CHECK(split_runs(runs(100), {7, 2, 1}, 0) == s);  // of whatever sum
}

TEST_CASE("dataset: no split that has a share is empty where there are three runs") {
  for (const int n : {3, 4, 7}) {
    const std::vector<int> s = split_runs(runs(n), {0.8, 0.1, 0.1}, 5);
    for (const int which : {0, 1, 2}) CHECK(count(s, which) >= 1);
  }
  CHECK(split_runs(runs(1), {0.8, 0.1, 0.1}, 5) == std::vector{0});
  CHECK(count(split_runs(runs(2), {0.1, 0.8, 0.1}, 5), 0) == 2);
  CHECK(count(split_runs(runs(3), {0.1, 1, 1}, 5), 0) == 1);
}

TEST_CASE("dataset: where a run goes depends on the seed and its name, not on its place") {
  std::vector<DatasetRun> all = runs(30);
  const std::vector<int> s = split_runs(all, {0.5, 0.25, 0.25}, 1);
  CHECK(split_runs(all, {0.5, 0.25, 0.25}, 2) != s);
  std::ranges::reverse(all);
  std::vector<int> reversed = split_runs(all, {0.5, 0.25, 0.25}, 1);
  std::ranges::reverse(reversed);
  CHECK(reversed == s);
}
