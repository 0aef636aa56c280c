#include "rigid/joint_whirl.h"

#include "rigid/each_island.h"

namespace rtsim::rigid {

template <int D>
void whirl_joints(const Exec& ex, const JointSystem<D>& s, const Kick& k, const Bodies<D>& bodies,
                  const Loads<D>& loads, Span<Push<D>> pushes, Span<Row4> movers) {
  each_island(ex, "rigid.joint_whirl", islands(s),
              Whirl<D>{{{s, bodies, pushes.data, movers.data}, k, loads}});
}

#define RTSIM_INSTANTIATE(D)                                                                       \
  template void whirl_joints<D>(const Exec&, const JointSystem<D>&, const Kick&, const Bodies<D>&, \
                                const Loads<D>&, Span<Push<D>>, Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
