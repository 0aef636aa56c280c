#include <cmath>
#include <vector>

#include "exec/parallel.h"
#include "shallow_water/sums.h"

namespace rtsim::shallow_water {

namespace {

// What a chunk of rows adds up to; cell i of a row goes to lane i % lane_count.
class RowSums {
 public:
  RowSums(const Flow& flow, Real wet_depth) : flow_(flow), wet_depth_(wet_depth) {}

  void add_row(const Columns& at, Index k) {
    const Index first = flow_.nx * k, whole = flow_.nx - flow_.nx % lane_count;
    const auto add = [&](Index i, Index count) {
      const Index c = first + i;
      lanes_.add(at.depth + c, at.bed + c, at.discharge_x + c, at.discharge_z + c, count, flow_.dry,
                 wet_depth_);
    };
    for (Index i = 0; i < whole; i += lane_count) add(i, lane_count);
    add(whole, flow_.nx - whole);
    Index last = flow_.nx - 1;
    while (last >= 0 && !(at.depth[first + last] > wet_depth_)) --last;
    if (last >= 0) front_ = max_of(front_, last);
  }

  Sums sums() const {
    Sums all;
    all.front = front_;
    for (Index l = 0; l < lane_count; ++l) all = AddSums{}(all, lanes_.sums(l, flow_.g));
    return all;
  }

 private:
  static double max_of(double a, double b) { return a > b ? a : b; }

  // Loops over the lanes and nothing else, which the compiler turns into vectors.
  struct alignas(64) Lane {
    using Row = double[lane_count];
    Row depth = {}, discharge_x = {}, discharge_z = {}, kinetic = {}, potential = {}, wet = {},
        greatest_u2 = {};

    [[gnu::always_inline]] void add(const Real* __restrict h_of, const Real* __restrict b_of,
                                    const Real* __restrict qx_of, const Real* __restrict qz_of,
                                    Index count, Real dry, Real wet_depth) {
      for (Index l = 0; l < count; ++l) {
        const double h = h_of[l], b = b_of[l], qx = qx_of[l], qz = qz_of[l],
                     f = over_depth(h_of[l], dry), u = qx * f, v = qz * f, u2 = u * u + v * v;
        const bool is_wet = h > double(wet_depth);
        const double most = is_wet ? u2 : 0;
        depth[l] += h, discharge_x[l] += qx, discharge_z[l] += qz;
        kinetic[l] += 0.5 * h * u2, potential[l] += h * (b + 0.5 * h);
        wet[l] += is_wet ? 1.0 : 0.0;
        greatest_u2[l] = most > greatest_u2[l] ? most : greatest_u2[l];
      }
    }

    Sums sums(Index l, double g) const {
      return {depth[l],         discharge_x[l], discharge_z[l], kinetic[l],
              g * potential[l], wet[l],         Sums{}.front,   std::sqrt(greatest_u2[l])};
    }
  };

  const Flow& flow_;
  Real wet_depth_;
  Lane lanes_;
  double front_ = Sums{}.front;
};

}  // namespace

Sums sums_of_rows(const Exec& ex, const Flow& flow, const Columns& at, Real wet_depth) {
  constexpr Index cells_per_chunk = 16384;
  const Index rows = flow.nx < cells_per_chunk ? cells_per_chunk / flow.nx : 1;
  std::vector<Sums> parts(std::size_t((flow.nz + rows - 1) / rows));
  parallel_chunks(ex, "shallow_water.sums", flow.nz, rows, [&](Index begin, Index end) {
    RowSums of(flow, wet_depth);
    for (Index k = begin; k < end; ++k) of.add_row(at, k);
    parts[std::size_t(begin / rows)] = of.sums();
  });
  Sums all;
  for (const Sums& s : parts) all = AddSums{}(all, s);
  return all;
}

}  // namespace rtsim::shallow_water
