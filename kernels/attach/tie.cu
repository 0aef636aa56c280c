#include "attach/tie.h"

#include "exec/parallel.h"

namespace rtsim::attach {

namespace {

struct TakeShare {
  rigid::Bodies<3> bodies;
  Index body;
  Tied k;
  TiedMesh mesh;
  RTSIM_HD void operator()(Index e) const {
    const Index i = k.rows[e];
    k.lost[e] = {}, k.own[e] = 0;
    if (!(mesh.inverse_mass[i] > 0)) return;
    const Real m = mesh.mass[i];
    k.own[e] = m;
    k.arm[e] = turned(bodies.orientation[body], k.local[e]);
    k.velocity[e] = bodies.velocity[body] + rigid::turning(bodies.angular_velocity[body], k.arm[e]);
    k.lost[e] = double(m) * (widen(mesh.velocity[i]) - widen(k.velocity[e]));
    mesh.position[i] = bodies.position[body] + k.arm[e];
    mesh.velocity[i] = k.velocity[e];
    mesh.mass[i] = m + k.share[e];
    mesh.inverse_mass[i] = 1 / mesh.mass[i];
  }
};

struct GiveBack {
  Real dt;
  Vec<3> gravity;
  Tied k;
  TiedMesh mesh;
  RTSIM_HD Load operator()(Index e) const {
    const Index i = k.rows[e];
    k.pull[e] = {};
    if (!(k.own[e] > 0)) return {};
    const Vec3d fallen = double(dt) * widen(gravity),
                change = widen(mesh.velocity[i]) - widen(k.velocity[e]) - fallen;
    const double s = double(mesh.mass[i]) - double(k.own[e]);
    k.pull[e] = (1 / double(dt)) * (s * change + k.lost[e]);
    mesh.mass[i] = k.own[e], mesh.inverse_mass[i] = 1 / k.own[e];
    return {k.pull[e], cross(widen(k.arm[e]), k.pull[e])};
  }
};
struct AddLoads {
  RTSIM_HD Load operator()(const Load& a, const Load& b) const {
    return {a.force + b.force, a.torque + b.torque};
  }
};

}  // namespace

void take(const Exec& ex, const rigid::Bodies<3>& bodies, Index body, const Tied& k,
          const TiedMesh& mesh) {
  parallel_for(ex, "attach.take_share", k.rows.size, TakeShare{bodies, body, k, mesh});
}

Load give(const Exec& ex, Real dt, const Vec<3>& gravity, const Tied& k, const TiedMesh& mesh) {
  return reduce(ex, "attach.give_back", k.rows.size, Load{}, GiveBack{dt, gravity, k, mesh},
                AddLoads{});
}

}  // namespace rtsim::attach
