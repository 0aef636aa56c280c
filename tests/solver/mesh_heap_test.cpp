#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "support/running.h"

using namespace rtsim;
using nlohmann::json;

// Sheets and blocks of several solvers that fall on one another and on a floor, kept apart by
// mesh_contact. Sizes, materials, turns and steps are drawn at random. Nothing feeds them, so that
// they never have more energy than at the start.
namespace {

class Heap {
 public:
  explicit Heap(unsigned seed) : random_(seed) {
    constexpr double sizes[] = {0.13, 1, 7.7}, steps[] = {1.0 / 120, 1.0 / 240, 1.0 / 480};
    size_ = sizes[pick(3)];
    dt_ = steps[pick(3)] * std::sqrt(size_);
    friction_ = between(0, 0.8);
    const int meshes = 2 + pick(2);
    for (int k = 0; k < meshes; ++k) add("m" + std::to_string(k));
  }
  // The time that three falls take.
  int frames() const { return int(3 * std::sqrt(2 * size_ / g) / dt_); }
  json scene() const {
    json objects = objects_, stages = stages_;
    objects.push_back(
        {{"name", "floor"}, {"kind", "boundary"}, {"shape", {{"plane", json::object()}}}});
    stages.push_back({{"type", "mesh_contact"},
                      {"meshes", names_},
                      {"boundary", {"floor"}},
                      {"friction", friction_}});
    return {{"rtsim", 1},
            {"dim", 3},
            {"time", {{"dt", dt_}, {"frames", frames()}}},
            {"objects", objects},
            {"stages", stages}};
  }

 private:
  static constexpr double g = 9.81;
  double between(double low, double high) {
    return low + (high - low) * double(random_()) / 4294967296.0;
  }
  double power(double low, double high) { return std::pow(10, between(low, high)); }
  int pick(int n) { return int(between(0, n)); }

  void add(const std::string& name) {
    constexpr const char* solvers[] = {"xpbd", "mass_spring", "cloth_implicit", "fem"};
    const std::string solver = solvers[pick(4)];
    const bool sheet = solver == "cloth_implicit" || (solver != "fem" && pick(2) == 0);
    const double half = between(0.2, 0.5) * size_, thick = sheet ? 0 : between(0.15, 0.3) * size_;
    const double density = sheet ? 0.2 * size_ : 200 + 800 * pick(2);
    const int cells = sheet ? 6 + pick(4) : 3 + pick(2);
    json mesh{{"transform",
               {{"translate", {between(-0.1, 0.1) * size_, height_, between(-0.1, 0.1) * size_}},
                {"axis", {0, 1, 0}},
                {"angle", between(0, 90)}}}};
    if (sheet)
      mesh["sheet"] = {{"corner", {-half, 0, -half}},
                       {"u", {2 * half, 0, 0}},
                       {"v", {0, 0, 2 * half}},
                       {"cells", {cells, cells}}};
    else
      mesh["block"] = {
          {"min", {-half, 0, -half}}, {"max", {half, thick, half}}, {"cells", {cells, 2, cells}}};
    json stage{{"type", solver}, {"name", name}, {"mesh", name}};
    if (solver == "fem") stage["youngs_modulus"] = density * g * size_ * power(1.5, 3.5);
    if (solver == "xpbd")
      stage["substeps"] = 5 + 5 * pick(2), stage["stretch_compliance"] = power(-6, -4);
    if (solver == "mass_spring")
      stage["stiffness"] = density * g * size_ * (sheet ? power(1.5, 3) : size_ * power(1, 2.5));
    if (solver == "mass_spring" && sheet) stage["network"] = "cloth";
    objects_.push_back({{"name", name}, {"kind", "mesh"}, {"mesh", mesh}, {"density", density}});
    stages_.push_back(stage), names_.push_back(name);
    height_ += thick + between(0.03, 0.3) * size_;
  }

  std::mt19937 random_;
  double size_, dt_, friction_, height_ = 0.05;
  std::vector<json> objects_, stages_;
  std::vector<std::string> names_;
};

}  // namespace

TEST_CASE("mesh_heap: meshes that fall on one another gain no energy", "[long]") {
  for (const unsigned seed : {2, 3, 5, 7, 11, 24, 36, 37, 39}) {  // of long steps
    Heap heap(seed);
    Running r(heap.scene().dump(), Exec::cpu(2));
    const auto energy = [&] {
      double sum = 0;
      for (const Measurement& m : measure(r.sim))
        for (const char* of : {".kinetic_energy", ".potential_energy", ".elastic_energy"})
          if (m.name.ends_with(of)) sum += m.value;
      return sum;
    };
    const double start = energy();
    double most = start, through = 0;
    for (int n = 0; n < heap.frames(); ++n) {
      r.advance(1);
      most = std::max(most, energy());
      if (n % 10 == 0) through = std::max(through, r.measure("meshes.intersections"));
    }
    CAPTURE(seed, start, most);
    CHECK(most < 1.01 * start);
    CHECK(through == 0);
  }
}
