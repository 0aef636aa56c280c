#include "solvers/flip/viscous_bodies.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

// M of a body over rho h^D; nothing along what it is held in.
Matrix6 mass_matrix(const BodyMotions::Body& b, double mass, int dims) {
  Matrix6 m = Matrix6::Zero();
  for (int a = 0; a < dims; ++a) m(a, a) = b.inverse_mass > 0 ? 1 / (mass * b.inverse_mass) : 0;
  const double* i = b.inverse_inertia;
  if (dims == 2) {
    m(5, 5) = i[2] > 0 ? 1 / (mass * i[2]) : 0;
    return m;
  }
  Eigen::Matrix3d inverse;
  inverse << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  if (inverse.determinant() > 0) m.bottomRightCorner<3, 3>() = inverse.inverse() / mass;
  return m;
}

}  // namespace

ViscousBodies::ViscousBodies(const Exec& ex)
    : ex_(ex),
      faces_(ex),
      entries_(ex),
      first_(ex),
      solid_of_body_(ex),
      motion_(ex),
      sums_(ex),
      blocks_(ex),
      moved_(ex) {}

void ViscousBodies::find(flip::ViscousFlow& flow, const mac::SolidNodes& nodes,
                         const BodyMotions& motions, const Solids& solids,
                         const poisson::BodyTerms& terms, double mass, Span<const Real> diagonal,
                         Span<const flip::EntrySlot> entries) {
  mass_ = mass;
  std::vector<Index> solid_of_body;
  for (const BodyMotions::Body& b : motions.bodies()) solid_of_body.push_back(Index(b.member));
  solid_of_body_.upload(solid_of_body);
  faces_.resize(std::size_t(flow.in_solids.size));
  flip::find_solid_faces(ex_, flow, nodes, faces_.span());
  sort_entries(solids.members().size(), terms, solid_of_body);
  find_bodies(flow, motions, mass, diagonal, entries);
  if (!yield_) return;
  moved_.resize(std::size_t(flow.domain.rows(mac::centres)));
  moved_.zero();
  flow.moved = moved_.data();
}

void ViscousBodies::sort_entries(std::size_t solids, const poisson::BodyTerms& terms,
                                 const std::vector<Index>& solid_of_body) {
  std::vector<std::vector<Index>> of(solids);
  const std::vector<flip::SolidFace> faces = faces_.download();
  for (std::size_t f = 0; f < faces.size(); ++f)
    of[std::size_t(faces[f].solid)].push_back(Index(f));
  std::vector<poisson::BodyTerm> of_bodies(std::size_t(terms.terms.size));
  ex_.download(of_bodies.data(), terms.terms.data, of_bodies.size() * sizeof of_bodies[0]);
  for (std::size_t t = 0; t < of_bodies.size(); ++t)
    of[std::size_t(solid_of_body[std::size_t(of_bodies[t].body)])].push_back(
        Index(faces.size() + t));
  std::vector<Index> entries, first{0};
  for (const std::vector<Index>& own : of) {
    entries.insert(entries.end(), own.begin(), own.end());
    first.push_back(Index(entries.size()));
  }
  entries_.upload(entries), first_.upload(first);
  sums_.resize(solids), blocks_.resize(solids);
  rows_ = {faces_.span(), terms, entries_.span(), first_.span()};
}

void ViscousBodies::find_bodies(const flip::ViscousFlow& flow, const BodyMotions& motions,
                                double mass, Span<const Real> diagonal,
                                Span<const flip::EntrySlot> entries) {
  bodies_.clear();
  for (const BodyMotions::Body& b : motions.bodies())
    if (b.yields && b.inverse_mass > 0)
      bodies_.push_back({b.member, mass_matrix(b, mass, flow.domain.dims)});
  yield_ = !bodies_.empty();
  if (!yield_) return;
  flip::own_blocks(ex_, flow, rows_, diagonal, entries, blocks_.span());
  const std::vector<flip::Block> blocks = blocks_.download();
  for (Body& b : bodies_) {
    Matrix6 own = b.mass;
    const double* a = blocks[b.solid].a;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j, ++a) own(i, j) += *a, own(j, i) = own(i, j);
    // What it is held in has no mass, and stays as it is.
    for (int i = 0; i < 6; ++i)
      if (!(b.mass(i, i) > 0)) own.row(i).setZero(), own.col(i).setZero(), own(i, i) = 1;
    b.inverse = rtsim::inverse(own);
    for (int i = 0; i < 6; ++i)
      if (!(b.mass(i, i) > 0)) b.inverse(i, i) = 0;
  }
}

