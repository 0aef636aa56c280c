#pragma once
#include "advection/sample.h"

namespace rtsim::advection {

enum class Trace : std::uint8_t { midpoint, ralston };

// A velocity on the faces and where a step of it leads.
struct Flow {
  mac::Layout layout;
  mac::Faces faces;
  Reach reach[4];            // of the lattices
  Real cells_per_speed = 0;  // dt / h [s/m]
  Trace trace = Trace::midpoint;
};

// Follows the flow from a row of a lattice:
//   midpoint  x' = x + c u(x + c/2 u(x)),                    second order
//   ralston   x' = x + c (2 k1 + 3 k2 + 4 k3) / 9,           third order
//             k1 = u(x), k2 = u(x + c/2 k1), k3 = u(x + 3c/4 k2)
// with c = -dt to where the row's fluid was, c = +dt to where it will be (Ralston, "Runge-Kutta
// methods with minimum error bounds", Math. Comp. 16, 1962).
template <int D, class T>
struct Tracer {
  const Flow& flow;
  int lattice;
  const Index* row;

  // Where the lattice lies within a cell along an axis, less where component b lies.
  RTSIM_HD Real shift(int b, int axis) const {
    return (lattice == axis ? Real(0) : Real(0.5)) - (b == axis ? Real(0) : Real(0.5));
  }

  // At the row itself: means of the nearest faces.
  [[gnu::always_inline]] RTSIM_HD T here(int b) const {
    const Index stride[3] = {1, flow.layout.pitch, flow.layout.plane};
    const Real* u = flow.faces.u[b] + flow.layout.at(row[0], row[1], row[2]);
    if (b == lattice) return Rows<T>::load(u);
    const Index up = stride[b];
    if (lattice == mac::centres) return T(Real(0.5)) * (Rows<T>::load(u) + Rows<T>::load(u + up));
    const Index back = stride[lattice];
    return T(Real(0.25)) * ((Rows<T>::load(u - back) + Rows<T>::load(u)) +
                            (Rows<T>::load(u - back + up) + Rows<T>::load(u + up)));
  }

  [[gnu::always_inline]] RTSIM_HD void velocity(T c, const T from[D], T u[D]) const {
    for (int b = 0; b < D; ++b) {
      T offset[D];
      Real on[D];
      for (int a = 0; a < D; ++a) offset[a] = c * from[a], on[a] = shift(b, a);
      u[b] = value<D, T>(flow.layout, flow.faces.u[b],
                         corners<D, T>(flow.layout, flow.reach[b], row, offset, on));
    }
  }

  // The offset [cells] after `steps` (-1: back, 1: forth) of the flow.
  [[gnu::always_inline]] RTSIM_HD void follow(Real steps, T offset[D]) const {
    const Real c = steps * flow.cells_per_speed;
    T k1[D], k2[D];
    for (int b = 0; b < D; ++b) k1[b] = here(b);
    velocity(T(Real(0.5) * c), k1, k2);
    if (flow.trace == Trace::midpoint) {
      for (int a = 0; a < D; ++a) offset[a] = T(c) * k2[a];
      return;
    }
    T k3[D];
    velocity(T(Real(0.75) * c), k2, k3);
    for (int a = 0; a < D; ++a)
      offset[a] = T(c / 9) * (T(Real(2)) * k1[a] + T(Real(3)) * k2[a] + T(Real(4)) * k3[a]);
  }
};

}  // namespace rtsim::advection
