#include <catch2/catch.hpp>
#include <cmath>

#include "clouds/moist_air.h"
#include "support/running.h"

// Moist air against textbook figures, and clouds as a whole.
using namespace rtsim;
using clouds::Parcel;

TEST_CASE("clouds: saturation is that of tables") {
  // World Meteorological Organization's vapour pressures over water: 6.11, 12.27, 23.37, 42.43 hPa;
  // Bolton's fit is good to 0.3 %.
  const double table[4] = {611, 1227, 2337, 4243};
  for (int k = 0; k < 4; ++k)
    CHECK(clouds::saturation_pressure(clouds::ice_point + 10 * k) ==
          Approx(table[k]).epsilon(0.003));
  // Humidity ratios at 101325 Pa, ASHRAE Handbook of Fundamentals 2005, ch. 6, table 2; real moist
  // air holds half a percent more than the ideal gas does.
  CHECK(clouds::saturation(clouds::ice_point + 20, 101325.) == Approx(0.014758).epsilon(0.006));
  CHECK(clouds::saturation(clouds::ice_point + 30, 101325.) == Approx(0.027329).epsilon(0.006));
  const double slope = (clouds::saturation(290.01, 9e4) - clouds::saturation(289.99, 9e4)) / 0.02;
  CHECK(clouds::saturation_slope(290.0, clouds::saturation(290.0, 9e4)) ==
        Approx(slope).epsilon(1e-5));
}

TEST_CASE("clouds: still air has the pressure of the standard atmosphere") {
  // U.S. Standard Atmosphere 1976, at 1000, 3000 and 5000 m.
  const double height[3] = {1000, 3000, 5000}, p[3] = {89874, 70108, 54020};
  for (int k = 0; k < 3; ++k)
    CHECK(clouds::pressure_at(height[k], 101325, 288.15, 0.0065, 9.80665) ==
          Approx(p[k]).epsilon(1e-3));
}

TEST_CASE("clouds: condensation keeps water and heat, and ends at saturation or without cloud") {
  const double heat = clouds::latent_heat / clouds::heat_capacity;
  for (double q : {0.001, 0.008, 0.015, 0.03})
    for (double c : {0.0, 0.002, 0.01})
      for (double T : {265.0, 280.0, 295.0}) {
        const Parcel<double> a{T, q, c}, b = clouds::condense(a, 9e4);
        CHECK(b.vapour + b.cloud == Approx(q + c).epsilon(1e-14));
        CHECK(b.temperature - heat * b.cloud == Approx(T - heat * c).epsilon(1e-12));
        CHECK(b.cloud >= 0);
        if (b.cloud > 0)
          CHECK(b.vapour == Approx(clouds::saturation(b.temperature, 9e4)).epsilon(1e-6));
        else
          CHECK(b.vapour <= clouds::saturation(b.temperature, 9e4));
        const Parcel<Real> r = clouds::condense<Real>({Real(T), Real(q), Real(c)}, Real(9e4));
        CHECK(double(r.vapour) + double(r.cloud) ==
              Approx(q + c).epsilon(3e-7));  // Real's rounding
      }
}

namespace {

struct Level {
  double height, temperature;
};

// Where air of a potential temperature and so much vapour, lifted without mixing through air of the
// given lapse rate, is saturated.
Level condensation_level(double theta, double q, double T0, double lapse) {
  for (double y = 0;; y += 1) {
    const double p = clouds::pressure_at(y, 1e5, T0, lapse, 9.81), T = theta * clouds::exner(p);
    if (clouds::saturation(T, p) <= q) return {y, T};
  }
}
constexpr double dry_lapse = 9.81 / clouds::heat_capacity;  // [K/m]

}  // namespace

// Bolton 1980, eq. 22, good to 0.1 K: T_L = 1 / (1 / (T - 55) - ln(U) / 2840) + 55.
TEST_CASE("clouds: lifted air condenses at Bolton's level") {
  for (double T0 : {280.0, 290.0, 300.0})
    for (double humidity : {0.5, 0.7, 0.9}) {
      const double level = 1 / (1 / (T0 - 55) - std::log(humidity) / 2840) + 55;
      const double q = clouds::mixing_ratio(humidity * clouds::saturation_pressure(T0), 1e5);
      CHECK(condensation_level(T0, q, T0, dry_lapse).temperature == Approx(level).margin(0.15));
    }
}

// Bolton's saturation grows 2 % slower with T than Clausius-Clapeyron's with a constant L, which is
// in g (1 + L q / (R T)) / (c_p + 0.622 L^2 q / (R T^2)): Rogers & Yau, "A Short Course in Cloud
// Physics", 1989, eq. 3.16, with g dy = -R T dp / p.
TEST_CASE("clouds: saturated air cools by the moist adiabat as it rises") {
  for (double T : {273.0, 285.0, 295.0}) {
    const double p = 8.5e4, dp = 100, R = clouds::gas_constant, L = clouds::latent_heat,
                 q = clouds::saturation(T, p);
    const double lifted = T * clouds::exner(p - dp) / clouds::exner(p);
    const Parcel<double> b = clouds::condense<double>({lifted, q, 0}, p - dp);
    const double dy = R * T / 9.81 * std::log(p / (p - dp));
    const double lapse =
        9.81 * (1 + L * q / (R * T)) / (clouds::heat_capacity + 0.622 * L * L * q / (R * T * T));
    CHECK((T - b.temperature) / dy == Approx(lapse).epsilon(0.02));
  }
}

