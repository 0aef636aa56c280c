#pragma once
#include <vector>

#include "bodies/joints/joint_start.h"
#include "rigid/joints/joint_rows.h"

namespace rtsim {

// A joint in the frames of its bodies, which stand where the run starts; there its points and axes
// coincide to rounding in doubles.
template <int D>
rigid::Joint<D> local_joint(const JointStart&, const std::vector<Vec<D>>& positions,
                            const std::vector<rigid::Orientation<D>>& orientations);

}  // namespace rtsim
