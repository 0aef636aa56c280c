#include "grids/flow_bodies.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rtsim {

namespace {

// The terms of both by cells; of each cell the bodies come first.
void append(std::vector<poisson::BodyTerm>& terms, const std::vector<poisson::BodyTerm>& more,
            Index first) {
  for (poisson::BodyTerm t : more) t.body += first, terms.push_back(t);
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return std::tie(a.cell, a.body) < std::tie(b.cell, b.body);
  });
}

// Places in `terms` by bodies, which keep the order of cells, and where those of each begin.
void sort_by_bodies(const std::vector<poisson::BodyTerm>& terms, std::size_t bodies,
                    std::vector<Index>& places, std::vector<Index>& first) {
  first.assign(bodies + 1, 0);
  for (const poisson::BodyTerm& t : terms) ++first[std::size_t(t.body) + 1];
  for (std::size_t b = 0; b < bodies; ++b) first[b + 1] += first[b];
  std::vector<Index> next(first.begin(), first.end() - 1);
  places.resize(terms.size());
  for (std::size_t e = 0; e < terms.size(); ++e)
    places[std::size_t(next[std::size_t(terms[e].body)]++)] = Index(e);
}

// What a body moves into another solid there is no cell for: a film of fluid, which all cells
// beside the body feed alike. So its flows add up to nothing, and the constant that the pressure of
// a closed region is known up to does not push it. Returns what each cell feeds.
std::vector<poisson::Screw> feed_films(std::vector<poisson::BodyTerm>& terms, std::size_t bodies) {
  std::vector<poisson::Screw> film(bodies);
  std::vector<double> cells(bodies, 0);
  for (const poisson::BodyTerm& t : terms) {
    if (t.cell >= 0) ++cells[std::size_t(t.body)];
    for (int i = 0; i < 6 && t.cell < 0; ++i) film[std::size_t(t.body)].v[i] += double(t.flow[i]);
  }
  for (std::size_t b = 0; b < bodies; ++b)
    for (double& f : film[b].v) f = cells[b] > 0 ? f / cells[b] : 0;
  std::erase_if(terms, [](const poisson::BodyTerm& t) { return t.cell < 0; });
  for (poisson::BodyTerm& t : terms)
    for (int i = 0; i < 6; ++i) t.flow[i] += Real(film[std::size_t(t.body)].v[i]);
  return film;
}

}  // namespace

FlowBodies::FlowBodies(const Exec& ex, const GridShape& shape, double rest_density)
    : spacing_(shape.spacing),
      density_(rest_density),
      terms_(ex),
      first_of_cell_(ex),
      of_body_(ex),
      first_of_body_(ex),
      body_of_(ex),
      mobility_(ex),
      lift_there_(ex) {}

