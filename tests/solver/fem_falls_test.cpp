#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "support/running.h"

using namespace rtsim;
using nlohmann::json;

// Blocks that are thrown onto a floor, a box or a ball, whose sizes, materials, turns and steps are
// drawn at random. Nothing feeds them, so that they never have more energy than at the start.
namespace {

class Fall {
 public:
  Fall(unsigned seed, const char* integrator) : random_(seed) {
    constexpr double sizes[] = {0.13, 1, 7.7}, densities[] = {200, 1000, 3000},
                     steps[] = {1.0 / 60, 1.0 / 120, 1.0 / 240}, ratios[] = {0.1, 0.3, 0.45};
    constexpr const char* materials[] = {"neo_hookean", "corotational", "stvk"};
    size_ = sizes[pick(3)];
    dt_ = steps[pick(3)] * std::sqrt(size_) * between(0.7, 1.3);
    const double density = densities[pick(3)], speed = std::sqrt(g * size_);
    json stage{{"type", "fem"},
               {"mesh", "m"},
               {"integrator", integrator},
               {"material", materials[pick(3)]},
               {"youngs_modulus", density * g * size_ * std::pow(10, between(1.3, 4.5))},
               {"poissons_ratio", ratios[pick(3)]},
               {"friction", between(0, 0.8)},
               {"boundary", {"floor"}}};
    if (pick(2) == 0) stage["newton_iterations"] = 1;
    const json half = vector(0.15 * size_, 0.5 * size_), axis = vector(-1, 1);
    const int cells = 2 + pick(3);
    json low;
    for (const double h : half) low.push_back(-h);
    objects_ = {{{"name", "m"},
                 {"kind", "mesh"},
                 {"density", density},
                 {"velocity", vector(-speed, speed)},
                 {"mesh",
                  {{"block", {{"min", low}, {"max", half}, {"cells", {cells + 1, cells, cells}}}},
                   {"transform",
                    {{"axis", axis},
                     {"angle", between(0, 180)},
                     {"translate", {0, between(1.2, 2) * size_, 0}}}}}}},
                {{"name", "floor"}, {"kind", "boundary"}, {"shape", {{"plane", json::object()}}}}};
    const double l = 0.3 * size_;
    const json obstacles[] = {{{"box", {{"min", {0, -l, -l}}, {"max", {size_, l, l}}}}},
                              {{"sphere", {{"centre", {0.1 * size_, 0, 0}}, {"radius", l}}}}};
    if (const int n = pick(3); n < 2) {
      objects_.push_back({{"name", "obstacle"}, {"kind", "boundary"}, {"shape", obstacles[n]}});
      stage["boundary"].push_back("obstacle");
    }
    stages_ = {stage};
  }
  // The time that three falls take.
  int frames() const { return int(3 * std::sqrt(2 * size_ / g) / dt_); }
  std::string scene() const {
    return json{{"rtsim", 1},
                {"dim", 3},
                {"time", {{"dt", dt_}, {"frames", frames()}}},
                {"objects", objects_},
                {"stages", stages_}}
        .dump();
  }

 private:
  static constexpr double g = 9.81;
  double between(double low, double high) {
    return low + (high - low) * double(random_()) / 4294967296.0;
  }
  int pick(int n) { return int(between(0, n)); }
  json vector(double low, double high) {
    json v;
    for (int a = 0; a < 3; ++a) v.push_back(between(low, high));
    return v;
  }

  std::mt19937 random_;
  double size_, dt_;
  json objects_, stages_;
};

}  // namespace

TEST_CASE("fem_falls: blocks that fall on boundaries gain no energy, by newmark either") {
  for (const char* integrator : {"newmark", "backward_euler"})
    for (unsigned seed = 0; seed < 30; ++seed) {
      const Fall fall(seed, integrator);
      Running r(fall.scene(), Exec::cpu(2));
      const auto energy = [&] {
        return r.measure("m.kinetic_energy") + r.measure("m.potential_energy") +
               r.measure("m.elastic_energy");
      };
      const double start = energy();
      double most = start;
      for (int n = 0; n < fall.frames(); ++n) r.advance(1), most = std::max(most, energy());
      CAPTURE(integrator, seed, start, most);
      CHECK(most < 1.001 * start);
    }
}
