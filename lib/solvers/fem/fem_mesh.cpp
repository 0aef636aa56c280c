#include "solvers/fem/fem_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "deformables/groups.h"
#include "fem/element.h"
#include "meshes/adjacency.h"
#include "solvers/fem/fem_regions.h"
#include "solvers/fem/rest_elements.h"

namespace rtsim {

namespace {

std::vector<Vec3d> rest_places(World& world, const std::string& mesh) {
  std::vector<Vec3d> all;
  for (const Vec<3>& x : world.table(mesh).download<Vec<3>>("position")) all.push_back(widen(x));
  return all;
}

// What is summed up over the nodes of elements.
class NodeSums {
 public:
  explicit NodeSums(const std::vector<Real>& mass) : mass_(mass), rows_(mass.size()) {}

  void add(const ElementNodes& e, const fem::ElementRest<double>& rest,
           const fem::Lame<double>& lame) {
    Mat3<double> own[fem::TenNodes::nodes]{};
    const auto at = [&](std::size_t k) { return std::size_t(e[k]); };
    const auto size = [](const Mat3<double>& k) { return std::sqrt(fem::contraction(k, k)); };
    for_stiffness(e, rest, lame, [&](std::size_t n, std::size_t m, const Mat3<double>& k) {
      rows_[at(n)] += size(k), rows_[at(m)] += size(k);
      own[n] = own[n] + k, own[m] = own[m] + transposed(k);
    });
    // Forces round by what stress over a node does, which its block over the modulus bounds.
    const double modulus = 2 * lame.mu + std::abs(lame.lambda);
    rounding_energy_ += rounding_of_strain * rounding_of_strain * modulus * rest.volume / 2;
    for (std::size_t n = 0; n < e.size(); ++n) {
      if (!has_node(e, n)) continue;
      rows_[at(n)] += size(own[n]);
      const double off = rounding_of_strain * std::sqrt(modulus * rest.volume * size(own[n]));
      rounding_ += off * off / double(mass_[at(n)]);
    }
  }
  // The greatest omega^2, by Gershgorin: of the blocks of each point's row over its mass, by their
  // Frobenius norms.
  double stiffest() const {
    double most = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      most = std::max(most, rows_[i] / double(mass_[i]));
    return most;
  }
  double rounding() const { return rounding_; }
  double rounding_energy() const { return rounding_energy_; }

 private:
  // Of a deformation whose entries are about 1.
  static constexpr double rounding_of_strain = 4 * double(std::numeric_limits<Real>::epsilon());
  const std::vector<Real>& mass_;
  std::vector<double> rows_;  // [N/m]
  double rounding_ = 0, rounding_energy_ = 0;
};

std::vector<Vec3d> middles_of(const std::vector<ElementNodes>& elements,
                              const std::vector<Vec3d>& points) {
  std::vector<Vec3d> all;
  for (const ElementNodes& e : elements) {
    const std::size_t corners = is_flat(e) ? 3 : 4;
    Vec3d sum;
    for (std::size_t k = 0; k < corners; ++k) sum = sum + points[std::size_t(e[k])];
    all.push_back(1. / double(corners) * sum);
  }
  return all;
}

// Of an element's mass at a node, see make_quadratic.
double mass_share(const ElementNodes& e, std::size_t k) {
  if (e.size() == 4) return is_flat(e) ? 1. / 3 : 1. / 4;
  if (is_flat(e)) return k < 4 ? 1. / 19 : 16. / 57;
  return k < 4 ? 1. / 36 : 4. / 27;
}

// What points weigh: of elements with a density of their own by that, of others the part of what
// they weighed. Writes it to the mesh, if there are such.
std::vector<Real> weigh_regions(World& world, const std::string& mesh,
                                const std::vector<ElementNodes>& elements,
                                const std::vector<fem::ElementRest<double>>& rest,
                                const std::vector<FemConstants>& constants) {
  Table& t = world.table(mesh);
  std::vector<Real> mass = t.download<Real>("mass");
  if (std::ranges::none_of(constants, [](const FemConstants& c) { return c.density.has_value(); }))
    return mass;
  std::vector<double> volume(mass.size()), as_before(mass.size()), own(mass.size());
  for (std::size_t e = 0; e < elements.size(); ++e)
    for (std::size_t k = 0; k < elements[e].size(); ++k) {
      if (!has_node(elements[e], k)) continue;
      const auto i = std::size_t(elements[e][k]);
      const double share = mass_share(elements[e], k) * rest[e].volume;
      volume[i] += share;
      if (constants[e].density)
        own[i] += *constants[e].density * share;
      else
        as_before[i] += share;
    }
  std::vector<Real> inverse = t.download<Real>("inverse_mass");
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (!(volume[i] > 0)) continue;
    mass[i] = Real(own[i] + as_before[i] / volume[i] * double(mass[i]));
    if (inverse[i] > 0) inverse[i] = 1 / mass[i];
  }
  world.exec.upload(t.column<Real>("mass").data, mass.data(), mass.size() * sizeof(Real));
  world.exec.upload(t.column<Real>("inverse_mass").data, inverse.data(),
                    inverse.size() * sizeof(Real));
  return mass;
}

// Where points stand in elements: the rows of the forces on them.
Incidence element_incidence(std::size_t points, const std::vector<ElementNodes>& elements) {
  return incidence_by_visits(points, [&](const auto& visit) {
    for (std::size_t i = 0; i < elements.size(); ++i)
      for (std::size_t k = 0; k < elements[i].size(); ++k)
        if (has_node(elements[i], k))
          visit(elements[i][k], fem::force_row(Index(elements[i].size()), Index(i), Index(k)));
  });
}

}  // namespace

