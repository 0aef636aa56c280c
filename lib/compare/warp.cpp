#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.h"
#include "compare/compare_series.h"

namespace rtsim {

namespace {

using Rows = std::vector<double>;

// The pairs of rows (i of a, k of b) that may belong together: their times lie at most so far
// apart. Of each i they are k = first[i] to end[i] - 1, and both only grow.
struct Pairs {
  std::vector<std::size_t> first, end, at;  // `at`: where the pairs of row i begin among all
  std::size_t all = 0;

  bool has(std::size_t i, std::size_t k) const { return k >= first[i] && k < end[i]; }
  std::size_t number(std::size_t i, std::size_t k) const { return at[i] + k - first[i]; }
};

// With what a difference of two such times loses by rounding.
double reach_at(double time, double apart) { return apart + 1e-9 * std::abs(time); }

Pairs pairs_within(const Rows& a, const Rows& b, double apart) {
  Pairs p;
  for (const double time : a) {
    const double reach = reach_at(time, apart);
    p.first.push_back(std::size_t(std::ranges::lower_bound(b, time - reach) - b.begin()));
    p.end.push_back(std::size_t(std::ranges::upper_bound(b, time + reach) - b.begin()));
    p.at.push_back(p.all);
    p.all += p.end.back() - p.first.back();
  }
  return p;
}

// How a path came to a pair: from the one before in both, in a alone, in b alone.
enum Step : std::uint8_t { begins, both, in_a, in_b };

// |a - b|; what is not a number is like its like and far from all else.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double apart = std::abs(a - b);
  return std::isfinite(apart) ? apart : 1e300;
}

// Dynamic time warping: of all paths through pairs on which no time runs back and no row is left
// out, the one with the least sum of distances. Sakoe & Chiba, "Dynamic programming algorithm
// optimization for spoken word recognition", IEEE Trans. ASSP 26 (1978), eqs. 18-20 with weights 1.
// It begins with the first rows, and ends where one of the two has no more: what the other has
// later would be matched by what is not there. `Left` holds that.
class Path {
 public:
  Path(const Pairs& pairs, const Rows& a, const Rows& b) : pairs_(pairs), came_(pairs.all, begins) {
    std::vector<double> before, now;  // sums of the pairs of two rows of a
    double least = INFINITY;
    for (std::size_t i = 0; i < a.size(); ++i, std::swap(before, now)) {
      now.assign(pairs.end[i] - pairs.first[i], INFINITY);
      for (std::size_t k = pairs.first[i]; k < pairs.end[i]; ++k) {
        const double sum = reach(i, k, before, now) + distance(a[i], b[k]);
        now[k - pairs.first[i]] = sum;
        const bool ends = i + 1 == a.size() || k + 1 == b.size();
        if (ends && sum < least) least = sum, end_ = {i, k};
      }
    }
  }

  // Its pairs, from the first to the last.
  std::vector<std::pair<std::size_t, std::size_t>> pairs() const {
    std::vector<std::pair<std::size_t, std::size_t>> path;
    for (auto [i, k] = end_;;) {
      path.emplace_back(i, k);
      const Step step = came_[pairs_.number(i, k)];
      if (step == begins) break;
      i -= step != in_b, k -= step != in_a;
    }
    std::ranges::reverse(path);
    return path;
  }

 private:
  // The least sum of a path up to before this pair.
  double reach(std::size_t i, std::size_t k, const Rows& before, const Rows& now) {
    if (i == 0 && k == 0) return 0;
    double least = INFINITY;
    Step& step = came_[pairs_.number(i, k)];
    const auto consider = [&](double sum, Step s) {
      if (sum < least) least = sum, step = s;
    };
    if (i > 0 && k > 0 && pairs_.has(i - 1, k - 1))
      consider(before[k - 1 - pairs_.first[i - 1]], both);
    if (i > 0 && pairs_.has(i - 1, k)) consider(before[k - pairs_.first[i - 1]], in_a);
    if (k > pairs_.first[i]) consider(now[k - 1 - pairs_.first[i]], in_b);
    return least;
  }

