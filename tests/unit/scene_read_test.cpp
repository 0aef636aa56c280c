#include <catch2/catch.hpp>

#include "fake_stage.h"

using namespace rtsim;
using namespace rtsim::fake;

namespace {

std::string changed(const std::string& from, const std::string& to) {
  std::string text = good_scene;
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("scene: a good one is read into values") {
  const Scene s = read(good_scene);
  CHECK(s.dim == 3);
  CHECK(s.seed == 7);
  CHECK(s.gravity == Vec3d{{0, -9.81, 0}});
  CHECK(s.time.step_dt() == 1 / (50.0 * 4));
  CHECK(s.time.frame_count() == 15);
  REQUIRE(s.objects.size() == 2);
  const auto* water = s.objects[0].as<ParticlesSpec>();
  REQUIRE(water);
  CHECK(water->fill.size() == 1);
  CHECK(water->spacing == 0.02);
  REQUIRE(s.objects[1].kind() == Kind::boundary);
  CHECK(s.objects[1].as<BoundarySpec>()->shape.box);
  REQUIRE(s.stages.size() == 1);
  CHECK(s.stages[0].name == "pour");
  REQUIRE(s.stages[0].roles.size() == 2);
  CHECK(s.stages[0].roles[1].pointer == "/stages/0/boundary/0");
  CHECK(s.stages[0].roles[1].key == "boundary");
  CHECK(s.stages[0].roles[1].object == "tank");
  CHECK(s.output[0].object == "water");
  CHECK(s.checkpoint_seconds == 300);
  CHECK(s.checkpoint_frames == std::nullopt);
  CHECK(s.assets == std::vector<std::string>{"/scenes/pour.csv"});
}

TEST_CASE("scene: all mistakes are told at once, in the order of the file") {
  const std::string text = R"({ "rtsim": 1,
  "gravity": [0, -9.81],
  "time": { "fps": 50, "dt": 0.01, "steps_per_frame": 0, "duration": 1 },
  "objects": [
    { "name": "water", "kind": "particles", "spacing": -0.02, "color": 3,
      "fill": { "box": { "min": [0, 0, 0], "max": [1, 1, 1] } } },
    { "name": "tank", "kind": "boundary", "shape": { "sphere": { "centre": [0, 0, 0] } } },
    { "name": "cloth", "kind": "bodies", "vertices": 12 },
    { "name": "tank", "kind": "boundary", "spacing": 1, "shape": { "plane": {} } },
    { "name": "rock!", "kind": "boundary", "shape": { "plane": {} } }
  ],
  "stages": [
    { "type": "pour", "fluid": "tank", "stifness": 1, "boundary": ["tnak", "water"], "damping": "x",
      "damping": 1 },
    { "type": "poor" },
    { "name": "third", "fluid": "water" }
  ],
  "output": [ { "object": "watr", "format": "hdf6" }, { "object": "tank", "half": true } ],
  "checkpoint_every": "5 days",
  "expect": [ { "value": "pour.water.mass", "curve": "x" }, { "value": "a", "rel": 1 } ]
})";
  CHECK(complaints(text) ==
        R"(scene.json:2:3: /gravity: must be a list of 3 numbers in m/s^2, got [0,-9.81]
scene.json:3:24: /time/dt: give "fps" or "dt", not both
scene.json:3:36: /time/steps_per_frame: must be >= 1, got 0
scene.json:5:45: /objects/0/spacing: must be > 0 m, got -0.02
scene.json:5:63: /objects/0/color: unknown key; the keys here are name, kind, spacing, fill, settling_time, velocity, flow
scene.json:7:54: /objects/1/shape/sphere/radius: missing; must be a number > 0 m
scene.json:8:5: /objects/2/bodies: missing; must be a list of objects
scene.json:8:5: /objects/2: no stage uses 'cloth'; name it in a stage or remove it
scene.json:8:42: /objects/2/vertices: unknown key; the keys here are name, kind, density, bodies, joints
scene.json:9:7: /objects/3/name: 'tank' is the name of /objects/1 already; names are unique
scene.json:9:43: /objects/3/spacing: is for kind "particles", "grid", "height_field"; kind "boundary" has "shape", "motion", "deformation", "material"
scene.json:10:5: /objects/4: no stage uses 'rock!'; name it in a stage or remove it
scene.json:10:7: /objects/4/name: must consist of letters, digits, _ and -, as it names files and series
scene.json:13:23: /stages/0/fluid: 'tank' is of kind boundary; "fluid" needs particles
scene.json:13:40: /stages/0/stifness: unknown key; did you mean "stiffness"?
scene.json:13:68: /stages/0/boundary/0: there is no object 'tnak'; did you mean "tank"?
scene.json:13:76: /stages/0/boundary/1: 'water' is of kind particles; "boundary" needs boundary or bodies
scene.json:13:86: /stages/0/damping: must be a number >= 0 N s/m, got "x"
scene.json:14:7: /stages/0/damping: given twice; first on line 13
scene.json:15:7: /stages/1/type: there is no stage type "poor"; did you mean "pour"?
scene.json:16:5: /stages/2/type: missing; must be a text
scene.json:18:17: /output/0/object: there is no object 'watr'; did you mean "water"?
scene.json:18:35: /output/0/format: must be "hdf5", "vdb" or "surface", got "hdf6"
scene.json:18:75: /output/1/half: is for format "vdb"
scene.json:19:3: /checkpoint_every: must be a whole number of frames >= 1, or a time such as "5 min", "30 s" or "2 h", got "5 days"
scene.json:20:15: /expect/0: give one of "value", "curve" and "profile"
scene.json:20:61: /expect/1/equals: missing; must be a number
scene.json:20:61: /expect/1/source: missing; must be a text)");
}

