#include "grids/flow_meshes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "bodies/fluid_push.h"
#include "meshes/adjacency.h"

namespace rtsim {

FlowMeshes::FlowMeshes(World& world, const std::string& fluid, const MeshWalls& walls,
                       const GridShape& shape, double rest_density, bool yields)
    : fluid_(fluid),
      meshes_(walls.meshes()),
      shape_(shape),
      density_(rest_density),
      cell_(std::pow(shape.spacing, 3)),
      sheets_(!std::ranges::all_of(meshes_, &MeshWalls::Mesh::solid)) {
  for (const MeshWalls::Mesh& m : meshes_) {
    const auto push = FluidPush<3>::make(world, m.name, fluid);
    if (yields) push.offer_strong(world, 0);
  }
}

void FlowMeshes::begin(World& world, double dt) {
  position_.clear(), velocity_.clear(), acceleration_.clear(), inverse_mass_.clear();
  const Vec3d g{{world.gravity[0], world.gravity[1], world.gravity[2]}};
  for (const MeshWalls::Mesh& m : meshes_) {
    Table& t = world.table(m.name);
    const auto x = t.download<Vec<3>>("position"), v = t.download<Vec<3>>("velocity");
    const auto w = t.download<Real>("inverse_mass");
    const auto push = FluidPush<3>::find(world, m.name, fluid_);
    const bool yields = push->strong(world);
    FluidPush<3>::Motion other;
    if (yields) other = push->other_accelerations(world, dt);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool free = yields && w[i] > 0;
      position_.push_back(widen(x[i])), velocity_.push_back(widen(v[i]));
      acceleration_.push_back(free ? g + widen(other.velocity[i]) : Vec3d{});
      inverse_mass_.push_back(free ? double(w[i]) : 0);
    }
  }
  impulse_.assign(position_.size(), {}), came_ = velocity_;
}

double FlowMeshes::greatest_speed() const {
  double speed = 0;
  for (const Vec3d& v : velocity_) speed = std::max(speed, norm(v));
  return speed;
}

void FlowMeshes::fall(double h) {
  for (std::size_t i = 0; i < velocity_.size(); ++i)
    velocity_[i] = velocity_[i] + h * acceleration_[i];
}

void FlowMeshes::go(double h) {
  for (std::size_t i = 0; i < position_.size(); ++i) position_[i] = position_[i] + h * velocity_[i];
}

void FlowMeshes::go_as_surfaces(World& world, double h) {
  std::vector<Vec3d> normal(position_.size());  // of sheets, of any length
  for (const MeshWalls::Mesh& m : meshes_) {
    if (m.solid) continue;
    for (const auto& t : intact_of<3>(world, triangle_table(m.name))) {
      const auto at = [&](int k) { return position_[std::size_t(m.first + t[std::size_t(k)])]; };
      const Vec3d n = cross(at(1) - at(0), at(2) - at(0));
      for (const auto k : t)
        normal[std::size_t(m.first + k)] = normal[std::size_t(m.first + k)] + n;
    }
  }
  for (std::size_t i = 0; i < position_.size(); ++i) {
    const double n2 = dot(normal[i], normal[i]);
    const Vec3d changed = velocity_[i] - came_[i];
    position_[i] = position_[i] + h * (n2 > 0 ? came_[i] + dot(changed, normal[i]) / n2 * normal[i]
                                              : velocity_[i]);
  }
}

static std::vector<double> read(const Exec& ex, const MeshWalls& walls, const mac::Velocity& from) {
  std::vector<mac::FaceValue> there;
  for (const MeshFace& f : walls.faces()) there.push_back({f.axis, f.row, 0});
  Buffer<mac::FaceValue> buffer(ex, std::span<const mac::FaceValue>(there));
  mac::read_faces(ex, {from.u[0], from.u[1], from.u[2]}, buffer.span());
  std::vector<double> values;
  for (const mac::FaceValue& v : buffer.download()) values.push_back(double(v.value));
  return values;
}

// A sheet between a cell and none with an open face is a wall that moves as it does.
static bool felt(const MeshFace& f) {
  return f.of_sheet ? f.low >= 0 && f.high >= 0 : f.low >= 0 || f.high >= 0;
}

void FlowMeshes::carry(const MeshWalls& walls) {
  mass_.clear();
  for (const MeshFace& f : walls.faces())
    mass_.push_back(f.of_sheet ? density_ * cell_ * f.share : 0);
}

