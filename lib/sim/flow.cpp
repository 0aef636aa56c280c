#include "sim/flow.h"

#include <cmath>
#include <numbers>

namespace rtsim {

static void describe(Describe& d, TaylorGreenSpec& s) {
  d("speed", s.speed, "m/s", any(), "Greatest speed U.");
  d.required("wave_length", s.wave_length, "m", above(0),
             "Along every axis; vortices are half of it wide. A periodic box holds it a whole "
             "number of times.");
}

static void describe(Describe& d, StrainSpec& s) {
  d.vector("centre", s.centre, "m", "Point that rests.");
  d.required("rates", s.rates, "1/s", any(),
             "Stretching along each axis, negative where it shortens: v = rate (x - centre). Rates "
             "that sum to zero keep the volume.");
}

static void describe(Describe& d, RotationSpec& s) {
  d.vector("centre", s.centre, "m", "Point on the axis.");
  if (d.dim() != 2) d.vector("axis", s.axis, "", "Axis, any length; in 2D always z.");
  d.required("rate", s.rate, "rad/s", any(), "Rate of turn about the axis.");
  if (d.dim() != 2 && d.given("axis") && norm(s.axis) == 0)
    d.fault("axis", "an axis must not be zero; [0, 0, 1] turns about z");
}

void describe(Describe& d, FlowSpec& s) {
  d.nested("taylor_green", s.taylor_green,
           "Vortices that turn against their neighbours: U (-cos kx sin ky, sin kx cos ky), k = 2 "
           "pi / wave_length; in 3D times cos kz.");
  d.nested("strain", s.strain, "Stretching along the axes.");
  d.nested("rotation", s.rotation, "Turning as a rigid body.");
}

namespace {

Vec3d at(const TaylorGreenSpec& s, const Vec3d& x, int dim) {
  const double k = 2 * std::numbers::pi / s.wave_length;
  const double u = s.speed * (dim == 3 ? std::cos(k * x[2]) : 1);
  return {{-u * std::cos(k * x[0]) * std::sin(k * x[1]),
           u * std::sin(k * x[0]) * std::cos(k * x[1]), 0}};
}

Vec3d at(const StrainSpec& s, const Vec3d& x, int dim) {
  Vec3d v;
  for (int a = 0; a < dim; ++a) v[a] = s.rates[a] * (x[a] - s.centre[a]);
  return v;
}

Vec3d at(const RotationSpec& s, const Vec3d& x, int dim) {
  const Vec3d axis = dim == 2 ? Vec3d{{0, 0, 1}} : (1 / norm(s.axis)) * s.axis;
  Vec3d v = s.rate * cross(axis, x - s.centre);
  if (dim == 2) v[2] = 0;
  return v;
}

}  // namespace

Vec3d FlowSpec::velocity(const Vec3d& x, int dim) const {
  Vec3d v;
  if (taylor_green) v = v + at(*taylor_green, x, dim);
  if (strain) v = v + at(*strain, x, dim);
  if (rotation) v = v + at(*rotation, x, dim);
  return v;
}

}  // namespace rtsim
