#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "deformables/contacts/contact.h"
#include "support/running.h"
#include "support/source_folder.h"

// Points of a mesh that nothing joins: they fall, and meet boundaries. For tests of contact alone.
namespace rtsim::testing {

struct PointsParams {
  ObjectName mesh;
  int substeps = 1;
  ContactParams contact;
};

inline void describe(Describe& d, PointsParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.role("mesh", p.mesh, kinds, "Points.");
  d("substeps", p.substeps, "", at_least(1), "Parts of a step.");
  describe(d, p.contact);
}

class PointsStage final : public Stage {
 public:
  PointsStage(const PointsParams& p, World& world)
      : p_(p), contact_(p.contact, world, p.mesh.name) {}

  void advance(World& world, const Step& step) override {
    Table& t = world.table(p_.mesh.name);
    const Span<Vec<3>> x = t.column<Vec<3>>("position"), v = t.column<Vec<3>>("velocity");
    const Span<const Real> w = t.column<const Real>("inverse_mass");
    const Real h = Real(step.dt / p_.substeps);
    const Vec<3> fall = h * world.gravity_vector<3>();
    contact_.begin(world, step, p_.substeps);
    for (int k = 0; k < p_.substeps; ++k) {
      std::vector<Vec<3>> before(x.data, x.data + x.size);
      for (Index i = 0; i < x.size; ++i)
        if (w[i] > 0) v[i] = v[i] + fall, x[i] = x[i] + h * v[i];
      contact_.resolve(world, k, {before.data(), x.size}, x, v, w, h);
    }
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    contact_.measure(world, p_.mesh.name, out);
  }

 private:
  PointsParams p_;
  Contact contact_;
};

inline std::vector<StageType> points_catalog() {
  return {stage_type<PointsParams>(
      "points", "Falls.", "Galilei, Discorsi, 1638", {"No forces between points."}, "",
      +[](const PointsParams& p, World& w) -> std::unique_ptr<Stage> {
        return std::make_unique<PointsStage>(p, w);
      })};
}

// A point at each of `at`, with a velocity, among boundaries: objects of the scene, as text.
struct Points {
  std::string at = "[0, 0, 0]";  // one after the other, in brackets
  std::string velocity = "[0, 0, 0]";
  std::string boundaries;  // , {...}
  std::string names;       // "floor"
  std::string more;        // keys of the contact, with a comma in front
  std::string gravity = "[0, -9.81, 0]";
  double dt = 0.01;
  int substeps = 10;

  Running run(const Exec& ex = Exec::cpu(1)) const {
    const std::string text = fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 100000}},
      "objects": [{{"name": "mesh", "kind": "mesh", "vertex_mass": 1, "velocity": {},
        "mesh": {{"nodes": {{"positions": [{}], "edges": [{}]}}}}}}{}],
      "stages": [{{"type": "points", "mesh": "mesh", "boundary": [{}], "substeps": {}{}}}]}})",
        gravity, dt, velocity, at, edges(), boundaries, names, substeps, more);
    return Running(read_scene_text(text, "scene.json", source_folder(), {}, points_catalog()), ex);
  }

 private:
  // Every point belongs to a cell.
  std::string edges() const {
    const auto n = std::ranges::count(at, '[');
    std::string list;
    for (long i = 0; i + 1 < n; ++i) list += fmt::format("{}{}, {}", i ? ", " : "", i, i + 1);
    return list;
  }
};

inline std::vector<Vec3d> positions(Running& r) {
  std::vector<Vec3d> x;
  for (const auto& p : r.world().table("mesh").download<Vec<3>>("position")) x.push_back(widen(p));
  return x;
}
inline std::vector<Vec3d> velocities(Running& r) {
  std::vector<Vec3d> v;
  for (const auto& p : r.world().table("mesh").download<Vec<3>>("velocity")) v.push_back(widen(p));
  return v;
}

}  // namespace rtsim::testing
