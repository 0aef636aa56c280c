#include "flip/move.h"

#include "exec/parallel.h"

namespace rtsim::flip {

namespace {

template <int D>
struct MoveOne {
  Place<D> place;
  Move<D> law;
  Particles<D> particles;
  State<D> state;

  RTSIM_HD void operator()(Index k) const {
    Real own[D];
    for (int a = 0; a < D; ++a) own[a] = state.velocity[k][a];
    write_back(place, state, k, move_one<D, Real>(law, particles, k, own));
  }
};

}  // namespace

template <int D>
void move(const Exec& ex, const Place<D>& place, const Move<D>& law, const Particles<D>& p,
          const State<D>& s) {
  if (ex.cpu_shaped()) return move_eights<D>(ex, place, law, p, s);
  parallel_for(ex, "flip.move", p.rows, MoveOne<D>{place, law, p, s});
}

template void move<2>(const Exec&, const Place<2>&, const Move<2>&, const Particles<2>&,
                      const State<2>&);
template void move<3>(const Exec&, const Place<3>&, const Move<3>&, const Particles<3>&,
                      const State<3>&);

}  // namespace rtsim::flip
