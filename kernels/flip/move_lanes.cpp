#include "exec/parallel.h"
#include "flip/move.h"

namespace rtsim::flip {

namespace {

using Eight = Lanes<Real>;

template <int D>
Moved<D, Real> lane(const Real (&all)[2 * D + D * D][lane_count], Index l) {
  Moved<D, Real> m;
  for (int a = 0; a < D; ++a) {
    m.x[a] = all[a][l], m.u[a] = all[D + a][l];
    for (int b = 0; b < D; ++b) m.affine[a][b] = all[2 * D + a * D + b][l];
  }
  return m;
}

template <int D>
void eight(const Place<D>& place, const Move<D>& law, const Particles<D>& p, const State<D>& s,
           Index row) {
  Real all[2 * D + D * D][lane_count];
  Eight own[D];
  for (int a = 0; a < D && law.transfer == Transfer::flip; ++a) {
    for (Index l = 0; l < lane_count; ++l)
      all[a][l] = s.velocity[row + l < p.rows ? row + l : row][a];
    own[a] = Eight::load(all[a]);
  }
  const Moved<D, Eight> m = move_one<D, Eight>(law, p, row, own);
  for (int a = 0; a < D; ++a) {
    m.x[a].store(all[a]), m.u[a].store(all[D + a]);
    for (int b = 0; b < D; ++b) m.affine[a][b].store(all[2 * D + a * D + b]);
  }
  for (Index l = 0; l < lane_count && row + l < p.rows; ++l)
    write_back(place, s, row + l, lane<D>(all, l));
}

}  // namespace

template <int D>
void move_eights(const Exec& ex, const Place<D>& place, const Move<D>& law, const Particles<D>& p,
                 const State<D>& s) {
  const Index eights = (p.rows + lane_count - 1) / lane_count;
  parallel_chunks(ex, "flip.move", eights, 256, [&](Index begin, Index end) {
    const Move<D> own = law;
    for (Index e = begin; e < end; ++e) eight(place, own, p, s, e * lane_count);
  });
}

template void move_eights<2>(const Exec&, const Place<2>&, const Move<2>&, const Particles<2>&,
                             const State<2>&);
template void move_eights<3>(const Exec&, const Place<3>&, const Move<3>&, const Particles<3>&,
                             const State<3>&);

}  // namespace rtsim::flip