FemMesh::FemMesh(const FemParams& p, World& world)
    : material_(p.material),
      slots_(world.exec),
      middles_(world.exec),
      first_(world.exec),
      where_(world.exec) {
  const std::string& mesh = p.mesh.name;
  const std::vector<Vec3d> points = rest_places(world, mesh);
  const RestElements all = rest_elements(world, mesh);
  refuse_locked(all, greatest_poissons_ratio(p));
  const std::vector<ElementNodes>& elements = all.nodes;
  const std::vector<fem::ElementRest<double>>& at_rest = all.rest;
  flat_ = all.flat;
  count_ = Index(elements.size());
  const std::size_t wide = lane_count;
  std::vector<fem::ElementSlot> slots((elements.size() + wide - 1) / wide);
  std::vector<fem::MiddleSlot> middles(elements[0].size() > 4 ? slots.size() : 0);
  const std::vector<FemConstants> constants = constants_of(p, world, middles_of(elements, points));
  const std::vector<Real> mass = weigh_regions(world, mesh, elements, at_rest, constants);
  NodeSums sums(mass);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const fem::ElementRest<double>& rest = at_rest[e];
    const fem::Lame<double>& lame = constants[e].lame;
    sums.add(elements[e], rest, lame);
    fem::ElementSlot& slot = slots[e / wide];
    for (std::size_t k = 0; k < 4; ++k) slot.corner[k][e % wide] = elements[e][k];
    for (std::size_t k = 0; k < 9; ++k) slot.g[k][e % wide] = Real(rest.g[k / 3][int(k % 3)]);
    slot.volume[e % wide] = Real(rest.volume);
    slot.mu[e % wide] = Real(lame.mu), slot.lambda[e % wide] = Real(lame.lambda);
    for (std::size_t k = 4; k < elements[e].size(); ++k)
      middles[e / wide].middle[k - 4][e % wide] = elements[e][k];
  }
  stiffest_ = sums.stiffest(), rounding_ = sums.rounding();
  rounding_energy_ = sums.rounding_energy();
  slots_.upload(slots), middles_.upload(middles);
  const Incidence at = element_incidence(points.size(), elements);
  first_.upload(at.first), where_.upload(at.slots);
}

fem::Elements FemMesh::view() const {
  return {slots_.span(), middles_.span(), count_,        material_,
          flat_,         first_.span(),   where_.span(), plastic_};
}

namespace {

// What acts on a row through an element, see fem::Assembly.
struct ElementPart {
  Index column, part;
  bool operator<(const ElementPart& o) const {
    return column != o.column ? column < o.column : part < o.part;
  }
};

// The parts of each row, in order of their columns, each in order of the elements.
std::vector<std::vector<ElementPart>> element_parts(std::size_t points,
                                                    const std::vector<ElementNodes>& elements) {
  std::vector<std::vector<ElementPart>> rows(points);
  Index pair = 0;
  for (const ElementNodes& e : elements)
    for (std::size_t n = 0; n < e.size(); ++n)
      for (std::size_t m = n + 1; m < e.size(); ++m, ++pair) {
        if (!has_node(e, n) || !has_node(e, m)) continue;
        rows[std::size_t(e[n])].push_back({e[m], 2 * pair});
        rows[std::size_t(e[m])].push_back({e[n], 2 * pair + 1});
      }
  for (auto& row : rows) std::sort(row.begin(), row.end());
  return rows;
}

// Of elements of second order those of their parts, as neighbours are near.
std::vector<CellMesh::Edge> element_edges(World& world, const std::string& mesh) {
  std::vector<CellMesh::Edge> all;
  const auto add = [&](const auto& cells) {
    for (const auto& c : cells)
      for (std::size_t i = 0; i < c.size(); ++i)
        for (std::size_t j = i + 1; j < c.size(); ++j) all.push_back({c[i], c[j]});
  };
  if (world.has_table(tet_table(mesh)))
    add(corners_of<4>(world, tet_table(mesh)));
  else
    add(corners_of<3>(world, triangle_table(mesh)));
  return all;
}

// The coarse space has groups of some eight points where those are few, else of dozens; its levels
// end where a factorisation takes no longer than some products with the points' matrix.
constexpr std::size_t few_groups = 64, most_factorised = 256;

// The groups of a level, and in how many of them an element has nodes.
PointGroups point_groups(const Groups& groups, int level,
                         const std::vector<ElementNodes>& elements) {
  PointGroups all{groups.of_points(level), 1};
  for (const ElementNodes& e : elements) {
    std::set<Index> met;
    for (const Index node : e) met.insert(all.of_points[std::size_t(node)]);
    all.most_of_element = std::max(all.most_of_element, Index(met.size()));
  }
  return all;
}

std::vector<PointGroups> coarse_groups(const Groups& groups,
                                       const std::vector<ElementNodes>& elements) {
  std::vector<PointGroups> all;
  for (int level = groups.levels() > 0 && groups.size(0) <= few_groups ? 0 : 1;
       level < groups.levels(); ++level) {
    all.push_back(point_groups(groups, level, elements));
    if (groups.size(level) <= most_factorised) break;
  }
  return all;
}

std::size_t count_columns(const std::vector<ElementPart>& row) {
  std::size_t n = 0;
  for (std::size_t k = 0; k < row.size(); ++k) n += k == 0 || row[k].column != row[k - 1].column;
  return n;
}

}  // namespace

