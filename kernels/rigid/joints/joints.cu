#include "rigid/joints/joints.h"

#include "exec/parallel.h"
#include "rigid/joints/each_island.h"
#include "rigid/joints/joint.h"
#include "rigid/joints/joint_fast_rotation.h"
#include "rigid/joints/joint_island.h"

namespace rtsim::rigid {

namespace {

template <int D>
struct WeighNode {
  Island<D> all;
  RTSIM_HD void operator()(Index k) const {
    Island<D> i = all;
    if (i.s.nodes[k].body >= 0) i.weigh(k);
  }
};

template <int D>
struct PrepareJoint {
  JointSystem<D> s;
  Bodies<D> bodies;
  const Row4* solver_bodies;
  RTSIM_HD void operator()(Index k) const {
    const Joint<D>& j = s.joints[k];
    const JointPose<D> pose(j, place_of(bodies, s.rest, solver_bodies, j.a),
                            place_of(bodies, s.rest, solver_bodies, j.b));
    prepare(s, k, pose);
  }
};

template <int D>
struct LoadIsland {
  Island<D> all;
  double h;
  RTSIM_HD void operator()(Index island) const {
    Island<D> i = all;
    i.find(island);
    i.load(h);
  }
};

template <int D>
struct WarmStart {
  Island<D> all;
  RTSIM_HD void operator()(Index island) const {
    Island<D> i = all;
    if (!i.open(island)) return;
    // GeometricStiffness resists what the solve changes, so that must be all: tense joints start
    // from nothing.
    if (i.has_geometric_stiffness()) return i.forget();
    i.recall();
    i.apply_impulses(), i.store();
  }
};

template <int D>
struct Solve {
  Island<D> all;
  JointSolve how;
  RTSIM_HD void operator()(Index island) const {
    Island<D> i = all;
    if (!i.open(island) || (!how.relax && i.carried())) return;
    const bool undriven = i.s.undriven[island] != 0;
    if (how.last) {
      if (i.pushed || i.s.answered_again[island]) i.find_places(island, how, undriven);
    } else if (!how.again || i.pushed) {
      i.answer_all(how, undriven);
      i.store();
      i.s.answered_again[island] = 1;
    }
  }
};

template <int D>
struct CollectLoads {
  JointSystem<D> s;
  double dt;
  bool first;
  JointLoads<D> loads;
  RTSIM_HD void operator()(Index k) const {
    JointImpulse<D> sum;
    if (!first) sum = {loads.force[k], loads.torque[k], loads.drive[k]};
    for (int r = 0; r < freedoms<D>; ++r)
      add(s.equations[freedoms<D> * k + r], s.arms[k], s.impulse[k][r] / dt, sum);
    JointImpulse<D>& flown = s.rattle_impulse[k];
    sum.force = sum.force + (1 / dt) * flown.force;
    sum.torque = sum.torque + (1 / dt) * flown.torque;
    sum.drive = sum.drive + (1 / dt) * flown.drive;
    flown = {};
    loads.force[k] = sum.force, loads.torque[k] = sum.torque, loads.drive[k] = sum.drive;
  }
};

template <int D>
struct PlaceJoint {
  JointSystem<D> s;
  Bodies<D> bodies;
  Span<VecT<double, D>> out;
  RTSIM_HD void operator()(Index k) const {
    const Index b = s.joints[k].b;
    out[k] = wide(bodies.position[b]) + wide(s.rest[b]) + s.arms[k].b;
  }
};

template <int D>
struct Figures {
  JointSystem<D> s;
  RTSIM_HD JointFigures operator()(Index k) const {
    JointFigures f;
    for (int r = 0; r < freedoms<D>; ++r) {
      const JointRow<D>& row = s.equations[freedoms<D> * k + r];
      if (row.mode == JointRow<D>::stiff)
        f.gap += dot(row.along, row.along) * row.value * row.value;
      if (row.mode != JointRow<D>::driven) continue;
      const Drive& d = s.joints[k].drive[row.drive];
      if (d.kind == DriveKind::spring) f.energy += energy_of(d, row.value);
    }
    f.gap = std::sqrt(f.gap);
    return f;
  }
};

struct Gather {
  RTSIM_HD JointFigures operator()(const JointFigures& a, const JointFigures& b) const {
    return {a.gap < b.gap ? b.gap : a.gap, a.energy + b.energy};
  }
};

}  // namespace

template <int D>
void prepare_joints(const Exec& ex, const JointSystem<D>& s, double h, const Bodies<D>& bodies,
                    const Row4* solver_bodies) {
  parallel_for(ex, "rigid.joint_weights", s.nodes.size,
               WeighNode<D>{{s, bodies, nullptr, nullptr}});
  parallel_for(ex, "rigid.joint_rows", s.joints.size, PrepareJoint<D>{s, bodies, solver_bodies});
  each_island(ex, "rigid.joint_geometric_stiffness", islands(s),
              LoadIsland<D>{{s, bodies, nullptr, nullptr}, h});
}

template <int D>
void warm_start_joints(const Exec& ex, const JointSystem<D>& s, const Bodies<D>& bodies,
                       Span<Push<D>> pushes, Span<Row4> solver_bodies) {
  each_island(ex, "rigid.joint_start", islands(s),
              WarmStart<D>{{s, bodies, pushes.data, solver_bodies.data}});
}

template <int D>
void solve_joints(const Exec& ex, const JointSystem<D>& s, const JointSolve& how,
                  const Bodies<D>& bodies, Span<Push<D>> pushes, Span<Row4> solver_bodies) {
  each_island(ex, "rigid.joints", islands(s),
              Solve<D>{{s, bodies, pushes.data, solver_bodies.data}, how});
}

template <int D>
void joint_loads(const Exec& ex, const JointSystem<D>& s, double dt, bool first,
                 const JointLoads<D>& loads) {
  parallel_for(ex, "rigid.joint_loads", s.joints.size, CollectLoads<D>{s, dt, first, loads});
}

template <int D>
void joint_places(const Exec& ex, const JointSystem<D>& s, const Bodies<D>& bodies,
                  Span<VecT<double, D>> out) {
  parallel_for(ex, "rigid.joint_places", s.joints.size, PlaceJoint<D>{s, bodies, out});
}

template <int D>
JointFigures joint_figures(const Exec& ex, const JointSystem<D>& s) {
  return reduce(ex, "rigid.joint_figures", s.joints.size, JointFigures{}, Figures<D>{s}, Gather{});
}

template <int D>
void move_joints(const Exec& ex, const JointSystem<D>& s, const JointSolve& how, const Kick& k,
                 const Bodies<D>& bodies, const Loads<D>& loads, Span<Push<D>> pushes,
                 Span<Row4> solver_bodies) {
  each_island(ex, "rigid.joint_fast_rotation", islands(s),
              FastRotation<D>{{{s, bodies, pushes.data, solver_bodies.data}, k, loads}, how});
}

#define RTSIM_INSTANTIATE(D)                                                                       \
  template void prepare_joints<D>(const Exec&, const JointSystem<D>&, double, const Bodies<D>&,    \
                                  const Row4*);                                                    \
  template void warm_start_joints<D>(const Exec&, const JointSystem<D>&, const Bodies<D>&,         \
                                     Span<Push<D>>, Span<Row4>);                                   \
  template void solve_joints<D>(const Exec&, const JointSystem<D>&, const JointSolve&,             \
                                const Bodies<D>&, Span<Push<D>>, Span<Row4>);                      \
  template void joint_loads<D>(const Exec&, const JointSystem<D>&, double, bool,                   \
                               const JointLoads<D>&);                                              \
  template void joint_places<D>(const Exec&, const JointSystem<D>&, const Bodies<D>&,              \
                                Span<VecT<double, D>>);                                            \
  template JointFigures joint_figures<D>(const Exec&, const JointSystem<D>&);                      \
  template void move_joints<D>(const Exec&, const JointSystem<D>&, const JointSolve&, const Kick&, \
                               const Bodies<D>&, const Loads<D>&, Span<Push<D>>, Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
