#include <catch2/catch.hpp>
#include <cmath>

#include "sph/kernels.h"
#include "sph/poly6h.h"
#include "sph/tait.h"

using namespace rtsim;

namespace {

constexpr double pi = 3.14159265358979323846;

// The integral of f(r) over a disc or ball of radius H, by Gauss-Legendre on 64 pieces: exact for
// the kernels' polynomials, and for pieces that end in the middle.
template <class F>
double integral(int dim, double H, const F& f) {
  const double node[] = {0, .5384693101056831, .9061798459386640};
  const double weight[] = {.5688888888888889, .4786286704993665, .2369268850561891};
  constexpr int pieces = 64;
  const double half = H / pieces / 2;
  double sum = 0;
  for (int piece = 0; piece < pieces; ++piece)
    for (int k = -2; k <= 2; ++k) {
      const double r = half * (2 * piece + 1 + (k < 0 ? -node[-k] : node[k]));
      sum += half * weight[std::abs(k)] * f(r) * (dim == 2 ? 2 * pi * r : 4 * pi * r * r);
    }
  return sum;
}

template <class Kernel>
double value(const Kernel& w, double r) {
  return double(w.scale) * double(w.shape(Real(r * r)));
}

// 1e-6 is asked of the kernels: nearly all of it is the rounding of `scale` and values to Real.
constexpr double exact = 2e-6;

}  // namespace

TEMPLATE_TEST_CASE("sph: kernels integrate to one in 2D and 3D", "", sph::CubicSpline, sph::Poly6,
                   sph::Spiky, sph::Poly6h, sph::WendlandC2) {
  for (int dim : {2, 3})
    for (double H : {0.02, 1.0, 3.7}) {
      const auto w = TestType::of(dim, H);
      CHECK(integral(dim, H, [&](double r) { return value(w, r); }) == Approx(1).epsilon(exact));
    }
}

TEMPLATE_TEST_CASE(
    "sph: kernels' slopes are the derivatives of their values, and end at the support", "",
    sph::CubicSpline, sph::Poly6, sph::Spiky, sph::Poly6h, sph::WendlandC2) {
  const auto w = TestType::of(3, 1);
  for (double r : {0.05, 0.2, 0.45, 0.55, 0.8, 0.95}) {
    // Central differences are off by h^2/6 of the third derivative, at most 120 scale for
    // Wendland's.
    const double h = 1e-2;
    const double numerical = (value(w, r + h) - value(w, r - h)) / (2 * h);
    CHECK(double(w.scale) * double(w.slope(Real(r))) ==
          Approx(numerical).margin(2e-3 * double(w.scale)));
  }
  CHECK(w.shape(Real(1)) == 0);
  CHECK(w.shape(Real(1.5)) == 0);
  CHECK(w.slope(Real(1)) == 0);
  CHECK(w.shape(Real(0)) == 1);
}

TEST_CASE("sph: poly6h is the slope of poly6 with one in place of q") {
  const auto w = sph::Poly6::of(2, 0.3);
  for (double r : {0.03, 0.1, 0.29})
    CHECK(double(w.slope_h(Real(r * r))) * r / 0.3 ==
          Approx(double(w.slope(Real(r)))).epsilon(1e-5));
}

TEST_CASE("sph: poly6h has the slopes of its own kernel") {
  const auto w = sph::Poly6h::of(3, 0.3);
  const sph::Poly6 slopes = w.slopes();
  for (double r : {0.03, 0.1, 0.29})
    CHECK(double(slopes.scale) * double(slopes.slope_h(Real(r * r))) ==
          Approx(double(w.scale) * double(w.slope(Real(r)))).epsilon(1e-5));
}

TEST_CASE("sph: the viscosity kernel's Laplacian integrates as its kernel's flux says") {
  // In 3D W of Mueller et al. 2003, eq. 22, ends with W'(H) = 0, so the Laplacian off the centre
  // integrates to what the pole k/(2 q) there takes: 4 pi H/2 times 15/(2 pi H^3). In 2D the core
  // q^2 - 4/9 q^3 has the slope 2/3 / H at the support: 2 pi H times that times 90/(29 pi H^2).
  for (double H : {0.1, 2.0}) {
    const auto w3 = sph::ViscosityKernel::of(3, H), w2 = sph::ViscosityKernel::of(2, H);
    CHECK(integral(3, H, [&](double r) { return double(w3.laplacian(Real(r))); }) ==
          Approx(15 / (H * H)).epsilon(exact));
    CHECK(integral(2, H, [&](double r) { return double(w2.laplacian(Real(r))); }) ==
          Approx(120.0 / 29 / (H * H)).epsilon(exact));
  }
}

TEST_CASE("sph: Clavet's kernels, normal and squared, integrate to one; the hybrid ones do not") {
  using Kernels = sph::DoubleDensityKernels;
  for (int dim : {2, 3})
    for (Kernels set : {Kernels::normal, Kernels::squared, Kernels::hybrid}) {
      const auto w = sph::DoubleDensity::of(set, dim, 0.4);
      const double far = integral(dim, 0.4, [&](double r) { return value(w, r); });
      const double near = integral(dim, 0.4, [&](double r) {
        return double(w.near_scale) * double(w.near_shape(Real(r * r)));
      });
      const bool hybrid = set == Kernels::hybrid;
      // In the plane the squared shapes have twice the constants 3 and 4 / (pi H^2) as 6 and 10.
      if (hybrid && dim == 2) {
        CHECK(far == Approx(2).epsilon(exact));
        CHECK(near == Approx(2.5).epsilon(exact));
      }
      if (!hybrid) {
        CHECK(far == Approx(1).epsilon(exact));
        CHECK(near == Approx(1).epsilon(exact));
      }
    }
}

TEST_CASE("sph: Clavet's slopes are derivatives, but for the hybrid set") {
  using Kernels = sph::DoubleDensityKernels;
  const double h = 1e-2;
  for (Kernels set : {Kernels::normal, Kernels::squared}) {
    const auto w = sph::DoubleDensity::of(set, 2, 1);
    for (double r : {0.1, 0.5, 0.9}) {
      const auto slope = [&](auto f) { return (f(r + h) - f(r - h)) / (2 * h); };
      // h^2/6 of the third derivative: at most 72 for these cubics and sextics in q.
      CHECK(double(w.slope(Real(r))) ==
            Approx(slope([&](double x) { return double(w.shape(Real(x * x))); })).margin(1.2e-3));
      CHECK(double(w.near_slope(Real(r))) == Approx(slope([&](double x) {
                                               return double(w.near_shape(Real(x * x)));
                                             })).margin(1.2e-3));
    }
  }
  const auto hybrid = sph::DoubleDensity::of(Kernels::hybrid, 2, 1);
  CHECK(double(hybrid.slope(Real(0.5))) == Approx(-2 * 0.75));
  CHECK(double(hybrid.near_slope(Real(0.5))) == Approx(-3 * 0.75 * 0.75));
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
