#include "solvers/modal/mode_shapes.h"

#include <Spectra/SymEigsSolver.h>
#include <fmt/format.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/joined_sets.h"
#include "fem/element.h"
#include "meshes/adjacency.h"

namespace rtsim {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Factor = Eigen::SimplicialLDLT<Sparse>;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// As of fem: of a volume over that of a regular element with the same mean square edge.
constexpr double least_quality = 1e-5;
// Below so many unknowns all modes are found at once.
constexpr Index few_unknowns = 400;
// Modes that a second search looks for besides those found.
constexpr int searched_again = 2;

int corner_count(const std::array<Index, 4>& e) { return e[3] == e[0] ? 3 : 4; }

Eigen::Vector3d column_of(const Vec3d& x) { return {x[0], x[1], x[2]}; }

// Gradients of the corners 1 to 3, the volume, and the volume over that of a regular element.
struct Shaped {
  fem::ElementRest<double> rest;
  double quality;
};
Shaped element_at_rest(const RestMesh& m, const std::array<Index, 4>& e) {
  Eigen::Matrix3d edges = Eigen::Matrix3d::Identity();
  double squares = 0;
  const int n = corner_count(e);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const Vec3d d =
          m.place[std::size_t(e[std::size_t(j)])] - m.place[std::size_t(e[std::size_t(i)])];
      squares += dot(d, d);
      if (i == 0) edges.col(j - 1) = column_of(d);
    }
  const double det = edges.determinant();
  Shaped s{};
  const Eigen::Matrix3d inverse = edges.inverse();
  for (int k = 0; k < n - 1; ++k)
    for (int a = 0; a < m.axes(); ++a) s.rest.g[k][a] = inverse(k, a);
  s.rest.volume = m.flat ? std::abs(det) / 2 : det / 6;
  s.quality = m.flat ? 2 * std::sqrt(3.) * std::abs(det) / squares
                     : std::sqrt(2.) * det / std::pow(squares / 6, 1.5);
  return s;
}

void check_elements(const RestMesh& m) {
  if (m.elements.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' has neither tetrahedra nor triangles, which elements are made "
                            "of; take a \"block\" or a \"solid\", or \"xpbd\" for ropes",
                            m.name));
  for (std::size_t k = 0; m.flat && k < m.place.size(); ++k)
    if (m.place[k][2] != m.place[0][2])
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' has triangles and no tetrahedra, and point {} lies off the "
                              "plane z = {}: triangles are plane strain in x and y; take a "
                              "\"block\" or a \"solid\"",
                              m.name, k, m.place[0][2]));
  for (std::size_t k = 0; k < m.elements.size(); ++k) {
    const double quality = element_at_rest(m, m.elements[k]).quality;
    if (quality > least_quality) continue;
    throw Error(ExitCode::bad_input, fmt::format("element {} of '{}' is {}; mend the mesh", k,
                                                 m.name, quality < 0 ? "inside out" : "flat"));
  }
}

void check_pieces(const RestMesh& m) {
  JoinedSets sets(m.place.size());
  for (const auto& e : m.elements)
    for (int k = 1; k < corner_count(e); ++k) sets.join(e[0], e[std::size_t(k)]);
  for (std::size_t k = 0; k < m.place.size(); ++k)
    if (sets.root(Index(k)) != 0)
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' is in several pieces (points 0 and {} are not joined), which "
                              "have no modes in common; give each an object and a stage",
                              m.name, k));
}

// Held points must leave no rigid motion: three that are not in line, two in the plane.
void check_hold(const RestMesh& m) {
  if (m.free()) return;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double n = 0, extent = 0;
  for (std::size_t k = 0; k < m.place.size(); ++k) {
    extent = std::max(extent, norm(m.place[k] - m.place[0]));
    if (m.held[k]) sum += column_of(m.place[k]), ++n;
  }
  if (m.free_points() == 0)
    throw Error(ExitCode::bad_input,
                fmt::format("every point of '{}' is held: nothing is left to swing", m.name));
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (std::size_t k = 0; k < m.place.size(); ++k)
    if (m.held[k]) {
      const Eigen::Vector3d d = column_of(m.place[k]) - sum / n;
      spread += d * d.transpose();
    }
  const Eigen::Vector3d s = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvalues();
  const double least = 1e-8 * extent * extent;
  if (s[m.flat ? 2 : 1] > least) return;
  throw Error(ExitCode::bad_input,
              fmt::format("the held points of '{}' let it turn, which is no mode; hold {}, or none",
                          m.name, m.flat ? "two points" : "three points that are not in line"));
}