  const Pairs& pairs_;
  std::vector<Step> came_;
  std::pair<std::size_t, std::size_t> end_ = {0, 0};
};

// The furthest that two values of rows at most so far apart lie from one another, of those that are
// numbers.
double greatest_change(const Rows& time, const Rows& x, double apart) {
  double most = 0;
  for (std::size_t i = 0, first = 0; i < x.size(); ++i) {
    while (time[i] - time[first] > reach_at(time[i], apart)) ++first;
    for (std::size_t k = first; k < i; ++k)
      if (const double change = std::abs(x[i] - x[k]); std::isfinite(change))
        most = std::max(most, change);
  }
  return most;
}

// A series of one run, for the rows at the end that a path leaves out.
struct Side {
  const Rows &time, &x;
  std::size_t last;  // row of the path's last pair
};

// Rows that one run has left where the other's have ended, `apart` later at most. A series that is
// early or late goes there by no more than it does anywhere else in as long a time: so far, and as
// far as the tolerance allows, may they lie from the last value of the other.
template <class Note>
void compare_left(const Side& left, const Side& ended, double apart, const Tolerance& t,
                  const Note& note) {
  if (left.last + 1 == left.x.size()) return;
  const double until = ended.time.back() + reach_at(ended.time.back(), apart);
  const double change = greatest_change(ended.time, ended.x, apart), end = ended.x.back();
  for (std::size_t i = left.last + 1; i < left.x.size() && left.time[i] <= until; ++i) {
    const double x = left.x[i], size = std::max(std::abs(x), std::abs(end));
    note(i, excess({t.abs + change, t.rel}, x, end, size));
  }
}

Compared compare_one(const std::string& name, const SeriesTable& a, const SeriesTable& b,
                     const Pairs& pairs, double apart, const Tolerance& t) {
  Compared c{.name = name, .unit = a.unit(name), .first = {}, .worst = {}};
  const Rows &x = a.column(name), &y = b.column(name), &a_time = a.column("time"),
             &b_time = b.column("time");
  const auto note = [&](std::size_t i, std::size_t k, double e) {
    ++c.values;
    if (e > 0)
      c.note(x[i], y[k], e, [&] {
        return fmt::format("{}, in B t = {:.6g} s", row_place(a.column("step")[i], a_time[i]),
                           b_time[k]);
      });
  };
  const auto path = Path(pairs, x, y).pairs();
  for (const auto& [i, k] : path)
    note(i, k, excess(t, x[i], y[k], std::max(std::abs(x[i]), std::abs(y[k]))));
  const Side of_a{a_time, x, path.back().first}, of_b{b_time, y, path.back().second};
  compare_left(of_a, of_b, apart, t, [&](std::size_t i, double e) { note(i, y.size() - 1, e); });
  compare_left(of_b, of_a, apart, t, [&](std::size_t k, double e) { note(x.size() - 1, k, e); });
  return c;
}

// Every row of both needs a row of the other that is near enough, the last ones excepted.
void check_times(const Rows& a, const Rows& b, double apart) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::bad_input, fmt::format("--warp {:.6g}: {}", apart, why));
  };
  if (a.empty() || b.empty()) refuse("one of the logs has no rows yet");
  double widest = 0;
  bool reached = std::abs(a[0] - b[0]) <= reach_at(a[0], apart);
  for (const Rows* t : {&a, &b})
    for (std::size_t i = 1; i < t->size(); ++i) {
      const double gap = (*t)[i] - (*t)[i - 1];
      widest = std::max(widest, gap);
      reached = reached && gap <= reach_at((*t)[i - 1], apart);
    }
  if (!reached)
    refuse(
        fmt::format("it must reach over the widest gap between two rows, {:.6g} s, and the first "
                    "rows must lie that near",
                    widest));
}

}  // namespace

Comparison compare_with_warp(const CompareOptions& o, double apart) try {
  const SeriesTable a = series_of(o.a), b = series_of(o.b);
  const Rows &time = a.column("time"), &b_time = b.column("time");
  check_times(time, b_time, apart);
  const Pairs pairs = pairs_within(time, b_time, apart);
  constexpr std::size_t most = 2'000'000'000;  // of bytes, for the steps of a path
  if (pairs.all > most)
    throw Error(ExitCode::bad_input,
                fmt::format("--warp {:.6g}: {} pairs of rows are that near, which takes as many "
                            "bytes; a shorter time, or a longer \"series_every\", needs less",
                            apart, pairs.all));
  Comparison c;
  if (b_time.back() < time.back() - apart)
    c.faults.push_back(
        fmt::format("B ends at t = {:.6g} s, A at {:.6g} s", b_time.back(), time.back()));
  note_end(a, b, c);
  compare_names(a, b, o, c, [&](const std::string& name) {
    return compare_one(name, a, b, pairs, apart, o.tolerances.of(name));
  });
  if (c.series.empty() && c.faults.empty())
    throw Error(ExitCode::bad_input, "nothing to compare: no series is asked for");
  c.notes.push_back(
      fmt::format("times of B may be {:.6g} s early or late; frames are not compared", apart));
  return c;
} catch (const std::filesystem::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
