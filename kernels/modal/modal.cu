#include "modal/modal.h"

#include "exec/parallel.h"
#include "modal/motion.h"

namespace rtsim::modal {

namespace {

struct PlacePoints {
  Shapes all;
  Frame frame;
  Amplitudes a;
  Span<Vec<3>> position, velocity;
  RTSIM_HD void operator()(Index i) const {
    const Local<Real> l = local_motion(all, a, i / lane_count, Reader<Real>{i % lane_count});
    position[i] = place_of(frame, l), velocity[i] = velocity_of(frame, l);
  }
};

struct ShiftOf {
  Span<const Index> rows;
  Span<const Vec<3>> rest, target;
  RTSIM_HD Shift operator()(Index k) const {
    const Vec<3> way = target[rows[k]] - rest[rows[k]];
    return {way, way};
  }
};
struct JoinShifts {
  RTSIM_HD Shift operator()(Shift a, const Shift& b) const {
    for (int k = 0; k < 3; ++k) {
      a.low[k] = b.low[k] < a.low[k] ? b.low[k] : a.low[k];
      a.high[k] = b.high[k] > a.high[k] ? b.high[k] : a.high[k];
    }
    return a;
  }
};

struct Changed {
  Span<const Real> now, before;
  RTSIM_HD Index operator()(Index i) const { return now[i] == before[i] ? 0 : 1; }
};

struct MeanVelocity {
  Span<const Vec<3>> before, x;
  Real h;
  Span<Vec<3>> to;
  RTSIM_HD void operator()(Index i) const { to[i] = Real(1) / h * (x[i] - before[i]); }
};

// Impulses, or forces, of points.
struct Kicks {
  Span<const Vec<3>> v, before;
  RTSIM_HD Vec<3> operator()(Index i) const { return v[i] - before[i]; }
  RTSIM_HD double work(Index i, double mass) const {
    return mass * double(dot(v[i] - before[i], Real(0.5) * (v[i] + before[i])));
  }
  RTSIM_HD Index points() const { return v.size; }
};
struct Weights {
  Vec<3> a;
  Index count;
  RTSIM_HD Vec<3> operator()(Index) const { return a; }
  RTSIM_HD double work(Index, double) const { return 0; }
  RTSIM_HD Index points() const { return count; }
};

// One sum of one part.
template <class Source>
struct SumOf {
  Shapes all;
  Frame frame;
  Amplitudes a;
  Source source;
  Span<double> parts;
  RTSIM_HD void operator()(Index k) const {
    const Index rows = all.modes + extra_sums, part = k / rows, row = k % rows;
    const Index first = part * slots_per_part * lane_count,
                end = min_of(first + slots_per_part * lane_count, source.points());
    double sum = 0;
    for (Index i = first; i < end; ++i) sum += of(i, row);
    parts[k] = sum;
  }
  RTSIM_HD static Index min_of(Index a, Index b) { return a < b ? a : b; }
  RTSIM_HD double of(Index i, Index row) const {
    const Index slot = i / lane_count, lane = i % lane_count;
    const Real m = all.points[slot].mass[lane];
    if (row == all.modes + extra_sums - 1) return source.work(i, double(m));
    const Vec<3> p = fem::product(transposed(frame.rotation), m * source(i));
    if (p == Vec<3>{}) return 0;
    if (row >= all.modes && row < all.modes + 3) return double(p[row - all.modes]);
    const Reader<Real> r{lane};
    if (row >= all.modes)
      return double(cross(local_motion(all, a, slot, r).at, p)[row - all.modes - 3]);
    const Vec<3> phi = read(r, all.shapes.data[Offset(slot) * all.modes + row].u);
    return double(dot(phi, all.warps() ? unwarped(local_motion(all, a, slot, r).turn, p) : p));
  }
};

template <class Source>
void sum(const Exec& ex, const Shapes& all, const Frame& f, const Amplitudes& a,
         const Source& source, Span<double> parts) {
  parallel_for(ex, "modal.project", parts.size, SumOf<Source>{all, f, a, source, parts});
}

}  // namespace

void place_points(const Exec& ex, const Shapes& all, const Frame& f, const Amplitudes& a,
                  Span<Vec<3>> position, Span<Vec<3>> velocity) {
  if (ex.cpu_shaped()) return place_points_lanes(ex, all, f, a, position, velocity);
  parallel_for(ex, "modal.place", position.size, PlacePoints{all, f, a, position, velocity});
}

Shift shift_of(const Exec& ex, Span<const Index> rows, Span<const Vec<3>> rest,
               Span<const Vec<3>> target) {
  constexpr Real far = Real(1e30);
  return reduce(ex, "modal.shift", rows.size, Shift{{{far, far, far}}, {{-far, -far, -far}}},
                ShiftOf{rows, rest, target}, JoinShifts{});
}

bool any_changed(const Exec& ex, Span<const Real> now, Span<const Real> before) {
  return reduce(ex, "modal.changed", now.size, Index(0), Changed{now, before}, Max{}) > 0;
}

void mean_velocities(const Exec& ex, Span<const Vec<3>> before, Span<const Vec<3>> x, Real h,
                     Span<Vec<3>> to) {
  parallel_for(ex, "modal.mean_velocities", x.size, MeanVelocity{before, x, h, to});
}

Index sum_parts(const Shapes& all) {
  return (all.points.size + slots_per_part - 1) / slots_per_part;
}

void project(const Exec& ex, const Shapes& all, const Frame& f, const Amplitudes& a,
             Span<const Vec<3>> velocity, Span<const Vec<3>> before, Span<double> parts) {
  if (ex.cpu_shaped()) return project_lanes(ex, all, f, a, velocity, before, parts);
  sum(ex, all, f, a, Kicks{velocity, before}, parts);
}

void project_weight(const Exec& ex, const Shapes& all, const Frame& f, const Amplitudes& a,
                    const Vec<3>& acceleration, Span<double> parts) {
  if (ex.cpu_shaped()) return project_weight_lanes(ex, all, f, a, acceleration, parts);
  sum(ex, all, f, a, Weights{acceleration, all.points.size * lane_count}, parts);
}

}  // namespace rtsim::modal
