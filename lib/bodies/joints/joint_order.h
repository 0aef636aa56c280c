#pragma once
#include <vector>

#include "base/types.h"

namespace rtsim {

// The two bodies of a joint; a < 0: the world.
struct JointEnds {
  Index a, b;
};

// How the equations of bodies and joints,
//   [ M  -J^T ] [ dv ]
//   [ -J  -G  ] [ p  ],
// are eliminated: bodies and joints are nodes, in islands that have nothing in common. Trees are
// taken from their leaves inwards, each body before the joint that holds it, which fills nothing in
// (Baraff 1996, section 5); then what is left, which is loops, bodies first and joints by the
// fewest neighbours. So every pivot is definite.
struct JointOrder {
  struct Node {
    Index body, joint;  // one of them, the other is -1
  };
  std::vector<Node> nodes;          // in order of elimination, island after island
  std::vector<Index> islands;       // first node of each, and the end
  std::vector<Index> first;         // first entry of each node's column, and the end
  std::vector<Index> rows;          // of entries: nodes, ascending within a column
  std::vector<Index> first_update;  // of each node, and the end
  // What a node's column takes from others: for its entries i >= j, in order of j, then i, the
  // entry at (i, j), or -1 - node for a diagonal.
  std::vector<Index> updates;
};

JointOrder order_joints(const std::vector<JointEnds>&, Index bodies);

// What joints take [bytes], with the blocks of their equations. Those of a hub in loops, which are
// eliminated after it, fill a matrix among themselves.
double joint_bytes(const std::vector<JointEnds>&, Index bodies, int dim);

}  // namespace rtsim
