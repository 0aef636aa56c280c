#include <catch2/catch.hpp>
#include <cmath>

#include "sph/cubic_spline.h"
#include "sph/tait.h"

using namespace rtsim;
using sph::CubicSpline;

namespace {

constexpr double pi = 3.14159265358979323846;

double value(const CubicSpline& w, double r) {
  return double(w.scale) * double(w.shape(Real(r * r)));
}

// The integral of W over the plane or space, by Gauss-Legendre on each of the two polynomial
// pieces.
double integral(const CubicSpline& w, int dim) {
  const double node[] = {0, .5384693101056831, .9061798459386640};
  const double weight[] = {.5688888888888889, .4786286704993665, .2369268850561891};
  const double half = double(w.support) / 2;
  double sum = 0;
  for (int piece = 0; piece < 2; ++piece)
    for (int k = -2; k <= 2; ++k) {
      const double x = k < 0 ? -node[-k] : node[k];
      const double r = half * (piece + 0.5 * (1 + x));
      sum +=
          0.5 * half * weight[std::abs(k)] * value(w, r) * (dim == 2 ? 2 * pi * r : 4 * pi * r * r);
    }
  return sum;
}

}  // namespace

TEST_CASE("sph: the cubic spline integrates to one in 2D and 3D") {
  // 1e-6 is asked of the kernel: nearly all of it is the rounding of `scale` to Real.
  for (int dim : {2, 3})
    for (double support : {0.02, 1.0, 3.7})
      CHECK(integral(CubicSpline::of(dim, support), dim) == Approx(1).epsilon(1e-6));
}

TEST_CASE(
    "sph: the cubic spline's slope is the derivative of its value, and both end at the support") {
  const CubicSpline w = CubicSpline::of(3, 1);
  for (double r : {0.05, 0.2, 0.45, 0.55, 0.8, 0.99}) {
    const double h = 1e-2;  // central differences of a cubic are off by h^2/6 W''' <= 8e-4 scale
    const double numerical = (value(w, r + h) - value(w, r - h)) / (2 * h);
    CHECK(double(w.scale) * double(w.slope(Real(r))) ==
          Approx(numerical).margin(1e-3 * double(w.scale)));
  }
  CHECK(w.shape(Real(1)) == 0);
  CHECK(w.shape(Real(1.5)) == 0);
  CHECK(w.slope(Real(1)) == 0);
  CHECK(w.slope(Real(0)) == 0);
  CHECK(w.shape(Real(0)) == 1);
}

TEST_CASE("sph: Tait's pressure is the slope of its energy, and tension is cut off") {
  const sph::Tait tait{Real(1e5), Real(1e-3)};
  for (double rho : {1001.0, 1020.0, 1100.0}) {
    const double h = 1;
    const double slope = (tait.energy(rho + h) - tait.energy(rho - h)) / (2 * h);
    CHECK(double(tait.pressure(Real(rho))) == Approx(rho * rho * slope).epsilon(2e-3).margin(5));
  }
  CHECK(tait.pressure(Real(900)) == 0);
  CHECK(tait.energy(900) == 0);
}