FemMatrix::FemMatrix(World& world, const std::string& mesh)
    : first_(world.exec),
      blocks_(world.exec),
      damping_(world.exec),
      diagonal_(world.exec),
      none_(world.exec),
      first_part_(world.exec),
      parts_(world.exec) {
  const auto points = std::size_t(world.table(mesh).rows()), wide = std::size_t(lane_count);
  const std::vector<ElementNodes> elements = elements_of(world, mesh);
  const auto rows = element_parts(points, elements);
  std::vector<Index> first((points + wide - 1) / wide + 1);
  for (std::size_t i = 0; i < points; ++i)
    first[i / wide + 1] = std::max(first[i / wide + 1], Index(count_columns(rows[i])));
  for (std::size_t s = 1; s < first.size(); ++s) first[s] += first[s - 1];
  std::vector<block_cg::BlockSlot> blocks(std::size_t(first.back()));
  std::vector<Index> first_part(blocks.size() * wide + 1), parts;
  std::vector<std::vector<Index>> of_lanes(blocks.size() * wide);
  for (std::size_t i = 0; i < wide * (first.size() - 1); ++i) {
    std::size_t slot = std::size_t(first[i / wide]);
    const auto end = std::size_t(first[i / wide + 1]);
    for (std::size_t e = slot; e < end; ++e)
      blocks[e].other[i % wide] = Index(std::min(i, points - 1));
    if (i >= points) continue;
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      if (k > 0 && rows[i][k].column != rows[i][k - 1].column) ++slot;
      blocks[slot].other[i % wide] = rows[i][k].column;
      of_lanes[slot * wide + i % wide].push_back(rows[i][k].part);
    }
  }
  for (std::size_t k = 0; k < of_lanes.size(); ++k) {
    parts.insert(parts.end(), of_lanes[k].begin(), of_lanes[k].end());
    first_part[k + 1] = Index(parts.size());
  }
  first_.upload(first), blocks_.upload(blocks);
  diagonal_.resize((first.size() - 1) * wide);
  first_part_.upload(first_part), parts_.upload(parts);
  const Groups groups(world.exec, points, element_edges(world, mesh));
  const std::vector<PointGroups> levels = coarse_groups(groups, elements);
  if (!levels.empty()) coarse_.emplace(world.exec, levels, first, blocks);
}

void FemMatrix::assemble(const Exec& ex, Span<const Mat3<Real>> pairs, Span<const Real> mass,
                         Real inertia) {
  fem::assemble(ex, {.first = first_part_.span(),
                     .parts = parts_.span(),
                     .pairs = pairs,
                     .more = damps_ ? Span<const block_cg::BlockSlot>(damping_.span())
                                    : Span<const block_cg::BlockSlot>{},
                     .blocks_first = first_.span(),
                     .mass = mass,
                     .inertia = inertia,
                     .blocks = blocks_.span(),
                     .diagonal = diagonal_.span()});
}

void FemMatrix::begin_damping(const Exec& ex, Real scale) {
  if (damping_.size() == 0) {
    damping_.resize(blocks_.size());
    none_.resize(diagonal_.size());
    none_.zero();
  }
  fem::split(ex, scale, blocks_.span(), damping_.span());
  damps_ = true;
}

double FemMatrix::damp(const Exec& ex, Span<const Row4> w, Span<Row4> to) {
  return block_cg::multiply(ex, {first_.span(), damping_.span(), none_.span(), {}}, w, to);
}

void FemMatrix::update_coarse(const Exec& ex, Span<const Row4> position, Span<const Row4> filter) {
  if (coarse_) coarse_->update(ex, view(), position, filter);
}

}  // namespace rtsim
