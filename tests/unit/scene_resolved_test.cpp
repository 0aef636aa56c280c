#include <catch2/catch.hpp>
#include <fstream>

#include "fake_stage.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using namespace rtsim::fake;

namespace {

const std::string full_scene = R"({
  "rtsim": 1, "dim": 2, "gravity": [0, -1],
  "time": { "dt": 0.001, "steps_per_frame": 4, "frames": 8 },
  "objects": [
    { "name": "water", "kind": "particles", "spacing": 0.02, "velocity": [1, 0], "fill": [
      { "box": { "min": [0, 0], "max": [0.4, 0.8] }, "transform": { "translate": [0.5, 0] } },
      { "difference": [ { "sphere": { "centre": [2, 2], "radius": 1 } },
                        { "polygon": { "points": [[2, 2], [3, 2], [2, 3]] } } ] } ] },
    { "name": "wall", "kind": "boundary", "shape": { "plane": {} }, "motion": { "keyframes": [
      { "time": 0 }, { "time": 1, "translate": [0.1, 0], "angle": 30 } ] } },
    { "name": "paddle", "kind": "boundary", "shape": { "box": { "min": [0, 0], "max": [1, 1] } },
      "motion": { "velocity": [0.5, 0], "spin": 0.1 } } ],
  "stages": [
    { "type": "pour", "name": "main", "fluid": "water", "boundary": ["wall", "paddle"],
      "table": "t.csv", "mode": "slow", "max_speed": 0.1, "nozzle": { "width": 2 } } ],
  "output": [ { "object": "water", "format": "vdb", "half": true },
              { "object": "wall", "bits": 12, "columns": ["position"] } ],
  "series_every": 3, "checkpoint_every": "90 s", "checkpoint_keep": 0,
  "expect": [
    { "value": "main.water.mass", "equals": 1, "rel": 0.1, "source": "balance" },
    { "curve": "main.water.front", "file": "f.csv", "range": [1, 2], "abs": 1, "source": "a paper" },
    { "profile": "water.pressure", "from": [0, 0], "to": [0, 1], "width": 0.1, "line": [1, 0],
      "rel": 0.1, "source": "rho g h" },
    { "profile": "water.pressure", "from": [0, 0], "to": [0, 1], "file": "p.csv", "x_scale": 2,
      "rel": 0.1, "source": "a thesis" },
    { "curve": "main.water.front", "file": "f.csv", "source": "Taylor",
      "order": { "vary": { "pointer": "/time/dt", "values": [0.1, 0.05] }, "min": 1 } } ]
})";

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("scene_resolved: the resolved scene reads as the same scene and resolves to itself") {
  for (const std::string& text : {good_scene, full_scene}) {
    const Scene first = read(text);
    const Scene again =
        read_scene_text(first.resolved, "scene.resolved.json", "/elsewhere", {}, catalog());
    CHECK(again.resolved == first.resolved);
    CHECK(again.identity == first.identity);
    CHECK(again.assets == first.assets);
  }
}

TEST_CASE("scene_resolved: defaults are filled, --set is applied, files are absolute") {
  const Scene s = read(good_scene, {"/stages/0/damping=2.5"});
  CHECK(s.resolved == R"({
  "rtsim": 1,
  "dim": 3,
  "seed": 7,
  "gravity": [
    0.0,
    -9.81,
    0.0
  ],
  "time": {
    "fps": 50.0,
    "dt": null,
    "steps_per_frame": 4,
    "frames": null,
    "duration": 0.3
  },
  "objects": [
    {
      "name": "water",
      "kind": "particles",
      "spacing": 0.02,
      "fill": [
        {
          "box": {
            "min": [
              0.0,
              0.0,
              0.0
            ],
            "max": [
              0.4,
              0.8,
              0.4
            ]
          },
          "inside": false,
          "transform": {
            "translate": [
              0.0,
              0.0,
              0.0
            ],
            "axis": [
              0.0,
              0.0,
              1.0
            ],
            "angle": 0.0,
            "scale": 1.0
          }
        }
      ],
      "settling_time": 0.0,
      "velocity": [
        0.0,
        0.0,
        0.0
      ]
    },
)" + s.resolved.substr(s.resolved.find("    {\n      \"name\": \"tank\"")));
  CHECK(s.resolved.ends_with(R"("stages": [
    {
      "type": "pour",
      "name": "pour",
      "fluid": "water",
      "boundary": [
        "tank"
      ],
      "stiffness": 1000.0,
      "damping": 2.5,
      "max_speed": null,
      "substeps": 1,
      "quiet": false,
      "mode": "fast",
      "weights": [
        1.0,
        2.0
      ],
      "table": "/scenes/pour.csv"
    }
  ],
  "output": [
    {
      "object": "water",
      "format": "hdf5",
      "every": 1,
      "columns": [],
      "bits": 0
    }
  ],
  "series_every": 1,
  "checkpoint_every": "5 min",
  "checkpoint_keep": 2
}
)"));
}