void FlowMeshes::carry(const Exec& ex, const MeshWalls& walls, double unit,
                       const mac::Velocity& on_faces) {
  mass_.assign(walls.faces().size(), 0);
  if (!sheets_) return;
  mass_ = read(ex, walls, on_faces);
  for (std::size_t k = 0; k < mass_.size(); ++k) {
    const MeshFace& f = walls.faces()[k];
    mass_[k] *= f.of_sheet ? unit * f.share : 0;
  }
}

// f(number of the face, face, its axis, point, number of the point's terms)
template <class F>
void FlowMeshes::for_each_point(const MeshWalls& walls, const F& f) const {
  for (std::size_t k = 0; k < walls.faces().size(); ++k) {
    const MeshFace& face = walls.faces()[k];
    if (!felt(face)) continue;
    for (const MeshFace::Point& p : face.points)
      f(k, face, int(face.axis), p, term_of_[std::size_t(p.point)]);
  }
}

PointTerms FlowMeshes::find_terms(const mac::Domain& domain, const MeshWalls& walls,
                                  const Vec3d& gravity) {
  // Points of sheets first.
  term_of_.assign(position_.size(), -1), point_of_.clear();
  PointTerms out;
  for (const bool sheets : {true, false}) {
    std::vector<Index> points;
    for (const MeshFace& f : walls.faces())
      if (felt(f) && f.of_sheet == sheets)
        for (const MeshFace::Point& p : f.points) points.push_back(p.point);
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (!sheets) out.first_one_sided = Index(point_of_.size());
    for (const Index p : points)
      term_of_[std::size_t(p)] = Index(point_of_.size()), point_of_.push_back(p);
  }
  carried_.assign(point_of_.size(), {}), lift_.assign(point_of_.size(), {});
  std::vector<Vec3d> middle(position_.size());  // of the mesh of each point
  for (const MeshWalls::Mesh& m : meshes_) {
    Vec3d sum;
    for (Index i = m.first; i < m.points_end(); ++i) sum = sum + position_[std::size_t(i)];
    for (Index i = m.first; i < m.points_end(); ++i)
      middle[std::size_t(i)] = 1 / double(m.count) * sum;
  }
  for_each_point(walls, [&](std::size_t k, const MeshFace& f, int axis, const auto& q, Index n) {
    carried_[std::size_t(n)][axis] += q.weight * mass_[k];
    for (const bool high : {false, true}) {
      const Index cell = high ? f.high : f.low;
      if (cell < 0) continue;
      poisson::BodyTerm t{cell, n, {}};
      t.flow[axis] = Real((high ? -1 : 1) * q.weight * f.share);
      if (f.of_sheet) {
        out.terms.push_back(t);
        continue;
      }
      // The pressure rho g . (x - x_m) of the fluid at rest, about the middle of the mesh.
      const Vec3d x = shape_.centre(cell) - middle[std::size_t(q.point)];
      double p = 0;
      for (int a = 0; a < 3; ++a) {
        const double period = domain.periodic(a) ? domain.cells[a] * shape_.spacing : 0;
        p += density_ * gravity[a] * (period > 0 ? std::remainder(x[a], period) : x[a]);
      }
      lift_[std::size_t(n)].v[axis] += p * double(t.flow[axis]);
      out.terms.push_back(t);
    }
  });
  for (std::size_t n = 0; n < point_of_.size(); ++n) {
    poisson::InverseMassMatrix m;
    const double inverse = inverse_mass_[std::size_t(point_of_[n])];
    for (int a = 0; a < 3; ++a)
      m.mass[a] = density_ * cell_ * inverse / (1 + inverse * carried_[n][a]);
    out.mobility.push_back(m);
  }
  out.lift = lift_;
  return out;
}

void FlowMeshes::join(const Exec& ex, const MeshWalls& walls, const mac::Velocity& velocity) {
  if (!sheets_) return;
  joined_ = read(ex, walls, velocity);
  std::vector<Vec3d> momentum(point_of_.size());  // of the fluid
  for_each_point(walls, [&](std::size_t k, const MeshFace&, int axis, const auto& q, Index n) {
    momentum[std::size_t(n)][axis] += q.weight * mass_[k] * joined_[k];
  });
  for (std::size_t n = 0; n < point_of_.size(); ++n) {
    const auto i = std::size_t(point_of_[n]);
    for (int a = 0; a < 3 && inverse_mass_[i] > 0; ++a)
      velocity_[i][a] = (velocity_[i][a] + inverse_mass_[i] * momentum[n][a]) /
                        (1 + inverse_mass_[i] * carried_[n][a]);
  }
}

