#include "rigid/joints/joint_fast_rotation.h"

#include "rigid/joints/each_island.h"

namespace rtsim::rigid {

template <int D>
void rotate_fast_joints(const Exec& ex, const JointSystem<D>& s, const Kick& k,
                        const Bodies<D>& bodies, const Loads<D>& loads, Span<Push<D>> pushes,
                        Span<Row4> solver_bodies) {
  each_island(ex, "rigid.joint_fast_rotation", islands(s),
              FastRotation<D>{{{s, bodies, pushes.data, solver_bodies.data}, k, loads}});
}

#define RTSIM_INSTANTIATE(D)                                                            \
  template void rotate_fast_joints<D>(const Exec&, const JointSystem<D>&, const Kick&,  \
                                      const Bodies<D>&, const Loads<D>&, Span<Push<D>>, \
                                      Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
