#include "solvers/modal/mode_shapes.h"

#include <Spectra/SymEigsSolver.h>
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/joined_sets.h"
#include "meshes/adjacency.h"

namespace rtsim {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Factor = Eigen::SimplicialLDLT<Sparse>;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Below so many unknowns all modes are found at once.
constexpr Index few_unknowns = 400;
// Modes that a second search looks for besides those found.
constexpr int searched_again = 2;

Eigen::Vector3d column_of(const Vec3d& x) { return {x[0], x[1], x[2]}; }

void check_pieces(const RestMesh& m) {
  JoinedSets sets(m.place.size());
  for (const ElementNodes& e : m.elements.nodes)
    for (const CellMesh::Corner k : e) sets.join(e[0], k);
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
  if (s[m.elements.flat ? 2 : 1] > least) return;
  throw Error(
      ExitCode::bad_input,
      fmt::format("the held points of '{}' let it turn, which is no mode; hold {}, or none", m.name,
                  m.elements.flat ? "two points" : "three points that are not in line"));
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
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](std::size_t i, std::size_t j, const Mat3<double>& k, double sign) {
    if (first[i] < 0 || first[j] < 0) return;
    const double scale = sign / std::sqrt(m.mass[i] * m.mass[j]);
    for (int a = 0; a < m.axes(); ++a)
      for (int b = 0; b < m.axes(); ++b)
        entries.emplace_back(first[i] + a, first[j] + b, scale * k.row[a][b]);
  };
  for (std::size_t e = 0; e < m.elements.nodes.size(); ++e) {
    const ElementNodes& nodes = m.elements.nodes[e];
    const auto both = [&](std::size_t n, std::size_t l, const Mat3<double>& k) {
      const auto i = std::size_t(nodes[n]), j = std::size_t(nodes[l]);
      const Mat3<double> back = transposed(k);
      add(i, j, k, 1), add(i, i, k, -1), add(j, i, back, 1), add(j, j, back, -1);
    };
    for_stiffness(nodes, m.elements.rest[e], lame, both);
  }
  Sparse K(unknowns, unknowns);
  K.setFromTriplets(entries.begin(), entries.end());
  return K;
}

// The rigid motions of a free mesh times M^1/2, orthonormal.
MatrixXd rigid_modes(const RestMesh& m, Index unknowns) {
  if (!m.free()) return MatrixXd(unknowns, 0);
  const int n = m.elements.flat ? 3 : 6, axes = m.axes();
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
        way = cross(m.elements.flat ? Vec3d{{0, 0, 1}}
                                    : Vec3d{{double(c == 3), double(c == 4), double(c == 5)}},
                    x);
      for (int a = 0; a < axes; ++a) R(Index(k) * axes + a, c) = std::sqrt(m.mass[k]) * way[a];
    }
  }
  // Gram-Schmidt; the second pass takes away what the first one rounded.
  for (int c = 0; c < n; ++c) {
    for (int k = 0; k < 2 * c; ++k) {
      const auto other = R.col(k % c);
      R.col(c) -= other.dot(R.col(c)) * other;
    }
    R.col(c).normalize();
  }
  return R;
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

// The slope of the modes by the barycentric coordinate of corner k, at node n (fem/element.h).
MatrixXd slope_at_node(const ElementNodes& e, const MatrixXd& phi, std::size_t n, std::size_t k) {
  const auto at = [&](std::size_t node) { return phi.middleRows(3 * Index(e[node]), 3); };
  if (e.size() == 4) return at(k);
  const auto coordinate = [&](std::size_t corner) {
    if (n < 4) return n == corner ? 1. : 0.;
    const int pair = int(n) - 4, own = int(corner);
    return fem::pair_of(pair, 0) == own || fem::pair_of(pair, 1) == own ? 0.5 : 0.;
  };
  MatrixXd slope = (4 * coordinate(k) - 1) * at(k);
  for (std::size_t p = 0; p < 6; ++p) {
    const auto i = std::size_t(fem::pair_of(int(p), 0)), j = std::size_t(fem::pair_of(int(p), 1));
    if ((i == k || j == k) && has_node(e, 4 + p))
      slope += 4 * coordinate(i == k ? j : i) * at(4 + p);
  }
  return slope;
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
  m.elements = rest_elements(world, mesh);
  check_pieces(m), check_hold(m);
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
  for (std::size_t e = 0; e < m.elements.nodes.size(); ++e) {
    const ElementNodes& nodes = m.elements.nodes[e];
    const fem::ElementRest<double>& rest = m.elements.rest[e];
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (!has_node(nodes, n)) continue;
      curl.setZero();
      for (std::size_t k = 0; k < corner_count(nodes); ++k) {
        const MatrixXd way = slope_at_node(nodes, phi, n, k);
        const VecT<double, 3> g = k > 0 ? rest.g[k - 1] : -1. * (rest.g[0] + rest.g[1] + rest.g[2]);
        for (int a = 0; a < 3; ++a) {
          const int b = (a + 1) % 3, c = (a + 2) % 3;
          curl.row(a) += g[b] * way.row(c) - g[c] * way.row(b);
        }
      }
      const auto p = std::size_t(nodes[n]);
      turns.middleRows(3 * Index(p), 3) += rest.volume / 2 * curl;
      volume[p] += rest.volume;
    }
  }
  for (std::size_t p = 0; p < volume.size(); ++p) turns.middleRows(3 * Index(p), 3) /= volume[p];
  return turns;
}

}  // namespace rtsim
