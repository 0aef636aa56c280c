#pragma once
#include "contact/box_tree.h"

namespace rtsim::contact {

// What the corners of a triangle count for, where a line along an axis goes through it: `corner`
// are their places across the line, from it. Their signs are those of the way that the line goes
// through it; false where it does not. An edge has the same area but for its sign from either
// triangle, so that those which have one in common leave no gap between them.
RTSIM_HD inline bool cross_line(const Corners3& numbers, const double (&corner)[3][2],
                                double (&weight)[3]) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {  // opposite of corner k
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const bool in_order = numbers[i] < numbers[j];
    const double(&p)[2] = corner[in_order ? i : j], (&q)[2] = corner[in_order ? j : i];
    double area = p[0] * q[1] - p[1] * q[0];
    if (area == 0) area = 1e-300;
    weight[k] = in_order ? area : -area;
    sum += weight[k];
  }
  if ((weight[0] > 0) != (weight[1] > 0) || (weight[0] > 0) != (weight[2] > 0)) return false;
  const double sign = weight[0] > 0 ? 1 : -1;
  for (double& w : weight) w = sign * (w / sum);
  return true;
}

}  // namespace rtsim::contact
