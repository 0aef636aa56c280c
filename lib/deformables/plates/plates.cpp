#include "deformables/plates/plates.h"

#include <algorithm>
#include <cmath>

#include "boundaries/narrowed.h"

namespace rtsim {

namespace {

// The edges of a patch's triangle.
std::array<Vec3d, 2> edges(const PlatePatches& p, std::size_t k, const std::vector<Vec3d>& points) {
  const Index* corner = &p.points[std::size_t(p.first[k])];
  const Vec3d x = points[std::size_t(corner[0])];
  return {points[std::size_t(corner[1])] - x, points[std::size_t(corner[2])] - x};
}

Mat3<double> curvature(const PlatePatches& p, std::size_t k, const std::vector<Vec3d>& points) {
  Mat3<double> c{};
  const auto from = std::size_t(p.points[std::size_t(p.first[k])]);
  for (auto e = std::size_t(p.first[k]); e < std::size_t(p.first[k + 1]); ++e)
    c = c + outer(p.weights[e], points[std::size_t(p.points[e])] - points[from]);
  return c;
}

// How far at most the frame turns for each metre that a corner moves.
std::array<double, 3> turns(const plate::PlateFrame<double>& f, const Vec3d& e1, const Vec3d& e2) {
  const double spin = 1 / f.length;
  return {norm(e2 - e1) / f.area + spin, norm(e2) / f.area + spin, norm(e1) / f.area};
}

std::vector<Mat3<Real>> narrowed(const std::vector<Mat3<double>>& m) {
  std::vector<Mat3<Real>> to;
  for (const auto& c : m)
    to.push_back({{narrow<3>(c.row[0]), narrow<3>(c.row[1]), narrow<3>(c.row[2])}});
  return to;
}

}  // namespace

PlatePatches::PlatePatches(const std::vector<Vec3d>& places,
                           const std::vector<CellMesh::Triangle>& triangles, bool flat) {
  const auto stencils = plate_stencils(places, triangles);
  std::vector<Index> degree(places.size() + 1);
  for (const PlateStencil& s : stencils) {
    const PlateWeights w = plate_weights(places, s);
    for (std::size_t i = 0; i < w.points.size(); ++i) {
      points.push_back(w.points[i]), patch.push_back(Index(first.size() - 1));
      weights.push_back({{w.weights[i][0], w.weights[i][1], w.weights[i][2]}});
      ++degree[std::size_t(w.points[i]) + 1];
    }
    first.push_back(Index(points.size()));
  }
  for (std::size_t i = 0; i < places.size(); ++i) degree[i + 1] += degree[i];
  first_slot = degree, slots.resize(points.size());
  for (std::size_t e = 0; e < points.size(); ++e)
    slots[std::size_t(degree[std::size_t(points[e])]++)] = Index(e);
  if (flat || !bent(places, stencils)) return;
  turn.resize(points.size());
  for (std::size_t k = 0; k + 1 < first.size(); ++k) {
    const auto [e1, e2] = edges(*this, k, places);
    const auto frame = plate::frame(e1, e2);
    rest.push_back(frame.in(curvature(*this, k, places)));
    std::ranges::copy(turns(frame, e1, e2), turn.begin() + first[k]);
  }
}

std::vector<PlatePatches::Entry> PlatePatches::row(std::size_t i) const {
  std::vector<Entry> all;
  for (Index s = first_slot[i]; s < first_slot[i + 1]; ++s) {
    const auto e = std::size_t(slots[std::size_t(s)]), k = std::size_t(patch[e]);
    for (auto f = std::size_t(first[k]); f < std::size_t(first[k + 1]); ++f)
      if (f != e) all.push_back({points[f], -dot(weights[e], weights[f])});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Entry& a, const Entry& b) { return a.column < b.column; });
  std::size_t kept = 0;
  for (const Entry& e : all)
    if (kept > 0 && all[kept - 1].column == e.column)
      all[kept - 1].n += e.n;
    else
      all[kept++] = e;
  all.resize(kept);
  return all;
}

