#pragma once
#include <cmath>

#include "base/types.h"

// The thermodynamics of moist air as Harris, Baxter, Scheuermann & Lastra, "Simulation of Cloud
// Dynamics on Graphics Hardware", Graphics Hardware 2003, sec. 3, simulate clouds by.
namespace rtsim::clouds {

constexpr double gas_constant = 287.04;     // R of dry air [J/(kg K)]
constexpr double heat_capacity = 1005.7;    // c_p of dry air [J/(kg K)]
constexpr double latent_heat = 2.501e6;     // L of vaporisation [J/kg]
constexpr double reference_pressure = 1e5;  // of potential temperature [Pa]
constexpr double ice_point = 273.15;        // [K]

// Of still air with temperatures T0 - lapse y, from dp/dy = -g p / (R T):
//   p(y) = p0 (1 - lapse y / T0)^(g / (R lapse)).
inline double pressure_at(double y, double p0, double T0, double lapse, double g) {
  if (lapse == 0) return p0 * std::exp(-g * y / (gas_constant * T0));
  return p0 * std::pow(1 - lapse * y / T0, g / (gas_constant * lapse));
}

// Temperature over potential temperature: T = Pi theta, Pi = (p / 1000 hPa)^(R / c_p).
inline double exner(double p) {
  return std::pow(p / reference_pressure, gas_constant / heat_capacity);
}

constexpr double molar_ratio = 0.622;  // of water to dry air

// Pressure of saturated vapour over water [Pa], e_s = 611.2 exp(17.67 (T - 273.15) / (T - 29.65))
// (Bolton, "The Computation of Equivalent Potential Temperature", Mon. Wea. Rev. 108, 1980, eq.
// 10).
template <class T>
RTSIM_HD T saturation_pressure(T temperature) {
  return T(611.2) * std::exp(T(17.67) * (temperature - T(ice_point)) / (temperature - T(29.65)));
}

// Vapour of the pressure e with a kg of dry air at the pressure p of both [kg/kg],
//   q = 0.622 e / (p - e)
// (Rogers & Yau, "A Short Course in Cloud Physics", 1989, eq. 2.18). Where water boils, e >= p, air
// of any q is below saturation; a thousandth of p then stands for p - e, so that q is finite.
template <class T>
RTSIM_HD T mixing_ratio(T e, T p) {
  const T dry = p - e, least = T(1e-3) * p;
  return T(molar_ratio) * e / (dry > least ? dry : least);
}

// Most vapour that a kg of dry air holds, q_s [kg/kg].
template <class T>
RTSIM_HD T saturation(T temperature, T p) {
  return mixing_ratio(saturation_pressure(temperature), p);
}
// d q_s / d T = q_s (p / (p - e_s)) d ln e_s / d T, with p / (p - e_s) = 1 + q_s / 0.622.
template <class T>
RTSIM_HD T saturation_slope(T temperature, T q_s) {
  const T d = temperature - T(29.65);
  return q_s * (1 + q_s / T(molar_ratio)) * T(17.67) * (T(ice_point) - T(29.65)) / (d * d);
}

template <class T>
struct Parcel {
  T temperature, vapour, cloud;  // [K], [kg/kg], [kg/kg]
};

// Vapour above saturation condenses, and cloud below it evaporates, at constant pressure: what
// stays the same are vapour + cloud and T - (L / c_p) cloud. By Newton's method for T, as latent
// heat moves the saturation.
template <class T>
RTSIM_HD Parcel<T> condense(const Parcel<T>& a, T p) {
  constexpr T heat = T(latent_heat / heat_capacity);
  const T water = a.vapour + a.cloud, dry = a.temperature - heat * a.cloud;
  if (water <= saturation(dry, p)) return {dry, water, 0};
  T temperature = a.temperature, q = 0;
  for (int k = 0; k < 5; ++k) {
    q = saturation(temperature, p);
    const T f = (temperature - dry) - heat * (water - q);
    temperature -= f / (1 + heat * saturation_slope(temperature, q));
  }
  const T cloud = temperature > dry ? (temperature - dry) / heat : T(0);  // rounding
  return {temperature, water - cloud, cloud};
}

// What lifts: the excess of virtual potential temperature theta (1 + 0.61 q_v), less the weight of
// the cloud's water (Harris et al. 2003, eq. 7).
RTSIM_HD inline Real lift(Real theta, Real vapour, Real cloud, Real theta_0, Real vapour_0) {
  const Real outside = theta_0 * (1 + Real(0.61) * vapour_0);
  return (theta * (1 + Real(0.61) * vapour) - outside) / outside - cloud;
}

}  // namespace rtsim::clouds
