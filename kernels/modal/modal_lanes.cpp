#include <vector>

#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "modal/motion.h"

namespace rtsim::modal {

using Eight = Lanes<Real>;

template <>
struct Reader<Eight> {
  Eight operator()(const Real* row) const { return Eight::load(row); }
};

template <>
struct TurnBy<Eight> {
  static Turn<Eight> of(const VecT<Eight, 3>& w) {
    Real each[3][lane_count], by[3][lane_count];
    for (int a = 0; a < 3; ++a) w[a].store(each[a]);
    for (Index l = 0; l < lane_count; ++l) {
      const Turn<Real> t = TurnBy<Real>::of({{each[0][l], each[1][l], each[2][l]}});
      by[0][l] = t.b, by[1][l] = t.a, by[2][l] = t.g;
    }
    return {w, Eight::load(by[0]), Eight::load(by[1]), Eight::load(by[2])};
  }
};

namespace {

void store(const VecT<Eight, 3>& v, Index first, Span<Vec<3>> to) {
  Real each[3][lane_count];
  for (int a = 0; a < 3; ++a) v[a].store(each[a]);
  for (Index l = 0; l < lane_count && first + l < to.size; ++l)
    to[first + l] = {{each[0][l], each[1][l], each[2][l]}};
}

VecT<Eight, 3> load(const Real (&each)[3][lane_count]) {
  return {{Eight::load(each[0]), Eight::load(each[1]), Eight::load(each[2])}};
}

// Accelerations, or changes of velocity, of a slot; whether there are any.
struct Kicks {
  Span<const Vec<3>> v, before;
  bool read(Index first, Real (&to)[3][lane_count]) const {
    bool any = false;
    for (Index l = 0; l < lane_count; ++l) {
      const bool there = first + l < v.size;
      const Vec<3> change = there ? v[first + l] - before[first + l] : Vec<3>{};
      for (int a = 0; a < 3; ++a) to[a][l] = change[a];
      any = any || !(change == Vec<3>{});
    }
    return any;
  }
  double work(Index first, const PointSlot& s) const {
    double sum = 0;
    for (Index l = 0; l < lane_count && first + l < v.size; ++l)
      sum += double(s.mass[l]) * double(dot(v[first + l] - before[first + l],
                                            Real(0.5) * (v[first + l] + before[first + l])));
    return sum;
  }
};
struct Weights {
  Vec<3> acceleration;
  bool read(Index, Real (&to)[3][lane_count]) const {
    for (int a = 0; a < 3; ++a)
      for (Index l = 0; l < lane_count; ++l) to[a][l] = acceleration[a];
    return true;
  }
  double work(Index, const PointSlot&) const { return 0; }
};

template <class Source>
void sum_part(const Shapes& all, const Frame& f, const Amplitudes& a, const Source& source,
              Index begin, Index end, double* to) {
  std::vector<Eight> modes(std::size_t(all.modes), Eight(0));
  VecT<Eight, 3> p_sum{{Eight(0), Eight(0), Eight(0)}}, moment = p_sum;
  const Mat3<Eight> back = transposed(splat<Eight>(f.rotation));
  double work = 0;
  for (Index s = begin; s < end; ++s) {
    Real each[3][lane_count];
    if (!source.read(s * lane_count, each)) continue;
    VecT<Eight, 3> p = Eight::load(all.points[s].mass) * fem::product(back, load(each));
    const Local<Eight> l = local_motion(all, a, s, Reader<Eight>{});
    p_sum = p_sum + p, moment = moment + cross(l.at, p);
    work += source.work(s * lane_count, all.points[s]);
    if (all.warps()) p = unwarped(l.turn, p);
    const ShapeSlot* phi = &all.shapes.data[Offset(s) * all.modes];
    for (Index j = 0; j < all.modes; ++j)
      modes[std::size_t(j)] = fma(Eight::load(phi[j].u[0]), p[0],
                                  fma(Eight::load(phi[j].u[1]), p[1],
                                      fma(Eight::load(phi[j].u[2]), p[2], modes[std::size_t(j)])));
  }
  for (Index j = 0; j < all.modes; ++j) to[j] = double(modes[std::size_t(j)].sum());
  for (int k = 0; k < 3; ++k) to[all.modes + k] = double(p_sum[k].sum());
  for (int k = 0; k < 3; ++k) to[all.modes + 3 + k] = double(moment[k].sum());
  to[all.modes + 6] = work;
}

template <class Source>
void sum(const Exec& ex, const Shapes& all, const Frame& f, const Amplitudes& a,
         const Source& source, Span<double> parts) {
  const Index rows = all.modes + extra_sums;
  parallel_chunks(
      ex, "modal.project", all.points.size, slots_per_part, [&](Index begin, Index end) {
        sum_part(all, f, a, source, begin, end, parts.data + Offset(begin / slots_per_part) * rows);
      });
}

}  // namespace

void place_points_lanes(const Exec& ex, const Shapes& all, const Frame& f, const Amplitudes& a,
                        Span<Vec<3>> position, Span<Vec<3>> velocity) {
  parallel_chunks(ex, "modal.place", all.points.size, slots_per_part, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) {
      const Local<Eight> l = local_motion(all, a, s, Reader<Eight>{});
      store(place_of(f, l), s * lane_count, position);
      store(velocity_of(f, l), s * lane_count, velocity);
    }
  });
}

void project_lanes(const Exec& ex, const Shapes& all, const Frame& f, const Amplitudes& a,
                   Span<const Vec<3>> velocity, Span<const Vec<3>> before, Span<double> parts) {
  sum(ex, all, f, a, Kicks{velocity, before}, parts);
}

void project_weight_lanes(const Exec& ex, const Shapes& all, const Frame& f, const Amplitudes& a,
                          const Vec<3>& acceleration, Span<double> parts) {
  sum(ex, all, f, a, Weights{acceleration}, parts);
}

}  // namespace rtsim::modal