namespace {

std::string sky(const std::string& more, const char* gravity = "[0, -9.81]") {
  return R"({"rtsim": 1, "dim": 2, "gravity": )" + std::string(gravity) +
         R"(, "time": {"dt": 5, "steps_per_frame": 1, "frames": 1},
    "objects": [{"name": "sky", "kind": "grid", "spacing": 100, "min": [0, 0], "max": [2000, 3000]}],
    "stages": [{"type": "clouds", "grid": "sky")" +
         more + R"(}], "output": []})";
}

}  // namespace

TEST_CASE("clouds: still air stays still, to the last bit") {
  Running r(sky(""), Exec::cpu(2));
  r.advance(20);
  CHECK(r.measure("sky.max_speed") == 0);
  CHECK(r.measure("sky.cloud") == 0);
}

namespace {

// Of air from a height in the middle of the bubble below.
double level_of_bubble(double y) {
  const double share = std::exp(-std::pow((y - 400) / 300, 2)), T = 295 - 0.009 * y;
  const double p = clouds::pressure_at(y, 1e5, 295, 0.009, 9.81);
  return condensation_level(
             T / clouds::exner(p) + 2 * share,
             clouds::mixing_ratio(0.8 * clouds::saturation_pressure(T), p) + 0.001 * share, 295,
             0.009)
      .height;
}

}  // namespace

TEST_CASE("clouds: a warm moist bubble makes its cloud between the levels of its air") {
  Running r(sky(R"(, "ground_temperature": 295, "lapse_rate": 0.009, "relative_humidity": 0.8,
    "initial": [{"splat": {"centre": [1000, 400], "radius": 300}, "temperature": 2, "vapour": 0.001}])"),
            Exec::cpu(2));
  const double water = r.measure("sky.water");
  r.advance(60);
  CHECK(r.measure("sky.cloud") > 0);
  CHECK(r.measure("sky.cloud_base") > level_of_bubble(50) - 100);  // cells of 100 m
  CHECK(r.measure("sky.cloud_base") < level_of_bubble(400) + 100);
  CHECK(r.measure("sky.cloud_top") > level_of_bubble(400));
  CHECK(r.measure("sky.water") == Approx(water).epsilon(0.01));  // advection keeps it no better
}

TEST_CASE("clouds: what cannot be is refused with the way out") {
  const auto refuses = [](const std::string& text, const char* words) {
    CHECK_THROWS_WITH(Running(text, Exec::cpu(1)), Catch::Contains(words));
  };
  refuses(sky("", "[-9.81, 0]"), "need \"gravity\" along -y");
  refuses(
      sky(R"(, "sides": {"x_low": {"kind": "inflow", "velocity": [1, 0]}, "x_high": {"kind": "open"}})"),
      "not for clouds");
  refuses(sky(R"(, "sources": [{"splat": {"centre": [0, 9000], "radius": 10}}])"), "meets no cell");
}

// Dry air of 300 K at the ground with 12 g/kg, all along the dry adiabat: what condenses is the
// parcel's own, and the latent heat moves its saturation. The root by bisection, from the equations
// of the moist air alone.
TEST_CASE("clouds: still air that is too moist condenses by 0.622 e / (p - e)") {
  constexpr double lapse = 0.0097544, vapour = 0.012,
                   L = clouds::latent_heat / clouds::heat_capacity;
  Running r(R"({"rtsim": 1, "dim": 2, "time": {"dt": 1, "steps_per_frame": 1, "frames": 1},
    "gravity": [0, -9.81],
    "objects": [{"name": "sky", "kind": "grid", "spacing": 13, "min": [0, 0], "max": [65, 2002]}],
    "stages": [{"type": "clouds", "grid": "sky", "ground_temperature": 300, "ground_pressure": 101325,
      "relative_humidity": 0, "lapse_rate": 0.0097544, "pressure": {"tolerance": 1e-6},
      "sides": {"x_low": {"kind": "periodic"}, "x_high": {"kind": "periodic"},
                "y_low": {"kind": "free_slip"}, "y_high": {"kind": "free_slip"}},
      "initial": [{"shape": {"box": {"min": [-100, -100], "max": [200, 3000]}}, "vapour": 0.012}]}],
    "output": []})",
            Exec::cpu(1));
  r.advance(1);
  const auto cloud = r.world().table("sky").download<Real>("cloud");
  const auto expected = [&](double y) {
    const double T = 300 - lapse * y, p = 101325 * std::pow(T / 300, 9.81 / (287.04 * lapse));
    const auto excess = [&](double q) {
      const double t = T + L * q - 273.15, e = 611.2 * std::exp(17.67 * t / (t + 243.5));
      return vapour - q - 0.622 * e / (p - e);
    };
    if (excess(0) <= 0) return 0.0;
    double low = 0, high = vapour;
    for (int k = 0; k < 60; ++k) (excess(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
    return low;
  };
  for (const int j : {5, 100, 115, 150})
    CHECK(double(cloud[std::size_t(j) * 5 + 2]) ==
          Approx(expected((j + 0.5) * 13)).margin(3e-6));  // Real's rounding of a temperature
  CHECK(expected(1495) == Approx(0.000493).margin(5e-7));
}