std::vector<poisson::Screw> ViscousBodies::sums(const flip::ViscousFlow& flow, const Real* value,
                                                double sign) {
  flip::sum_rows(ex_, flow, rows_, {value, flow.rows()}, sign, sums_.span());
  return sums_.download();
}

flip::CgSums ViscousBodies::rates() const {
  flip::CgSums s;
  for (const Body& b : bodies_) {
    s.rz += b.r.dot(b.inverse * b.r);
    // As fast as the whole of the body were to go with that energy.
    double energy = 0;
    for (int i = 0; i < 6; ++i) energy += b.mass(i, i) > 0 ? b.r[i] * b.r[i] / b.mass(i, i) : 0;
    s.greatest = std::max(s.greatest, Real(std::sqrt(energy / b.mass(0, 0))));
  }
  return s;
}

flip::CgSums ViscousBodies::find_residual(const flip::ViscousFlow& flow, Span<const Real> u,
                                          Span<const Real> pressure, const flip::Solution& x) {
  flip::stress_of_velocity(ex_, flow, rows_, u, pressure);
  const std::vector<poisson::Screw> all = sums(flow, x.r, -1);
  for (Body& b : bodies_) {
    b.r = Eigen::Map<const Vector6>(all[b.solid].v) - b.mass * b.change;
    b.p = b.inverse * b.r;
  }
  return rates();
}

void ViscousBodies::spread(const flip::ViscousFlow& flow, const flip::Solution& x) {
  spread(flow, x, &Body::p);
}
void ViscousBodies::go(const flip::ViscousFlow& flow, const flip::Solution& x) {
  spread(flow, x, &Body::change);
}
void ViscousBodies::spread(const flip::ViscousFlow& flow, const flip::Solution& x,
                           Vector6 Body::*motion) {
  std::vector<poisson::Screw> of(sums_.size());
  for (const Body& b : bodies_) Eigen::Map<Vector6>(of[b.solid].v) = b.*motion;
  motion_.upload(of);
  flip::spread(ex_, flow, rows_, motion_.span(), solid_of_body_.span(), x, moved_.span());
}

double ViscousBodies::multiply(const flip::ViscousFlow& flow, const flip::Solution& x) {
  flip::stress_of_change(ex_, flow, rows_, x);
  const std::vector<poisson::Screw> all = sums(flow, x.q, 1);
  double pq = 0;
  for (Body& b : bodies_) {
    b.q = Eigen::Map<const Vector6>(all[b.solid].v) + b.mass * b.p;
    pq += b.p.dot(b.q);
  }
  return pq;
}

flip::CgSums ViscousBodies::advance(double alpha) {
  for (Body& b : bodies_) b.change += alpha * b.p, b.r -= alpha * b.q;
  return rates();
}

void ViscousBodies::update_direction(double beta) {
  for (Body& b : bodies_) b.p = b.inverse * b.r + beta * b.p;
}

std::vector<poisson::Screw> ViscousBodies::felt(const flip::ViscousFlow& flow, Span<const Real> u,
                                                Span<const Real> pressure,
                                                const flip::Solution& x) {
  flip::stress_of_velocity(ex_, flow, rows_, u, pressure);
  std::vector<poisson::Screw> all = sums(flow, x.r, -1);
  for (const Body& b : bodies_) Eigen::Map<Vector6>(all[b.solid].v) = b.mass * b.change;
  for (poisson::Screw& s : all)
    for (double& v : s.v) v *= mass_;
  return all;
}

}  // namespace rtsim
