#pragma once
#include <cmath>

#include "block_cg/mat3.h"

// Bending of cloth as of a plate. The curvature of a triangle and what is around it is three sums
// of places, C_j = sum_i k_ji x_i with sum_i k_ji = 0 (deformables/plates/plate_stencils.h), and
// its energy
//   E = B/2 sum_j |C_j - R c_j|^2
// of what it is at rest, c_j in the frame R of the triangle: R = 1 where it is flat at rest. The
// first part is quadratic in the places (Bergou, Wardetzky, Harmon, Zorin & Grinspun, "A Quadratic
// Bending Model for Inextensible Surfaces", SGP 2006), with one constant matrix. R turns with the
// triangle, so that E knows one side from the other and does not see the whole turn: with omega(dx)
// the frame's turn, dE = B sum_j (C_j - d_j) . dC_j - omega . B sum_j d_j x C_j, d_j = R c_j.
namespace rtsim::plate {

// Of a triangle with edges e1, e2 from its corner 0: unit vectors along e1, across it, and normal
// to both; zero where it has no area.
template <class T>
struct PlateFrame {
  VecT<T, 3> along, across, normal;
  T length, area;  // of e1 [m], twice the triangle's [m^2]

  RTSIM_HD VecT<T, 3> out(const VecT<T, 3>& c) const {
    return c[0] * along + c[1] * across + c[2] * normal;
  }
  RTSIM_HD VecT<T, 3> in(const VecT<T, 3>& c) const {
    return {{dot(along, c), dot(across, c), dot(normal, c)}};
  }
  RTSIM_HD Mat3<T> out(const Mat3<T>& c) const {
    return {{out(c.row[0]), out(c.row[1]), out(c.row[2])}};
  }
  RTSIM_HD Mat3<T> in(const Mat3<T>& c) const {
    return {{in(c.row[0]), in(c.row[1]), in(c.row[2])}};
  }
};

template <class T>
RTSIM_HD PlateFrame<T> frame(const VecT<T, 3>& e1, const VecT<T, 3>& e2) {
  const VecT<T, 3> n = cross(e1, e2);
  const T length = norm(e1), area = norm(n);
  if (!(area > 0)) return {};
  const VecT<T, 3> along = T(1) / length * e1, normal = T(1) / area * n;
  return {along, cross(normal, along), normal, length, area};
}

// What a torque on the frame is as forces on the three corners.
template <class T>
RTSIM_HD Mat3<T> corner_forces(const PlateFrame<T>& f, const VecT<T, 3>& e1, const VecT<T, 3>& e2,
                               const VecT<T, 3>& torque) {
  if (!(f.area > 0)) return {};
  const VecT<T, 3> lift = T(1) / f.area * f.normal;
  const VecT<T, 3> spin = dot(torque, f.normal) / f.length * f.across;
  return {
      {dot(torque, e2 - e1) * lift - spin, spin - dot(torque, e2) * lift, dot(torque, e1) * lift}};
}

// sum_j |c_j|^2
template <class T>
RTSIM_HD double square(const Mat3<T>& c) {
  double sum = 0;
  for (const VecT<T, 3>& row : c.row) sum += double(dot(row, row));
  return sum;
}

}  // namespace rtsim::plate
