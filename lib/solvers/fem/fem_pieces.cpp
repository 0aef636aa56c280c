#include "solvers/fem/fem_pieces.h"

#include <algorithm>
#include <numeric>

#include "base/joined_sets.h"

namespace rtsim {

namespace {
constexpr Index points_of_run = 64;
}  // namespace

FemPieces::FemPieces(const Exec& ex, std::size_t points, const std::vector<ElementNodes>& elements)
    : order_(ex), first_run_(ex), piece_(ex), runs_(ex), of_runs_(ex), turns_(ex) {
  JoinedSets sets(points);
  for (const ElementNodes& e : elements)
    for (const CellMesh::Corner node : e) sets.join(Index(e[0]), Index(node));
  std::vector<Index> order(points), piece(points);
  for (std::size_t i = 0; i < points; ++i) piece[i] = sets.root(Index(i));
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::stable_sort(order, {}, [&](Index i) { return piece[std::size_t(i)]; });

  std::vector<fem::Pieces::Run> runs;
  std::vector<Index> first_run;
  Index root = -1;
  for (std::size_t e = 0; e < points; ++e) {
    const auto i = std::size_t(order[e]);
    const bool next = piece[i] != root;
    if (next) root = piece[i], first_run.push_back(Index(runs.size()));
    if (next || runs.back().end - runs.back().begin == points_of_run)
      runs.push_back({Index(e), Index(e), Index(first_run.size()) - 1});
    ++runs.back().end;
    piece[i] = Index(first_run.size()) - 1;
  }
  of_runs_.resize(runs.size()), turns_.resize(first_run.size());
  first_run.push_back(Index(runs.size()));
  order_.upload(order), piece_.upload(piece), runs_.upload(runs), first_run_.upload(first_run);
}

Span<const fem::Turn> FemPieces::turns(const Exec& ex, const mass_spring::Points& p,
                                       Span<const Vec<3>> v, Real h, fem::Turning turning) {
  fem::find_turns(ex, view(), p, v, h, turning, of_runs_.span(), turns_.span());
  return turns_.span();
}

}  // namespace rtsim