// Gershgorin's, of sum_j (k_j - turn d_j) (k_j - turn d_j)^T.
double PlatePatches::row_bound(std::size_t i) const {
  double sum = 0, own = 0;
  for (const Entry& e : row(i)) sum += std::abs(e.n), own += e.n;
  sum += std::abs(own);
  for (Index s = first_slot[i]; s < first_slot[i + 1] && !rest.empty(); ++s) {
    const auto e = std::size_t(slots[std::size_t(s)]), k = std::size_t(patch[e]);
    for (int j = 0; j < 3; ++j) {
      const double d = norm(rest[k].row[j]), mine = d * turn[e];
      for (auto f = std::size_t(first[k]); f < std::size_t(first[k + 1]); ++f)
        sum +=
            std::abs(weights[e][j]) * d * turn[f] + mine * (std::abs(weights[f][j]) + d * turn[f]);
    }
  }
  return sum;
}

PlateBuffers::PlateBuffers(const Exec& ex)
    : first_(ex),
      points_(ex),
      weights_(ex),
      rest_(ex),
      start_(ex),
      first_slot_(ex),
      slots_(ex),
      force_(ex) {}

PlateBuffers::PlateBuffers(const Exec& ex, const PlatePatches& p, double stiffness, double damping)
    : PlateBuffers(ex) {
  stiffness_ = stiffness, damping_ = damping;
  if (!(stiffness > 0)) return;
  first_.upload(p.first), points_.upload(p.points);
  weights_.upload(narrowed(p.weights)), rest_.upload(narrowed(p.rest));
  first_slot_.upload(p.first_slot), slots_.upload(p.slots);
  force_.resize(p.points.size());
}

plate::Patches PlateBuffers::view() const {
  return {first_.span(), points_.span(),     weights_.span(),
          rest_.span(),  first_slot_.span(), slots_.span()};
}

void PlateBuffers::start(const Exec& ex, Span<const Vec<3>> position, double h) {
  lag_ = damping_ / h;
  if (!any() || damping_ == 0) return;
  start_.resize(std::size_t(view().size()));
  plate::curvatures(ex, view(), position, start_.span());
}

plate::Energies PlateBuffers::forces(const Exec& ex, const mass_spring::Ahead& at) {
  return plate::forces(ex, view(), {Real(stiffness_), Real(lag_)}, start_.span(), at,
                       force_.span());
}

plate::SlotForces PlateBuffers::slot_forces() const {
  return {first_slot_.span(), slots_.span(), force_.span()};
}

double PlateBuffers::energy(const Exec& ex, Span<const Vec<3>> position) const {
  return plate::energy(ex, view(), Real(stiffness_), position);
}

Real PlateBuffers::scale(double h) const { return Real(h * (h + damping_) * stiffness_); }

IsotropicBuffers::IsotropicBuffers(const Exec& ex, std::size_t rows, const Row& row)
    : IsotropicBuffers(ex) {
  const std::size_t wide = lane_count;
  std::vector<Index> first((rows + wide - 1) / wide + 1);
  for (std::size_t i = 0; i < rows; ++i)
    first[i / wide + 1] = std::max(first[i / wide + 1], Index(row(i).size()));
  for (std::size_t s = 1; s < first.size(); ++s) first[s] += first[s - 1];
  std::vector<block_cg::IsotropicSlot> slots(std::size_t(first.back()));
  for (std::size_t i = 0; i < wide * (first.size() - 1); ++i)
    for (Index e = first[i / wide]; e < first[i / wide + 1]; ++e)
      slots[std::size_t(e)].other[i % wide] = Index(std::min(i, rows - 1));
  for (std::size_t i = 0; i < rows; ++i) {
    auto slot = std::size_t(first[i / wide]);
    for (const PlatePatches::Entry& e : row(i)) {
      slots[slot].other[i % wide] = e.column;
      slots[slot++].n[i % wide] = Real(e.n);
    }
  }
  first_.upload(first), slots_.upload(slots);
}

}  // namespace rtsim