TEST_CASE("scene_resolved: the identity forgets the end and how many checkpoints stay") {
  const std::string identity = read(good_scene).identity;
  CHECK(identity.size() == 16);
  CHECK(read(good_scene, {"/time/duration=10"}).identity == identity);
  CHECK(read(good_scene, {"/checkpoint_keep=7"}).identity == identity);
  CHECK(read(good_scene, {"/time/frames=10", "/time/duration=null"}).identity == identity);
  for (const char* set : {"/seed=8", "/time/steps_per_frame=5", "/stages/0/damping=1e-9",
                          "/stages/0/name=other", "/output/0/bits=12", "/stages/0/table=other.csv"})
    CHECK(read(good_scene, {set}).identity != identity);
}

TEST_CASE("scene_resolved: the identity holds the contents of files, not their paths") {
  const TemporaryFolder folder;
  std::string text = good_scene;
  text.replace(text.find("data/../pour.csv"), 16, "a.csv");
  write(folder.path / "scene.json", text);
  write(folder.path / "a.csv", "1, 2\n");
  write(folder.path / "b.csv", "1, 2\n");
  const auto identity = [&](const std::vector<std::string>& set = {}) {
    return read_scene(folder.path / "scene.json", set, catalog()).identity;
  };
  const std::string first = identity();
  CHECK(identity({"/stages/0/table=b.csv"}) == first);
  write(folder.path / "b.csv", "1, 3\n");
  CHECK(identity({"/stages/0/table=b.csv"}) != first);
  const Scene s = read_scene(folder.path / "scene.json", {}, catalog());
  CHECK(s.assets == std::vector{(folder.path / "a.csv").string()});
  CHECK(s.file == folder.path / "scene.json");
}

TEST_CASE("scene_resolved: files that cannot be opened are told where the scene names them") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path / "meshes");
  std::string text = good_scene;
  text.replace(text.find("data/../pour.csv"), 16, "a.csv");
  const std::string box = R"({ "box": { "min": [0, 0, 0], "max": [0.4, 0.8, 0.4] } })";
  const auto complaint = [&](const std::string& fill) {
    std::string changed = text;
    changed.replace(changed.find(box), box.size(), fill);
    write(folder.path / "scene.json", changed);
    try {
      read_scene(folder.path / "scene.json", {}, catalog());
    } catch (const Error& e) {
      CHECK(e.code() == ExitCode::bad_input);
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string place = (folder.path / "scene.json").string(), at = folder.path.string();
  const std::string hint = "; files are looked for from the scene's folder";
  const std::string table =
      place + ":11:63: /stages/0/table: " + at + "/a.csv: No such file or directory" + hint;
  CHECK(complaint(box) == table);
  CHECK(complaint(R"({ "mesh": { "file": "rock.obj" } })") ==
        place + ":7:27: /objects/0/fill/mesh/file: " + at + "/rock.obj: No such file or directory" +
            hint + "\n" + table);
  write(folder.path / "a.csv", "1, 2\n");
  CHECK(complaint(R"([ { "plane": {} }, { "union": [ { "mesh": { "file": "meshes" } } ] } ])") ==
        place + ":7:59: /objects/0/fill/1/union/0/mesh/file: " + at + "/meshes: is a folder" +
            hint);
  CHECK(complaint(box) == "");
}