TEST_CASE("scene: what is missing is told where it belongs") {
  CHECK(complaints("{}") == R"(scene.json:1:1: /rtsim: missing; must be a whole number
scene.json:1:1: /time: needs "fps" or "dt"
scene.json:1:1: /time: needs "frames" or "duration"
scene.json:1:1: /stages: missing; must be a list of objects)");
  CHECK(complaints("[1]") == "scene.json:1:1: must be an object, got [1]");
  CHECK(complaints(changed("\"rtsim\": 1", "\"rtsim\": 2")) ==
        "scene.json:3:32: /rtsim: scene format 2 is not known; this version reads 1");
}

TEST_CASE("scene: a syntax error is told alone") {
  CHECK(complaints(changed("\"seed\": 7,", "\"seed\": 7")) ==
        "scene.json:4:3: not JSON: unexpected string literal; expected '}'; is a comma missing "
        "before it?");
}

TEST_CASE("scene: an object that no stage uses is a mistake") {
  CHECK(complaints(changed(R"("boundary": ["tank"], )", "")) ==
        "scene.json:8:5: /objects/1: no stage uses 'tank'; name it in a stage or remove it");
}

TEST_CASE("scene: stages and objects have names of their own") {
  const std::string twice =
      R"({ "type": "pour", "name": "a b", "fluid": "water" }, { "type": "pour", "fluid": "water" },
    { "type": "pour")";
  CHECK(
      complaints(changed("{ \"type\": \"pour\"", twice)) ==
      R"(scene.json:11:23: /stages/0/name: must consist of letters, digits, _ and -, as it names files and series
scene.json:12:5: /stages/2/name: 'pour' is the name of /stages/1 already; names are unique)");
}

TEST_CASE("scene: names of stages that start with _ are the program's own") {
  CHECK(
      complaints(changed("{ \"type\": \"pour\"", R"({ "type": "pour", "name": "_motion")")) ==
      "scene.json:11:23: /stages/0/name: must not start with _, which marks the stages that a run "
      "puts in itself");
}

TEST_CASE("scene: a stage takes an object once, in one role") {
  CHECK(
      complaints(changed(R"(["tank"])", R"(["tank", "tank"])")) ==
      "scene.json:11:62: /stages/0/boundary/1: 'tank' is named by /stages/0/boundary/0 already; a "
      "stage takes an object once");
  CHECK(
      complaints(changed(R"(["tank"])", R"(["tank", "water"])")) ==
      R"(scene.json:11:62: /stages/0/boundary/1: 'water' is of kind particles; "boundary" needs boundary or bodies
scene.json:11:62: /stages/0/boundary/1: 'water' is named by /stages/0/fluid already; a stage takes an object once)");
  const std::string two = R"({ "type": "pour", "name": "a", "fluid": "water" }, { "type": "pour")";
  CHECK(complaints(changed("{ \"type\": \"pour\"", two)) == "");
}

