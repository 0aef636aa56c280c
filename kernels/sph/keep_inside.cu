#include "sph/keep_inside.h"

#include "exec/parallel.h"
#include "sph/swept_contact.h"

namespace rtsim::sph {

namespace {

// A layer of samples as a smooth plane: f = sum_b (1 - (r/R)^2)^2_+ with R = 1.2 spacings d. From
// f = 0.94 on, 0.4 to 0.5 d from it above samples and above gaps alike, nothing comes nearer yet.
// Along a plane that is a little rough, and where a thin wall answers the pressure behind with too
// little, rows creep on towards its crest, where f is 1.19 at least (in space 1.37) and nothing
// keeps them any more; so from f = 1.05 on they go back, a twentieth of their way in each step.
struct Layer {
  PairRows walls;
  Real reach2;  // R^2 [m^2]
  Real inv_dt;

  struct Met {
    Index sample = -1;
    bool inside = false;
  };
  RTSIM_HD Met stop(const Vec<3>& x, Vec<3>& v) const {
    Real f = 0, nearest2 = reach2;
    Vec<3> outwards, carried;  // minus the gradient of f; the samples' velocity, weighed likewise
    Index ball = -1;
    const Real reach = root(reach2);
    for_runs(walls.cells, x.c, x.c, reach, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        const Vec<3> d = apart(x, walls.cells, b);
        const Real r2 = dot(d, d);
        if (r2 >= reach2) continue;
        const Real w = 1 - r2 / reach2;
        f += w * w, outwards = outwards + w * d, carried = carried + w * w * xyz(walls.motion[b]);
        if (r2 < nearest2) nearest2 = r2, ball = b;
      }
    });
    const Real n2 = dot(outwards, outwards);
    if (!(f > Real(0.94)) || !(n2 > 0)) return {};
    const Real away = dot(v - (1 / f) * carried, outwards), least = back(f, n2);
    if (!(away < least)) return {-1, least > 0};
    v = v + ((least - away) / n2) * outwards;
    return {ball, least > 0};
  }
  // grad f = -4 / R^2 outwards: the way to f = 1.05 is that far, but at most a tenth of R, since
  // the crest has no slope.
  RTSIM_HD Real back(Real f, Real n2) const {
    const Real n = std::sqrt(n2), reach = root(reach2), way = (f - Real(1.05)) * reach2 / (4 * n);
    if (!(way > 0)) return 0;
    return Real(0.05) * inv_dt * n * (way < Real(0.1) * reach ? way : Real(0.1) * reach);
  }
};

struct KeepInside {
  Balls balls;
  Layer layer;
  Real fast2, far2;  // [m^2/s^2]
  Span<const Row4> rows;
  Span<const neighbours::ListPlace> places;
  Span<Row4> motion;
  Span<Index> met;
  Span<Row4> lost;
  RTSIM_HD Index operator()(Index i) const {
    if (met.size > 0) met[i] = -1;
    const Vec<3> v = xyz(motion[i]), x = xyz(rows[i]);
    if (places.size > 0 && places[i].boundary == 0 && dot(v, v) < far2) return 0;
    Vec<3> u = v;
    Index ball = dot(v, v) < fast2 ? -1 : bend(x, u);
    const Layer::Met near = layer.stop(x + balls.dt * u, u);
    if (ball < 0) ball = near.sample;
    if (ball < 0) return near.inside;
    motion[i] = {u[0], u[1], u[2], motion[i].w};
    if (met.size > 0) met[i] = ball, lost[i] = {v[0] - u[0], v[1] - u[1], v[2] - u[2], 0};
    return near.inside;
  }
  RTSIM_HD Index bend(const Vec<3>& x, Vec<3>& v) const {
    Path path{x, balls.dt * v, 0};
    const Index ball = slide(balls, path);
    if (ball >= 0) v = (1 / balls.dt) * (path.at + path.way - x);
    return ball;
  }
};

struct AddMeetings {
  PairRows walls;
  CellRows fluid;
  Real reach, scale;
  Span<const Index> met;
  Span<const Row4> lost;
  Span<Row4> force, couple;
  RTSIM_HD void operator()(Index b) const {
    const Row4 q = walls.cells.rows[b];
    const Real at[3] = {q.x, q.y, q.z};
    Vec<3> f, m;
    for_runs(fluid, at, at, reach, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        if (met[i] != b) continue;
        const Vec<3> own = scale * xyz(lost[i]);
        f = f + own, m = m + cross(own, apart(xyz(q), fluid, i));
      }
    });
    add(f, force[b]), add(m, couple[b]);
  }
  RTSIM_HD static void add(const Vec<3>& v, Row4& to) { to.x += v[0], to.y += v[1], to.z += v[2]; }
};

}  // namespace

Index keep_inside(const Exec& ex, Real dt, Real spacing, bool moving, const PairRows& walls,
                  Span<const Row4> rows, Span<const neighbours::ListPlace> places, Real clear,
                  Span<Row4> motion, Span<Index> met, Span<Row4> lost) {
  if (walls.cells.rows.size == 0) return 0;
  const Real radius = Real(0.75) * spacing, fast = Real(0.25) * spacing / dt;
  const Balls balls{walls.cells, walls.motion, radius, moving ? radius + spacing : radius, dt, 0};
  const Layer layer{walls, Real(1.44) * spacing * spacing, 1 / dt};
  const Real far = moving || clear < 0 ? Real(0) : clear / dt;
  return reduce(ex, "walls.keep_inside", rows.size, Index(0),
                KeepInside{balls, layer, fast * fast, far * far, rows, places, motion, met, lost},
                Plus{});
}

void add_meetings(const Exec& ex, const PairRows& walls, const CellRows& fluid, Real reach,
                  Real scale, Span<const Index> met, Span<const Row4> lost, Span<Row4> force,
                  Span<Row4> couple) {
  parallel_for(ex, "walls.meetings", walls.cells.rows.size,
               AddMeetings{walls, fluid, reach, scale, met, lost, force, couple});
}

}  // namespace rtsim::sph