// The unknowns: axes of free points.
std::vector<Index> number_unknowns(const RestMesh& m, Index& count) {
  std::vector<Index> first(m.place.size(), -1);
  count = 0;
  for (std::size_t k = 0; k < first.size(); ++k)
    if (!m.held[k]) first[k] = count, count += Index(m.axes());
  return first;
}

// M^-1/2 K M^-1/2
Sparse scaled_stiffness(const RestMesh& m, const fem::Lame<double>& lame,
                        const std::vector<Index>& first, Index unknowns) {
  const auto tangent = fem::Linear::tangent(lame, diagonal(1.), true);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(m.elements.size() * 144);
  for (const auto& e : m.elements) {
    const fem::ElementRest<double> rest = element_at_rest(m, e).rest;
    VecT<double, 3> g[4];
    fem::principal_gradients(tangent, rest, g);
    for (int i = 0; i < corner_count(e); ++i)
      for (int j = 0; j < corner_count(e); ++j) {
        const auto p = std::size_t(e[std::size_t(i)]), q = std::size_t(e[std::size_t(j)]);
        if (first[p] < 0 || first[q] < 0) continue;
        const double scale = rest.volume / std::sqrt(m.mass[p] * m.mass[q]);
        const Mat3<double> k = fem::corner_tangent(tangent, g[i], g[j]);
        for (int a = 0; a < m.axes(); ++a)
          for (int b = 0; b < m.axes(); ++b)
            entries.emplace_back(first[p] + a, first[q] + b, scale * k.row[a][b]);
      }
  }
  Sparse K(unknowns, unknowns);
  K.setFromTriplets(entries.begin(), entries.end());
  return K;
}

// The rigid motions of a free mesh times M^1/2, orthonormal.
MatrixXd rigid_modes(const RestMesh& m, Index unknowns) {
  if (!m.free()) return MatrixXd(unknowns, 0);
  const int n = m.flat ? 3 : 6, axes = m.axes();
  MatrixXd R = MatrixXd::Zero(unknowns, n);
  Vec3d sum;
  double mass = 0;
  for (std::size_t k = 0; k < m.place.size(); ++k)
    sum = sum + m.mass[k] * m.place[k], mass += m.mass[k];
  for (std::size_t k = 0; k < m.place.size(); ++k) {
    const Vec3d x = m.place[k] - (1 / mass) * sum;
    for (int c = 0; c < n; ++c) {
      Vec3d way;
      if (c < axes)
        way[c] = 1;
      else
        way = cross(
            m.flat ? Vec3d{{0, 0, 1}} : Vec3d{{double(c == 3), double(c == 4), double(c == 5)}}, x);
      for (int a = 0; a < axes; ++a) R(Index(k) * axes + a, c) = std::sqrt(m.mass[k]) * way[a];
    }
  }
  return Eigen::HouseholderQR<MatrixXd>(R).householderQ() * MatrixXd::Identity(unknowns, n);
}

// The Rayleigh quotient of a parabola along the axis in which the mesh is longest, off the rigid
// motions: of the size of the lowest elastic w^2, and never below it.
double bending_estimate(const RestMesh& m, const Sparse& K, const MatrixXd& rigid) {
  Vec3d low = m.place[0], high = m.place[0];
  for (const Vec3d& x : m.place)
    for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
  const int axes = m.axes();
  int along = 0;
  for (int a = 1; a < axes; ++a)
    if (high[a] - low[a] > high[along] - low[along]) along = a;
  VectorXd y(K.rows());
  for (std::size_t k = 0; k < m.place.size(); ++k) {
    const double s = m.place[k][along] - (low[along] + high[along]) / 2;
    for (int a = 0; a < axes; ++a)
      y[Index(k) * axes + a] = a == (along + 1) % axes ? s * s * std::sqrt(m.mass[k]) : 0;
  }
  y -= rigid * (rigid.transpose() * y);
  return y.dot(K * y) / y.squaredNorm();
}

// x -> (A + shift)^-1 x off some directions, as Spectra takes it.
class Inverse {
 public:
  using Scalar = double;
  Inverse(const Factor& factor, const MatrixXd& off) : factor_(factor), off_(off) {}
  Eigen::Index rows() const { return off_.rows(); }
  Eigen::Index cols() const { return off_.rows(); }
  void perform_op(const double* in, double* out) const {
    VectorXd x = Eigen::Map<const VectorXd>(in, rows());
    leave_out(x);
    VectorXd y = factor_.solve(x);
    leave_out(y);
    Eigen::Map<VectorXd>(out, rows()) = y;
  }

 private:
  void leave_out(VectorXd& x) const {
    if (off_.cols() > 0) x -= off_ * (off_.transpose() * x);
  }
  const Factor& factor_;
  const MatrixXd& off_;
};

struct Pairs {
  VectorXd value;  // w^2, growing
  MatrixXd vector;
};

Pairs ordered(Pairs p) {
  std::vector<Index> order(std::size_t(p.value.size()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](Index k) { return p.value[k]; });
  Pairs to{VectorXd(p.value.size()), MatrixXd(p.vector.rows(), p.vector.cols())};
  for (std::size_t k = 0; k < order.size(); ++k) {
    to.value[Index(k)] = p.value[order[k]];
    to.vector.col(Index(k)) = p.vector.col(order[k]);
  }
  return to;
}

// Lanczos from a start that is the same for all runs.
Pairs lowest(const Factor& factor, double shift, const MatrixXd& off, int count) {
  Inverse inverse(factor, off);
  const Index n = Index(off.rows());
  const Index space = std::min(n, Index(std::max(2 * count + 1, 20)));
  Spectra::SymEigsSolver<Inverse> solver(inverse, count, space);
  solver.init();
  solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12);
  if (solver.info() != Spectra::CompInfo::Successful)
    throw Error(ExitCode::bad_input,
                fmt::format("the {} lowest modes do not converge; ask for fewer \"modes\"", count));
  Pairs p{solver.eigenvalues(), solver.eigenvectors()};
  p.value = p.value.cwiseInverse().array() - shift;
  return ordered(std::move(p));
}

MatrixXd beside(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd both(a.rows(), a.cols() + b.cols());
  both << a, b;
  return both;
}

// Shift-invert. One start vector finds only one of several equal frequencies but for rounding: what
// lies below the last of those found is looked for besides them, until there is none.
Pairs sparse_modes(const RestMesh& m, const Sparse& K, const MatrixXd& rigid, int count) {
  const double shift = m.free() ? bending_estimate(m, K, rigid) : 0;
  Sparse shifted = K;
  for (Index k = 0; k < K.rows(); ++k) shifted.coeffRef(k, k) += shift;
  const Factor factor(shifted);
  if (factor.info() != Eigen::Success)
    throw Error(ExitCode::bad_input,
                fmt::format("the stiffness of '{}' cannot be factorised; mend the mesh", m.name));
  Pairs found = lowest(factor, shift, rigid, count);
  for (;;) {
    const Pairs more = lowest(factor, shift, beside(rigid, found.vector), searched_again);
    const double last = found.value[count - 1];
    if (more.value[0] >= last * (1 - 1e-9)) return found;
    found = ordered({(VectorXd(count + searched_again) << found.value, more.value).finished(),
                     beside(found.vector, more.vector)});
    found.value.conservativeResize(count);
    found.vector.conservativeResize(Eigen::NoChange, count);
  }
}

Pairs dense_modes(const Sparse& K, const MatrixXd& rigid, int count) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> all{MatrixXd(K)};
  const Index first = Index(rigid.cols());
  return {all.eigenvalues().segment(first, count), all.eigenvectors().middleCols(first, count)};
}

void point_up(MatrixXd& phi) {
  for (Index j = 0; j < phi.cols(); ++j) {
    Index at = 0;
    phi.col(j).cwiseAbs().maxCoeff(&at);
    if (phi(at, j) < 0) phi.col(j) *= -1;
  }
}

}  // namespace

