#include "deformables/shape_regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace rtsim {

void describe(Describe& d, ShapeMatchingParams& p) {
  static constexpr Option modes[] = {
      {"rigid", int(ShapeMode::rigid), "Turned and shifted."},
      {"linear", int(ShapeMode::linear), "Also stretched and sheared, with the volume kept."},
      {"quadratic", int(ShapeMode::quadratic), "Also bent and twisted."}};
  d.choice("mode", p.mode, modes, "What regions may do besides:");
  d("stiffness", p.stiffness, "", between(0, 1),
    "Share of the way to their goals that points go in a substep.");
  d("beta", p.beta, "", between(0, 1),
    "Share of the stretched, bent or twisted shape in the goals; the rest is the turned one.");
  d("region", p.region, "m", above(0),
    "Cubes of this side, half of it apart, are regions that match their own shapes. Default: the "
    "whole mesh is one.");
}

namespace {

// (sum m b b^T)^-1 by Gauss-Jordan with pivots; false where the points span too little.
bool invert(std::vector<double>& m, int n) {
  std::vector<double> inverse(std::size_t(n * n));
  double largest = 0;
  for (int i = 0; i < n; ++i)
    inverse[std::size_t(i * n + i)] = 1, largest = std::max(largest, m[std::size_t(i * n + i)]);
  const auto at = [n](std::vector<double>& v, int i, int j) -> double& {
    return v[std::size_t(i * n + j)];
  };
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(at(m, i, k)) > std::abs(at(m, pivot, k))) pivot = i;
    if (!(std::abs(at(m, pivot, k)) > 1e-7 * largest)) return false;
    for (int j = 0; j < n; ++j) {
      std::swap(at(m, k, j), at(m, pivot, j));
      std::swap(at(inverse, k, j), at(inverse, pivot, j));
    }
    const double scale = 1 / at(m, k, k);
    for (int j = 0; j < n; ++j) at(m, k, j) *= scale, at(inverse, k, j) *= scale;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double f = at(m, i, k);
      for (int j = 0; j < n; ++j)
        at(m, i, j) -= f * at(m, k, j), at(inverse, i, j) -= f * at(inverse, k, j);
    }
  }
  m = inverse;
  return true;
}

// What a region is like at rest.
struct RegionAtRest {
  double size = 0;                    // [m], the farthest from the centre
  std::vector<Vec<3>> place;          // of its points about the centre, over the size
  std::vector<double> mean, inverse;  // see kernels/pbd/shape_match.h
  bool rigid;

  RegionAtRest(const std::vector<Vec3d>& x, const std::vector<double>& mass, int terms)
      : mean(std::size_t(terms)), inverse(std::size_t(terms * terms)) {
    Vec3d centre;
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) centre = centre + mass[i] * x[i], total += mass[i];
    centre = (1 / total) * centre;
    for (const Vec3d& p : x) size = std::max(size, norm(p - centre));
    if (size == 0) size = 1;
    std::vector<std::array<double, pbd::most_terms>> b(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      place.push_back(narrow<3>((1 / size) * (x[i] - centre)));
      pbd::shape_terms(place[i], terms, b[i].data());
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += mass[i] / total * b[i][k];
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t k = 0; k < mean.size(); ++k)
        for (std::size_t l = 0; l < mean.size(); ++l)
          inverse[k * mean.size() + l] += mass[i] * (b[i][k] - mean[k]) * (b[i][l] - mean[l]);
    rigid = !invert(inverse, terms);
  }
};

}  // namespace

int ShapeMatching::terms() const {
  return p_.mode == ShapeMode::rigid ? 0 : (p_.mode == ShapeMode::linear ? 3 : 9);
}

std::vector<std::vector<Index>> ShapeMatching::regions_of(const std::vector<Vec3d>& rest) const {
  std::vector<std::vector<Index>> regions(1);
  if (!p_.region) {
    for (std::size_t i = 0; i < rest.size(); ++i) regions[0].push_back(Index(i));
    return regions;
  }
  // A point of the half-side lattice's cell belongs to the cubes that begin there, and one before.
  std::map<std::array<long, 3>, std::vector<Index>> cubes;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    std::array<long, 3> cell;
    for (int a = 0; a < 3; ++a)
      cell[std::size_t(a)] =
          std::lround(std::floor((rest[i] - rest[0])[a] / (0.5 * *p_.region) + 1e-6));
    for (int k = 0; k < 8; ++k)
      cubes[{cell[0] - (k & 1), cell[1] - ((k >> 1) & 1), cell[2] - (k >> 2)}].push_back(Index(i));
  }
  regions.clear();
  for (auto& [place, points] : cubes) regions.push_back(std::move(points));
  return regions;
}

ShapeMatching::ShapeMatching(const ShapeMatchingParams& p, World& world, const std::string& mesh,
                             const std::vector<Vec3d>& rest)
    : p_(p),
      first_(world.exec),
      point_(world.exec),
      first_slot_(world.exec),
      slots_(world.exec),
      size_(world.exec),
      mean_(world.exec),
      inverse_(world.exec),
      rest_(world.exec),
      goals_(world.exec),
      mass_(world.exec),
      rigid_(world.exec) {
  const auto mass = world.table(mesh).download<Real>("mass");
  const auto regions = regions_of(rest);
  std::vector<std::vector<Index>> slots_of(rest.size());
  std::vector<Index> first{0}, point;
  for (const auto& region : regions) {
    for (const Index i : region) {
      slots_of[std::size_t(i)].push_back(Index(point.size()));
      point.push_back(i);
    }
    first.push_back(Index(point.size()));
  }
  std::vector<Real> share;
  std::vector<Vec<3>> place;
  std::vector<double> size, mean, inverse;
  std::vector<std::uint8_t> rigid;
  for (const auto& region : regions) {
    std::vector<Vec3d> x;
    std::vector<double> m;
    for (const Index i : region) {
      x.push_back(rest[std::size_t(i)]);
      m.push_back(double(mass[std::size_t(i)]) / double(slots_of[std::size_t(i)].size()));
      share.push_back(Real(m.back()));
    }
    const RegionAtRest r(x, m, std::max(3, terms()));
    place.insert(place.end(), r.place.begin(), r.place.end());
    mean.insert(mean.end(), r.mean.begin(), r.mean.end());
    inverse.insert(inverse.end(), r.inverse.begin(), r.inverse.end());
    size.push_back(r.size), rigid.push_back(std::uint8_t(r.rigid));
  }
  std::vector<Index> first_slot{0}, slots;
  for (const auto& of : slots_of) {
    slots.insert(slots.end(), of.begin(), of.end());
    first_slot.push_back(Index(slots.size()));
  }
  first_.upload(first), point_.upload(point), rest_.upload(place), mass_.upload(share);
  size_.upload(size), mean_.upload(mean), inverse_.upload(inverse), rigid_.upload(rigid);
  first_slot_.upload(first_slot), slots_.upload(slots);
  goals_.resize(point.size());
}

void ShapeMatching::project(World& world, double share, Span<Row4> place) {
  const pbd::ShapeRegions regions{first_.span(), point_.span(), size_.span(),    rest_.span(),
                                  mass_.span(),  mean_.span(),  inverse_.span(), rigid_.span(),
                                  terms(),       Real(p_.beta)};
  pbd::match_shapes(world.exec, regions, {first_slot_.span(), slots_.span()}, Real(share),
                    goals_.span(), place);
}

}  // namespace rtsim
