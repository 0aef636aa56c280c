#include "exec/parallel.h"
#include "lanes/store_rows.h"
#include "pbd/constraints.h"

namespace rtsim::pbd {

namespace {

using Eight = Lanes<Real>;

// What a law finds from its numbers and inverse masses alone, where constraints are alike.
template <class Law>
struct Alike {};
template <class Law>
requires requires { typename Law::template Shared<Real>; }
struct Alike<Law> {
  Index kind = -1;
  Real w = 0;
  typename Law::template Shared<Real> shared;
};

template <class Law>
struct SolveLanes {
  Law law;
  ConstraintRows<Law> rows;
  Row4 *points, *moved;  // null: nobody asks what points are moved by
  bool far;              // more points than the nearer caches hold

  void eight(Index c, Alike<Law>& alike) const {
    Point<Eight> p[Law::corners];
    Arrow<Eight> shift[Law::corners];
    Eight lambda[Law::multipliers];
    for (int k = 0; k < Law::corners; ++k) {
      const Lanes4<Real> r = load_rows(points, rows.corner[k].data + c);
      p[k] = {r.x, r.y, r.z, r.w};
    }
    const bool kept = rows.multiplier[0].size > 0;
    for (int k = 0; k < Law::multipliers; ++k)
      lambda[k] = kept ? Eight::load(rows.multiplier[k].data + c) : Eight(Real(0));
    project(c, p, lambda, shift, alike);
    for (int k = 0; k < Law::corners; ++k)
      store_rows(points, rows.corner[k].data + c, p[k].x + shift[k].x, p[k].y + shift[k].y,
                 p[k].z + shift[k].z, p[k].w);
    if (moved) add_moved(c, shift);
    if (kept)
      for (int k = 0; k < Law::multipliers; ++k) lambda[k].store(rows.multiplier[k].data + c);
  }
  void add_moved(Index c, const Arrow<Eight>* shift) const {
    for (int k = 0; k < Law::corners; ++k) {
      const Index* const at = rows.corner[k].data + c;
      const Lanes4<Real> r = load_rows(moved, at);
      store_rows(moved, at, r.x + shift[k].x, r.y + shift[k].y, r.z + shift[k].z, r.w);
    }
  }
  void project(Index c, const Point<Eight>* p, Eight* lambda, Arrow<Eight>* shift,
               Alike<Law>& alike) const {
    if constexpr (Law::alike)
      if (of_one_kind(c) && of_one_mass(p, points[rows.corner[0][c]].w)) {
        recall(c, alike);
        return law.project(p, alike.shared, static_cast<const Eight*>(nullptr), lambda, shift);
      }
    Eight number[Law::numbers];
    load_numbers(c, number);
    law.project(p, number, lambda, shift);
  }
  // Kinds are sorted: where the ends are of one, all are.
  bool of_one_kind(Index c) const {
    return rows.kind.size > 0 && rows.kind[c] == rows.kind[c + lane_count - 1];
  }
  static bool of_one_mass(const Point<Eight>* p, Real w) {
    Eight least = p[0].w, most = p[0].w;
    for (int k = 1; k < Law::corners; ++k) least = min(least, p[k].w), most = max(most, p[k].w);
    return (less(least, Eight(w)) | less(Eight(w), most)) == 0;
  }
  void recall(Index c, Alike<Law>& alike) const {
    const Index kind = rows.kind[c];
    const Real w = points[rows.corner[0][c]].w;
    if (kind == alike.kind && w == alike.w) return;
    Point<Real> p[Law::corners];
    Real number[Law::numbers];
    for (Point<Real>& each : p) each = {0, 0, 0, w};
    for (int k = 0; k < Law::numbers; ++k) number[k] = rows.number[k][kind];
    alike = {kind, w, law.shared(p, number)};
  }
  void load_numbers(Index c, Eight* number) const {
    const Index* kind = rows.kind.data + c;
    if (rows.kind.size == 0) {
      for (int k = 0; k < Law::numbers; ++k) number[k] = Eight::load(rows.number[k].data + c);
    } else if (of_one_kind(c)) {
      for (int k = 0; k < Law::numbers; ++k) number[k] = Eight(rows.number[k][kind[0]]);
    } else {
      for (int k = 0; k < Law::numbers; ++k) {
        Real each[lane_count];
        for (Index l = 0; l < lane_count; ++l) each[l] = rows.number[k][kind[l]];
        number[k] = Eight::load(each);
      }
    }
  }
  // Rows of a few blocks ahead: eight neighbours in a colour lie on two or more lines of the cache.
  void fetch(Index c) const {
    for (int k = 0; k < Law::corners; ++k)
      for (Index l = 0; l < lane_count; l += 4) __builtin_prefetch(points + rows.corner[k][c + l]);
  }
  void operator()(Index begin, Index end) const {
    constexpr Index ahead = 6 * lane_count;
    Index c = begin;
    Alike<Law> alike;
    if (far)
      for (; c + ahead + lane_count <= end; c += lane_count) fetch(c + ahead), eight(c, alike);
    for (; c + lane_count <= end; c += lane_count) eight(c, alike);
    for (; c < end; ++c)
      detail::project_in_place<Law>(law, rows, {points, 0}, {moved, moved ? 1 : 0}, c);
  }
};

}  // namespace

template <class Law>
void gauss_seidel_lanes(const Exec& ex, const Law& law, const ConstraintRows<Law>& rows,
                        Index begin, Index end, Span<Row4> points, Span<Row4> moved) {
  const Launch launch(ex, "pbd.solve", end - begin);
  struct Context {
    SolveLanes<Law> body;
    Index begin;
  } const context{
      {law, rows, points.data, moved.size > 0 ? moved.data : nullptr, points.size > 32768}, begin};
  ex.for_chunks(
      end - begin, 1024,
      [](const void* p, Index from, Index to) {
        const Context c = *static_cast<const Context*>(p);
        c.body(c.begin + from, c.begin + to);
      },
      &context);
}

#define RTSIM_INSTANTIATE(Law)                                                               \
  template void gauss_seidel_lanes<Law>(const Exec&, const Law&, const ConstraintRows<Law>&, \
                                        Index, Index, Span<Row4>, Span<Row4>);
RTSIM_INSTANTIATE(Distance)
#define RTSIM_INSTANTIATE_PLATE(n) \
  RTSIM_INSTANTIATE(FlatRestPlate<n>) RTSIM_INSTANTIATE(CurvedRestPlate<n>)
RTSIM_PLATE_SIZES(RTSIM_INSTANTIATE_PLATE)
RTSIM_INSTANTIATE(TetVolume)

}  // namespace rtsim::pbd