bool RestMesh::free() const { return std::ranges::find(held, true) == held.end(); }
Index RestMesh::free_points() const { return Index(std::ranges::count(held, false)); }

RestMesh rest_mesh(World& world, const std::string& mesh) {
  Table& t = world.table(mesh);
  RestMesh m;
  m.name = mesh;
  for (const Vec<3>& x : t.download<Vec<3>>("position")) m.place.push_back(widen(x));
  for (const Real x : t.download<Real>("mass")) m.mass.push_back(double(x));
  for (const Real w : t.download<Real>("inverse_mass")) m.held.push_back(!(w > 0));
  m.flat = !world.has_table(tet_table(mesh));
  if (!m.flat)
    m.elements = corners_of<4>(world, tet_table(mesh));
  else if (world.has_table(triangle_table(mesh)))
    for (const auto& c : corners_of<3>(world, triangle_table(mesh)))
      m.elements.push_back({c[0], c[1], c[2], c[0]});
  check_elements(m), check_pieces(m), check_hold(m);
  return m;
}

ModeShapes mode_shapes(const RestMesh& m, const fem::Lame<double>& lame, const ModeCount& want) {
  Index unknowns = 0;
  const std::vector<Index> first = number_unknowns(m, unknowns);
  const MatrixXd rigid = rigid_modes(m, unknowns);
  const Index most = unknowns - Index(rigid.cols());
  if (want.most > most)
    throw Error(
        ExitCode::bad_input,
        fmt::format("\"modes\": {} of '{}', which has {}: {} free points in {} "
                    "directions{}",
                    want.most, m.name, most, m.free_points(), m.axes(),
                    rigid.cols() > 0 ? fmt::format(", less {} rigid motions", rigid.cols()) : ""));
  const Sparse K = scaled_stiffness(m, lame, first, unknowns);
  const bool dense = unknowns <= few_unknowns || 2 * want.most + searched_again >= unknowns;
  Pairs p = dense ? dense_modes(K, rigid, want.most) : sparse_modes(m, K, rigid, want.most);
  ModeShapes s;
  for (Index j = 0; j < p.value.size(); ++j)
    if (const double w = std::sqrt(std::max(0., p.value[j])); w <= want.up_to) s.omega.push_back(w);
  if (s.omega.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("\"highest_frequency\" leaves no mode of '{}', whose lowest has "
                            "{:.6g} Hz",
                            m.name, std::sqrt(std::max(0., p.value[0])) / (2 * std::numbers::pi)));
  s.phi = MatrixXd::Zero(3 * Eigen::Index(m.place.size()), Eigen::Index(s.omega.size()));
  for (std::size_t k = 0; k < m.place.size(); ++k)
    for (int a = 0; first[k] >= 0 && a < m.axes(); ++a)
      s.phi.row(3 * Index(k) + a) =
          p.vector.row(first[k] + a).head(s.phi.cols()) / std::sqrt(m.mass[k]);
  point_up(s.phi);
  return s;
}

MatrixXd shape_turns(const RestMesh& m, const MatrixXd& phi) {
  MatrixXd turns = MatrixXd::Zero(phi.rows(), phi.cols());
  std::vector<double> volume(m.place.size(), 0);
  MatrixXd curl(3, phi.cols());
  for (const auto& e : m.elements) {
    const fem::ElementRest<double> rest = element_at_rest(m, e).rest;
    curl.setZero();
    for (int k = 1; k < corner_count(e); ++k) {
      const auto way = phi.middleRows(3 * e[std::size_t(k)], 3) - phi.middleRows(3 * e[0], 3);
      const auto& g = rest.g[k - 1];
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        curl.row(a) += g[b] * way.row(c) - g[c] * way.row(b);
      }
    }
    for (int k = 0; k < corner_count(e); ++k) {
      const auto p = std::size_t(e[std::size_t(k)]);
      turns.middleRows(3 * Index(p), 3) += rest.volume / 2 * curl;
      volume[p] += rest.volume;
    }
  }
  for (std::size_t p = 0; p < volume.size(); ++p) turns.middleRows(3 * Index(p), 3) /= volume[p];
  return turns;
}

}  // namespace rtsim
