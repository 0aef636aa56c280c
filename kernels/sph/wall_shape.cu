#include "sph/wall_shape.h"

#include "contact/placed.h"
#include "contact/swept_point.h"
#include "exec/parallel.h"
#include "sph/swept_contact.h"

namespace rtsim::sph {

namespace {

RTSIM_HD Vec<3> velocity_at(const boundary::Pose& p, const Vec<3>& x) {
  return p.velocity + cross(p.angular_velocity, x - p.centre);
}

// A hundredth of a thickness a step is as slow as nothing else that moves rows.
constexpr Real recovery = Real(0.01);

struct Bend {
  WallShape wall;
  NearWalls near;
  Real dt;

  // The way from x, as it may be gone; whether it had to change.
  RTSIM_HD bool operator()(const Vec<3>& x, Vec<3>& way) const {
    const Vec<3> carried = velocity_at(wall.pose, x);
    const Vec<3> from = contact::to_local(wall.pose, x + wall.ahead * carried);
    const Vec<3> own = way - dt * carried;
    const Vec<3> turned_back = own[0] * wall.pose.rotation[0] + own[1] * wall.pose.rotation[1] +
                               own[2] * wall.pose.rotation[2];
    const contact::Rules rules{wall.thickness, 0, recovery * wall.thickness, false};
    const contact::Swept s =
        contact::sweep(wall.solid, rules, wall.thickness, from, from + turned_back);
    if (!s.touched) return false;
    // In a crease of two surfaces what leads out of one may lead into the other.
    const bool lost = contact::nearest(wall.solid, s.end).distance < 0 &&
                      contact::nearest(wall.solid, from).distance >= 0;
    way = dt * carried + contact::turned(wall.pose, lost ? Vec<3>{} : s.end - from);
    return true;
  }

  // Without lists the samples are looked for.
  RTSIM_HD bool sees_samples(Index i, const Vec<3>& x) const {
    if (near.places.size > 0) return near.places[i].boundary > 0;
    bool any = false;
    for_runs(near.samples.cells, x.c, x.c, near.support, [&](Index begin, Index end) {
      for (Index b = begin; b < end && !any; ++b) {
        const Vec<3> d = apart(x, near.samples.cells, b);
        any = dot(d, d) < near.support * near.support;
      }
    });
    return any;
  }

  RTSIM_HD Index nearest_sample(const Vec<3>& x) const {
    Real least = 4 * near.support * near.support;
    Index nearest = -1;
    for_runs(near.samples.cells, x.c, x.c, 2 * near.support, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        const Vec<3> d = apart(x, near.samples.cells, b);
        if (const Real r2 = dot(d, d); r2 < least) least = r2, nearest = b;
      }
    });
    return nearest;
  }

  RTSIM_HD void book(Index i, const Vec<3>& x, const Vec<3>& change) const {
    if (near.met.size == 0) return;
    const Row4 before = near.met[i] < 0 ? Row4{0, 0, 0, 0} : near.lost[i];
    near.met[i] = nearest_sample(x);
    near.lost[i] = {before.x + change[0], before.y + change[1], before.z + change[2], 0};
  }
};

template <int D>
struct KeepOut {
  Bend bend;
  Span<const Row4> rows;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> x = xyz(rows[i]), v = xyz(motion[i]);
    const Real clear = bend.near.clear;
    if (bend.dt * bend.dt * dot(v, v) < clear * clear && !bend.sees_samples(i, x)) return;
    Vec<3> way = bend.dt * v;
    if (!bend(x, way)) return;
    const Vec<3> u = 1 / bend.dt * way;
    motion[i] = {u[0], u[1], D == 3 ? u[2] : Real(0), motion[i].w};
    bend.book(i, x, v - u);
  }
};

template <int D>
struct KeepShiftOut {
  Bend bend;
  Span<const Row4> rows;
  Span<const Vec<D>> velocity;
  Span<Row4> shift;
  RTSIM_HD void operator()(Index i) const {
    const Vec<D> v = velocity[i];
    const Vec<3> x = xyz(rows[i]), moved = bend.dt * Vec<3>{{v[0], v[1], D == 3 ? v[D - 1] : 0}};
    Vec<3> way = moved + xyz(shift[i]);
    const Real clear = bend.near.clear;
    if (dot(way, way) < clear * clear && !bend.sees_samples(i, x)) return;
    if (!bend(x - moved, way)) return;
    const Row4 was = shift[i];
    const Vec<3> s = way - moved;
    shift[i] = {s[0], s[1], D == 3 ? s[2] : Real(0), was.w};
    bend.book(i, x, xyz(was) - s);
  }
};

struct Forget {
  Span<Index> met;
  RTSIM_HD void operator()(Index i) const { met[i] = -1; }
};

template <int D>
struct IsInside {
  WallShape wall;
  Span<const Vec<D>> position;
  RTSIM_HD Index operator()(Index i) const {
    const Vec<D> p = position[i];
    const Vec<3> x =
        contact::to_local(wall.pose, Vec<3>{{p[0], p[1], D == 3 ? p[D - 1] : Real(0)}});
    return contact::nearest(wall.solid, x).distance < -contact::slack_at(x, wall.thickness);
  }
};

}  // namespace

template <int D>
void keep_out_of_shape(const Exec& ex, Real dt, const WallShape& wall, const NearWalls& near,
                       Span<const Row4> rows, Span<Row4> motion) {
  parallel_for(ex, "wall_shape.keep_out", rows.size, KeepOut<D>{{wall, near, dt}, rows, motion});
}

template <int D>
void keep_shifts_out_of_shape(const Exec& ex, Real dt, const WallShape& wall, const NearWalls& near,
                              Span<const Row4> rows, Span<const Vec<D>> velocity,
                              Span<Row4> shift) {
  parallel_for(ex, "wall_shape.keep_shifts_out", velocity.size,
               KeepShiftOut<D>{{wall, near, dt}, rows, velocity, shift});
}

void forget_meetings(const Exec& ex, Span<Index> met) {
  parallel_for(ex, "wall_shape.forget", met.size, Forget{met});
}

template <int D>
Index count_inside(const Exec& ex, const WallShape& wall, Span<const Vec<D>> position) {
  return reduce(ex, "wall_shape.inside", position.size, Index(0), IsInside<D>{wall, position},
                Plus{});
}

#define RTSIM_INSTANTIATE(D)                                                                       \
  template void keep_out_of_shape<D>(const Exec&, Real, const WallShape&, const NearWalls&,        \
                                     Span<const Row4>, Span<Row4>);                                \
  template void keep_shifts_out_of_shape<D>(const Exec&, Real, const WallShape&, const NearWalls&, \
                                            Span<const Row4>, Span<const Vec<D>>, Span<Row4>);     \
  template Index count_inside<D>(const Exec&, const WallShape&, Span<const Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph
