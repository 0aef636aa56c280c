#pragma once
#include <cmath>

#include "lanes/row4.h"

namespace rtsim {

// A box that repeats along some axes: of each row all images at whole lengths from it are meant,
// and pairs meet by the nearest. Rows are kept in the box; it is so long that no row meets two
// images of another.
struct PeriodicBox {
  bool any = false;
  Real low[3] = {0, 0, 0};                              // lower corner [m]
  Real length[3] = {0, 0, 0};                           // [m]; 0 along axes that do not repeat
  Real half[3] = {Real(1e30), Real(1e30), Real(1e30)};  // of the length [m]; else endless

  // x_ij, a difference of two rows, to the nearest image. Odd in x_ij to the last bit, so that
  // pairs across the seam push one another equally.
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F nearest(int axis, F d) const {
    const F l(length[axis]), h(half[axis]);
    const F down = select_less(h, d, d - l, d);
    return select_less(down, F(Real(0)) - h, down + l, down);
  }

  template <class F>
  [[gnu::always_inline]] RTSIM_HD void bring(F& x, F& y, F& z) const {
    x = nearest(0, x), y = nearest(1, y), z = nearest(2, z);
  }

  // The image of x that lies in the box; what lies there already is not touched.
  RTSIM_HD Real wrapped(int axis, Real x) const {
    const Real l = length[axis], from = low[axis];
    if (!(l > 0) || (x >= from && x < from + l)) return x;
    const Real y = x - l * std::floor((x - from) / l);
    return y < from || y >= from + l ? from : y;  // rounded out of the box, at the seam
  }
};

}  // namespace rtsim
