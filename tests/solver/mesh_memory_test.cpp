#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "meshes/mesh_spec.h"
#include "sim/build/build.h"
#include "support/running.h"
#include "support/temporary_folder.h"

// What sheets will take is known before they are built.
using namespace rtsim;

namespace {

Scene sheet(const std::string& mesh, const std::string& stage) {
  const std::string ground =
      R"(, {"name": "b", "kind": "boundary", "shape": {"plane": {"point": [0, -1, 0]}}})";
  return read_scene_text(
      fmt::format(
          R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "m", "kind": "mesh", "density": 0.2,
                  "mesh": {{{}}}}}{}],
    "stages": [{{"mesh": "m", {}}}], "output": []}})",
          mesh, stage.find("boundary") == std::string::npos ? "" : ground, stage),
      "scene.json", ".", {}, stage_catalog());
}

ObjectEstimate estimate_of_sheet(const Scene& scene) {
  for (const ObjectEstimate& o : estimate(scene))
    if (o.name == "m") return o;
  throw std::logic_error("no sheet");
}

const std::string cells = R"("sheet": {"cells": [80, 80]})";

// Bytes said beforehand over bytes held after two steps.
double said(const std::string& stage) {
  const Exec ex = Exec::cpu(1);
  const Scene scene = sheet(cells, stage);
  const double bytes = estimate_of_sheet(scene).bytes;
  Running r(scene, ex);
  r.advance(2);
  return bytes / double(ex.peak_bytes());
}

// The same sheet: each triangle with corners of its own, and a point of none.
void write_sheet(const std::filesystem::path& file) {
  CellMeshSpec spec;
  spec.sheet.emplace().cells = {80, 80};
  const CellMesh m = make_cells(spec);
  std::ofstream obj(file);
  obj << "v 7 7 7\n";
  for (const CellMesh::Triangle& t : m.triangles) {
    for (const auto corner : t) {
      const Vec3d& x = m.points[std::size_t(corner)];
      obj << fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
    }
    obj << "f -3 -2 -1\n";
  }
}

}  // namespace

// Too little by a fifth or too much by a quarter. Bending of plain sheets is left out: triangles of
// one kind share theirs, and what is said is for those that do not.
TEST_CASE("meshes: their memory is counted before the world is built") {
  for (const char* stage :
       {R"("type": "xpbd")", R"("type": "xpbd", "bending_stiffness": 1e-3, "bending": "dihedral")",
        R"("type": "pbd", "boundary": ["b"])", R"("type": "pbd", "order": "jacobi", "tethers": 2)",
        R"("type": "xpbd", "boundary": ["b"], "touch": "faces")",
        R"("type": "xpbd", "boundary": ["b"], "touch": "faces", "self_contact": true)",
        R"("type": "verlet")", R"("type": "mass_spring")",
        R"("type": "mass_spring", "network": "cloth", "bending_stiffness": 1e-4)",
        R"("type": "mass_spring", "integrator": "symplectic_euler", "network": "cloth")",
        R"("type": "cloth_implicit", "boundary": ["b"], "touch": "faces")"}) {
    INFO(stage);
    const double share = said(stage);
    CHECK(share > 0.8);
    CHECK(share < 1.25);
  }
}

TEST_CASE("meshes: those of files are counted as those of the same form") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path / "sheet.obj";
  write_sheet(file);
  const std::string stage = R"("type": "xpbd")";
  const std::string surface = fmt::format(R"("surface": {{"file": "{}"}})", file.string());
  const ObjectEstimate read = estimate_of_sheet(sheet(surface, stage)),
                       made = estimate_of_sheet(sheet(cells, stage));
  CHECK(read.rows == 81 * 81);
  CHECK(read.bytes == made.bytes);
}