TEST_CASE("scene: a volume has no columns, and a table no voxels") {
  CHECK(
      complaints(changed(
          R"({ "object": "water" })",
          R"({ "object": "water", "format": "vdb", "columns": ["position"], "bits": 8 })")) ==
      R"(scene.json:12:78: /output/0/bits: is for format "hdf5"; here "half" makes files smaller)");
  CHECK(complaints(changed(R"({ "object": "water" })", R"({ "object": "water", "voxel": 1 })")) ==
        R"(scene.json:12:36: /output/0/voxel: is for format "vdb")");
}

TEST_CASE("scene: a surface has its own keys, for particles in space") {
  const auto surface = [](const std::string& keys) {
    return complaints(changed(R"({ "object": "water" })",
                              R"({ "object": "water", "format": "surface")" + keys + " }"));
  };
  CHECK(surface("") == "");
  CHECK(
      surface(R"(, "files": ["sdf", "obj"], "kernels": "isotropic", "voxels_per_spacing": 1.5)") ==
      "");
  CHECK(surface(R"(, "files": ["off", "ply", "ply"])") ==
        R"(scene.json:12:57: /output/0/files: must be of "ply", "obj", "stl" and "sdf", got "off"
scene.json:12:57: /output/0/files: names "ply" twice)");
  CHECK(
      surface(R"(, "files": [])") ==
      R"(scene.json:12:57: /output/0/files: must name at least one of "ply", "obj", "stl" and "sdf")");
  CHECK(surface(R"(, "kernels": "isotropic", "smoothing": 0.9)") ==
        R"(scene.json:12:81: /output/0/smoothing: is for kernels "anisotropic")");
  CHECK(
      surface(R"(, "voxel": 1)") ==
      R"(scene.json:12:57: /output/0/voxel: is for format "vdb"; a surface has "voxels_per_spacing")");
  CHECK(complaints(
            changed(R"({ "object": "water" })", R"({ "object": "water", "files": ["ply"] })")) ==
        R"(scene.json:12:36: /output/0/files: is for format "surface")");
}

TEST_CASE("scene: a profile has a line with a length and two values") {
  const auto profile = [](const std::string& to, const std::string& line) {
    return complaints(changed(
        R"("output")",
        R"("expect": [ { "profile": "water.pressure", "from": [0, 0, 0], "width": 1, "rel": 1,
    "source": "made up", "to": )" +
            to + R"(, "line": )" + line + R"( } ], "output")"));
  };
  CHECK(profile("[0, 1, 0]", "[1, 0]") == "");
  CHECK(profile("[0, 0, 0]", "[]") ==
        R"(scene.json:13:26: /expect/0/to: is where the line starts; the line must have a length
scene.json:13:43: /expect/0/line: must be two numbers or more)");
}

TEST_CASE("scene: one object is written once in each format") {
  CHECK(complaints(changed(R"({ "object": "water" })",
                           R"({ "object": "water" }, { "object": "water" })")) ==
        "scene.json:12:38: /output/1: 'water' is written in this format by /output/0 already");
  CHECK(complaints(changed(
            R"({ "object": "water" })",
            R"({ "object": "water" }, { "object": "water", "format": "vdb", "half": true })")) ==
        "");
}

TEST_CASE("scene: --set changes values before they are read and is named in their problems") {
  CHECK(
      read(good_scene, {"/stages/0/damping=2", "/seed=8", "/stages/0/name=main"}).stages[0].name ==
      "main");
  CHECK(complaints(good_scene, {"/stages/0/dampin=2"}) ==
        R"(--set /stages/0/dampin=2: unknown key; did you mean "damping"?)");
  CHECK(complaints(good_scene, {"/stages/0/damping=-2", "/stage/0=1", "/dim=4"}) ==
        R"(--set /stage/0=1: there is no /stage in the scene; did you mean "stages"?
--set /stages/0/damping=-2: must be >= 0 N s/m, got -2
--set /dim=4: must be between 2 and 3, got 4)");
}

TEST_CASE("scene: problems found later have their place too") {
  const Scene s = read(good_scene, {"/stages/0/damping=2"});
  CHECK(scene_problem(s, "/objects/1/shape", "not closed") ==
        "scene.json:9:7: /objects/1/shape: not closed");
  CHECK(scene_problem(s, "/stages/0/damping", "too soft") == "--set /stages/0/damping=2: too soft");
}

TEST_CASE("scene: a missing file and a folder are told") {
  CHECK_THROWS_WITH(read_scene("/nowhere/scene.json", {}, catalog()),
                    "/nowhere/scene.json: No such file or directory");
  CHECK_THROWS_WITH(read_scene("/tmp", {}, catalog()),
                    "/tmp: is a folder; name the scene's JSON file");
}