void FlowBodies::find_terms(const Exec& ex, const mac::Domain& domain, const mac::Walls& walls,
                            const mac::SolidNodes& nodes, const BodyMotions& motions,
                            const Solids& solids, const PointTerms& points, const Vec3d& gravity) {
  dims_ = domain.dims;
  std::vector<Index> body_of(solids.members().size(), -1);
  std::vector<poisson::InverseMassMatrix> mobility;
  for (const BodyMotions::Body& b : motions.bodies()) {
    body_of[b.member] = Index(mobility.size());
    const double scale = b.yields ? density_ * std::pow(spacing_, dims_) : 0;
    poisson::InverseMassMatrix m;
    for (double& along : m.mass) along = scale * b.inverse_mass;
    for (int i = 0; i < 6; ++i) m.inertia[i] = scale * b.inverse_inertia[i];
    mobility.push_back(m);
  }
  body_of_.upload(body_of);
  std::vector<poisson::BodyTerm> terms;
  if (!mobility.empty()) terms = mac::body_terms(ex, domain, walls, nodes, body_of_.span());
  film_ = feed_films(terms, mobility.size());
  // The pressure rho g . (x - x_b) that stands in the fluid at rest, about the body's centre x_b.
  lift_.assign(mobility.size(), {});
  const bool lifts = norm(gravity) > 0;
  for (const poisson::BodyTerm& t : terms) {
    if (!lifts) break;
    const std::size_t member = motions.bodies()[std::size_t(t.body)].member;
    Vec3d x{{double(t.cell % domain.cells[0]), double(t.cell / domain.cells[0] % domain.cells[1]),
             double(t.cell / domain.cells[0] / domain.cells[1])}};
    double p = 0;
    for (int a = 0; a < dims_; ++a)
      p += density_ * gravity[a] *
           (nodes.first[a] + (x[a] + 0.5) * spacing_ - solids.centre(member)[a]);
    for (int i = 0; i < 6; ++i) lift_[std::size_t(t.body)].v[i] += p * double(t.flow[i]);
  }
  const Index bodies = Index(mobility.size());
  first_one_sided_ = bodies + points.first_one_sided;
  if (!points.terms.empty()) append(terms, points.terms, bodies);
  mobility.insert(mobility.end(), points.mobility.begin(), points.mobility.end());
  lift_.insert(lift_.end(), points.lift.begin(), points.lift.end());
  mobility_.upload(mobility), lift_there_.upload(lift_);
  std::vector<Index> first_of_cell, of_body, first_of_body;
  for (std::size_t e = 0; e < terms.size(); ++e)
    if (e == 0 || terms[e].cell != terms[e - 1].cell) first_of_cell.push_back(Index(e));
  first_of_cell.push_back(Index(terms.size()));
  sort_by_bodies(terms, mobility.size(), of_body, first_of_body);
  terms_.upload(terms), first_of_cell_.upload(first_of_cell);
  of_body_.upload(of_body), first_of_body_.upload(first_of_body);
}

poisson::BodyTerms FlowBodies::terms() const {
  poisson::BodyTerms t;
  t.terms = terms_.span(), t.first_of_cell = first_of_cell_.span();
  t.of_body = of_body_.span(), t.first_of_body = first_of_body_.span();
  t.mobility = mobility_.span(), t.left_out = lift_there_.span();
  t.first_one_sided = first_one_sided_;
  return t;
}

void FlowBodies::add_film(const Exec& ex, const BodyMotions& motions, double factor,
                          Span<Real> divergence) const {
  std::vector<double> flow;
  for (std::size_t b = 0; b < film_.size(); ++b) {
    const SolidMotion& m = motions.motions()[motions.bodies()[b].member];
    const double* f = film_[b].v;
    flow.push_back(
        factor / spacing_ *
        (dot(m.velocity, Vec3d{{f[0], f[1], f[2]}}) + dot(m.angular, Vec3d{{f[3], f[4], f[5]}})));
  }
  flow.resize(mobility_.size(), 0);
  const Buffer<double> there(ex, flow);
  poisson::add_of_bodies(ex, terms(), there.span(), divergence);
}

void FlowBodies::push(BodyMotions& motions, const Solids& solids, double h,
                      const std::vector<poisson::Screw>& pushes,
                      const std::vector<mac::Wrench>& friction) const {
  const double impulse = h * std::pow(spacing_, dims_ - 1);
  for (std::size_t b = 0; b < motions.bodies().size(); ++b) {
    const poisson::Screw all = pushes[b] + lift_[b];
    const double* p = all.v;
    motions.push(b, impulse * Vec3d{{p[0], p[1], p[2]}}, impulse * Vec3d{{p[3], p[4], p[5]}});
    if (friction.empty()) continue;
    const std::size_t member = motions.bodies()[b].member;
    const mac::Wrench& w = friction[member];
    const Vec3d f{{w.force[0], w.force[1], w.force[2]}};
    const Vec3d about{{w.torque[0], w.torque[1], w.torque[2]}};
    motions.push(b, h * f, h * (about - cross(solids.centre(member), f)));
  }
}

}  // namespace rtsim
