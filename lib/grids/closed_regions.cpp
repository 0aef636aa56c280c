#include "grids/closed_regions.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/joined_sets.h"

namespace rtsim {

namespace {

using poisson::Level;
using poisson::Line;

// Cells of a line that links along it join.
struct Segment {
  Index begin, end;
  bool dirichlet;  // a face of it leads to where p = 0
};

std::vector<Segment> segments(const Line& l, Index n) {
  std::vector<Segment> found;
  for (Index i = 0; i < n; ++i) {
    if (!(l.row(poisson::inverse)[i] > 0)) continue;
    const bool joined = i > 0 && l.row(poisson::x_low)[i] > 0;
    if (!joined) found.push_back({i, i, false});
    found.back().end = i + 1;
    if (l.row(poisson::dirichlet)[i] > 0) found.back().dirichlet = true;
  }
  return found;
}

// All lines in runs, those that share weights looked at once.
struct Runs {
  const Level& level;
  std::unordered_map<Index, std::vector<Segment>> known;
  std::vector<const std::vector<Segment>*> of_line;
  std::vector<Index> first;  // run of each line, and one past the last

  explicit Runs(const Level& l) : level(l) {
    Index count = 0;
    for (Index line = 0; line < level.lines(); ++line) {
      const auto [at, is_new] = known.try_emplace(level.sets[line]);
      if (is_new) at->second = segments(level.line(line), level.n[0]);
      of_line.push_back(&at->second);
      first.push_back(count);
      count += Index(at->second.size());
    }
    first.push_back(count);
  }

  // Joins the runs of a line with those of the line that `side` links it to.
  void join(JoinedSets& joined, Index line, Index beside, int side) const {
    const Real* link = level.line(line).row(side);
    const auto &here = *of_line[std::size_t(line)], &there = *of_line[std::size_t(beside)];
    for (std::size_t a = 0, b = 0; a < here.size() && b < there.size();) {
      const Index end = std::min(here[a].end, there[b].end);
      for (Index i = std::max(here[a].begin, there[b].begin); i < end; ++i)
        if (link[i] > 0) {
          joined.join(first[std::size_t(line)] + Index(a), first[std::size_t(beside)] + Index(b));
          break;
        }
      (here[a].end <= there[b].end ? a : b) += 1;
    }
  }
  // The run of a cell; -1 of one without an unknown.
  Index run_of(Index cell) const {
    const Index line = cell / level.n[0], i = cell % level.n[0];
    const auto& here = *of_line[std::size_t(line)];
    for (std::size_t s = 0; s < here.size(); ++s)
      if (here[s].begin <= i && i < here[s].end) return first[std::size_t(line)] + Index(s);
    return -1;
  }
  // `held`: runs whose pressure a body that yields knows, constant and all.
  void join_bodies(JoinedSets& joined, const Exec& ex, const poisson::BodyTerms& b,
                   std::vector<Index>& held) const {
    std::vector<poisson::BodyTerm> terms(std::size_t(b.terms.size));
    std::vector<poisson::InverseMassMatrix> mobility(std::size_t(b.mobility.size));
    ex.download(terms.data(), b.terms.data, terms.size() * sizeof terms[0]);
    ex.download(mobility.data(), b.mobility.data, mobility.size() * sizeof mobility[0]);
    std::vector<Index> last(mobility.size(), -1);
    for (const poisson::BodyTerm& t : terms) {
      const Index run = run_of(t.cell);
      if (run < 0 || !mobility[std::size_t(t.body)].yields()) continue;
      if (t.body >= b.first_one_sided) held.push_back(run);
      Index& before = last[std::size_t(t.body)];
      if (before >= 0) joined.join(before, run);
      before = run;
    }
  }
  void join_ends(JoinedSets& joined, Index line) const {
    const Index begin = first[std::size_t(line)], end = first[std::size_t(line) + 1];
    if (begin < end && level.line(line).row(poisson::x_low)[0] > 0) joined.join(begin, end - 1);
  }
};

}  // namespace

void ClosedRegions::find(const LevelWeights& weights, const poisson::BodyTerms& bodies) {
  const HostWeights host(ex_, weights);
  const Level& level = host.level;
  const Runs runs(level);
  JoinedSets joined(std::size_t(runs.first.back()));
  for (Index line = 0; line < level.lines(); ++line) {
    const Line l = level.line(line);
    runs.join_ends(joined, line);
    if (l.down) runs.join(joined, line, line + l.down / level.n[0], poisson::y_low);
    if (l.back) runs.join(joined, line, line + l.back / level.n[0], poisson::z_low);
  }
  std::vector<Index> held;
  if (!bodies.empty()) runs.join_bodies(joined, ex_, bodies, held);
  std::vector<char> dirichlet(std::size_t(runs.first.back()), 0);
  for (const Index run : held) dirichlet[std::size_t(joined.root(run))] = 1;
  const auto for_runs = [&](const auto& f) {
    for (Index line = 0; line < level.lines(); ++line) {
      const auto& of_line = *runs.of_line[std::size_t(line)];
      for (std::size_t s = 0; s < of_line.size(); ++s)
        f(line, of_line[s], std::size_t(joined.root(runs.first[std::size_t(line)] + Index(s))));
    }
  };
  for_runs([&](Index, const Segment& s, std::size_t root) { dirichlet[root] |= s.dirichlet; });
  std::vector<Index> region(dirichlet.size(), -1);
  std::vector<poisson::Run> closed;
  cells_.clear(), regions_.clear();
  for_runs([&](Index line, const Segment& s, std::size_t root) {
    if (dirichlet[root]) return;
    if (region[root] < 0) region[root] = Index(cells_.size()), cells_.push_back(0);
    const Index first = line * level.n[0];
    closed.push_back({first + s.begin, first + s.end, region[root]});
    regions_.push_back(region[root]);
    cells_[std::size_t(region[root])] += s.end - s.begin;
  });
  runs_.upload(closed);
  sums_.resize(closed.size());
}

template <class T>
double ClosedRegions::remove_means(Span<T> values) {
  if (empty()) return 0;
  poisson::sum_runs<T>(ex_, runs_.span(), values, sums_.span());
  const std::vector<double> sums = sums_.download();
  std::vector<double> means(cells_.size(), 0);
  for (std::size_t r = 0; r < sums.size(); ++r) means[std::size_t(regions_[r])] += sums[r];
  double largest = 0;
  for (std::size_t r = 0; r < means.size(); ++r) {
    means[r] /= cells_[r];
    largest = std::max(largest, std::abs(means[r]));
  }
  means_.upload(means);
  poisson::subtract_means<T>(ex_, runs_.span(), means_.span(), values);
  return largest;
}

template double ClosedRegions::remove_means<float>(Span<float>);
template double ClosedRegions::remove_means<double>(Span<double>);

}  // namespace rtsim