// To a point goes what the pressure gives and what the fluid that goes with it loses.
void FlowMeshes::push(const MeshWalls& walls, double h, const poisson::Screw* pushes) {
  const double impulse = h * std::pow(shape_.spacing, 2);
  for (std::size_t n = 0; n < point_of_.size(); ++n) {
    const auto i = std::size_t(point_of_[n]);
    const poisson::Screw all = pushes[n] + lift_[n];
    for (int a = 0; a < 3; ++a) {
      const double given = impulse * all.v[a];
      impulse_[i][a] += given;
      velocity_[i][a] += inverse_mass_[i] * given / (1 + inverse_mass_[i] * carried_[n][a]);
    }
  }
  if (joined_.empty()) return;  // no sheets
  std::vector<double> now(walls.faces().size(), 0);
  for_each_point(walls, [&](std::size_t k, const MeshFace&, int axis, const auto& q, Index) {
    now[k] += q.weight * velocity_[std::size_t(q.point)][axis];
  });
  for_each_point(walls, [&](std::size_t k, const MeshFace&, int axis, const auto& q, Index) {
    impulse_[std::size_t(q.point)][axis] += q.weight * mass_[k] * (joined_[k] - now[k]);
  });
}

double FlowMeshes::speed_at(const Hit& h) const {
  double speed = 0;
  for (int k = 0; k < 3; ++k)
    speed += h.weight[k] * dot(h.normal, velocity_[std::size_t(h.point[k])]);
  return speed;
}

// Inelastic, each point with its share w of each particle that comes nearer,
//   (m + sum w m_p n n^T) (v' - v) = sum w m_p n (n . (u_p - v)),
// so that momentum stays as it is, and energy does not grow.
void FlowMeshes::collide(double mass, std::vector<Hit>& hits) {
  struct Met {
    Vec3d rows[3], push;  // sum w m_p n n^T, sum w m_p n (n . (u_p - v))
  };
  std::map<Index, Met> met;
  std::vector<bool> nearer;
  for (const Hit& h : hits) {
    nearer.push_back(h.speed < speed_at(h));
    for (int k = 0; k < 3 && nearer.back(); ++k) {
      Met& m = met[h.point[k]];
      const Vec3d of = h.weight[k] * mass * h.normal;
      for (int a = 0; a < 3; ++a) m.rows[a] = m.rows[a] + h.normal[a] * of;
      m.push = m.push + (h.speed - dot(h.normal, velocity_[std::size_t(h.point[k])])) * of;
    }
  }
  for (auto& [point, m] : met) {
    const auto i = std::size_t(point);
    // 1 + sum w m_p n n^T / m, solved by Cramer's rule: held points have 1 / m = 0.
    Vec3d r[3];
    for (int a = 0; a < 3; ++a) r[a] = inverse_mass_[i] * m.rows[a], r[a][a] += 1;
    const Vec3d b = inverse_mass_[i] * m.push;
    const Vec3d change =
        1 / dot(r[0], cross(r[1], r[2])) *
        (b[0] * cross(r[1], r[2]) + b[1] * cross(r[2], r[0]) + b[2] * cross(r[0], r[1]));
    velocity_[i] = velocity_[i] + change;
    impulse_[i] = impulse_[i] + m.push;
    for (int a = 0; a < 3; ++a) impulse_[i][a] -= dot(m.rows[a], change);
  }
  for (std::size_t k = 0; k < hits.size(); ++k)
    if (nearer[k]) hits[k].speed = speed_at(hits[k]);
}

void FlowMeshes::measure(World& world, std::vector<Measurement>& out) const {
  for (const MeshWalls::Mesh& m : meshes_) {
    Vec3d sum;
    for (const Vec3d& f : FluidPush<3>::find(world, m.name, fluid_)->force(world)) sum = sum + f;
    for (int a = 0; a < 3; ++a) out.push_back({m.name + ".force." + "xyz"[a], sum[a], "N"});
  }
}

void FlowMeshes::hand_over(World& world, double dt) const {
  for (const MeshWalls::Mesh& m : meshes_) {
    std::vector<FluidPush<3>::Force> force;
    for (Index i = m.first; i < m.points_end(); ++i) {
      force.emplace_back();
      for (int a = 0; a < 3; ++a) force.back()[a] = impulse_[std::size_t(i)][a] / dt;
    }
    FluidPush<3>::find(world, m.name, fluid_)
        ->write(world, force, std::vector<FluidPush<3>::Torque>(force.size()));
  }
}

}  // namespace rtsim
