#include "solvers/flip/sheets_in_liquid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "meshes/adjacency.h"
#include "stage/stage.h"

namespace rtsim {

SheetsInLiquid::SheetsInLiquid(World& world, const MeshWalls& walls, const flip::Place<3>& place)
    : ex_(world.exec),
      place_(place),
      begin_there_(ex_),
      end_there_(ex_),
      triangles_there_(ex_),
      first_there_(ex_),
      in_cell_there_(ex_) {
  for (const MeshWalls::Mesh& m : walls.meshes()) {
    if (m.solid) continue;
    sheets_.push_back(m);
    for (Index i = m.first; i < m.points_end(); ++i) point_.push_back(i);
  }
}

void SheetsInLiquid::begin(World& world, const MeshWalls& walls) {
  end_.clear(), triangles_.clear();
  for (const MeshWalls::Mesh& m : sheets_) {
    const auto first = std::int32_t(end_.size());
    for (const Vec<3>& x : world.table(walls.seen_table(m.name)).download<Vec<3>>("position"))
      end_.push_back(cells(widen(x)));
    for (const auto& t : intact_of<3>(world, triangle_table(m.name)))
      triangles_.push_back({{first + t[0], first + t[1], first + t[2]}});
  }
  triangles_there_.upload(triangles_);
}

Vec3d SheetsInLiquid::cells(const Vec3d& x) const {
  Vec3d c;
  for (int a = 0; a < 3; ++a) c[a] = (x[a] - double(place_.low[a])) / double(place_.domain.spacing);
  return c;
}

std::vector<flip::SheetHit> SheetsInLiquid::go(const std::vector<Vec3d>& position,
                                               const Real* const (&from)[3],
                                               const flip::State<3>& particles) {
  begin_.swap(end_), end_.clear();
  for (const Index i : point_) end_.push_back(cells(position[std::size_t(i)]));
  begin_there_.upload(begin_), end_there_.upload(end_);
  find_cells();
  return flip::keep_on_sides(ex_, place_,
                             {begin_there_.span(), end_there_.span(), triangles_there_.span(),
                              first_there_.span(), in_cell_there_.span()},
                             from, particles);
}

// The pressure of a step holds for the faces that the sheet closed where it was expected: half a
// cell from there it closes others. A drop may be swept along; not the liquid.
void SheetsInLiquid::check(const std::vector<flip::SheetHit>& hits, const std::string& fluid,
                           Index particles) const {
  constexpr Real elsewhere = Real(0.5);  // [cells]
  constexpr double drop = 0.01;          // of the liquid
  const auto swept =
      std::ranges::count_if(hits, [](const flip::SheetHit& h) { return h.led > elsewhere; });
  if (double(swept) < drop * particles) return;
  const auto farthest = std::ranges::max_element(hits, {}, &flip::SheetHit::led);
  const Index point = point_[std::size_t(triangles_[std::size_t(farthest->triangle)][0])];
  const auto sheet = std::ranges::find_if(
      sheets_, [&](const MeshWalls::Mesh& m) { return point < m.points_end(); });
  throw Diverged(fmt::format(
      "the sheet '{}' went {:.2g} cells elsewhere in a step than '{}' expected, and swept {} of "
      "its particles along: it is stiff for its mass. Take shorter steps, or a heavier or softer "
      "sheet",
      sheet->name, farthest->led, fluid, swept));
}

FlowMeshes::Hit SheetsInLiquid::hit_of(const flip::SheetHit& h) const {
  FlowMeshes::Hit hit{{}, {}, widen(h.normal), dot(widen(h.normal), widen(h.velocity))};
  for (int k = 0; k < 3; ++k) {
    hit.point[k] = point_[std::size_t(triangles_[std::size_t(h.triangle)][k])];
    hit.weight[k] = double(h.weight[k]);
  }
  return hit;
}

// Where its triangles come, each in all cells of the box around its way: counted, then listed.
void SheetsInLiquid::find_cells() {
  const mac::Domain& d = place_.domain;
  first_.assign(std::size_t(d.rows(mac::centres)) + 1, 0);
  const auto visit = [&](const auto& f) {
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      Vec3d low = end_[std::size_t(triangles_[t][0])], high = low;
      for (const std::int32_t p : triangles_[t].c)
        for (const Vec3d& x : {begin_[std::size_t(p)], end_[std::size_t(p)]})
          for (int a = 0; a < 3; ++a)
            low[a] = std::min(low[a], x[a] - flip::off_sheets),
            high[a] = std::max(high[a], x[a] + flip::off_sheets);
      flip::for_cells_of(d, low, high, [&](Index cell) { f(std::size_t(cell), Index(t)); });
    }
  };
  visit([&](std::size_t cell, Index) { ++first_[cell + 1]; });
  for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  in_cell_.resize(std::size_t(first_.back()));
  visit([&](std::size_t cell, Index t) { in_cell_[std::size_t(next[cell]++)] = t; });
  first_there_.upload(first_), in_cell_there_.upload(in_cell_);
}

}  // namespace rtsim
