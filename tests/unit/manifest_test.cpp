#include "sim/records/manifest.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/hash.h"
#include "cache/durable.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

Manifest full() {
  Manifest m;
  m.identity = "00112233445566ff";
  m.status = "diverged";
  m.exit_code = 4;
  m.message = "step 412: \"velocity\" of row 7 is not finite\nnext line";
  m.scene_file = "/scenes/d\xc3\xa4mm.json";
  m.command_line = {"rtsim", "run", "a b.json", "--set", "/seed=1"};
  m.working_folder = "/home";
  m.host = "node7", m.user = "ada";
  m.build = {"0.1.0", "abc-dirty", "GNU 12.2.0", "-O3", "float", "none", "0a1b2c", "-a\n+b\n"};
  m.device = "cpu: some processor";
  m.threads = 5, m.seed = -9007199254740993;  // not a double
  m.started = "2024-01-02T03:04:05Z", m.ended = "2024-01-02T03:05:05Z";
  m.wall_seconds = 60.125;
  m.steps = 412, m.frames = 21;
  m.assets = {{"/meshes/ship.obj", "0123456789abcdef"}};
  m.restarts = {{240,
                 "2024-01-02T03:04:35Z",
                 "node8",
                 {"0.1.0", "def", "GNU 12.2.0", "-O2", "double", "none"},
                 "cuda: NVIDIA H200",
                 3,
                 {"rtsim", "resume", "out"}}};
  return m;
}

}  // namespace

TEST_CASE("manifest: what is written reads back the same") {
  const TemporaryFolder folder;
  const Manifest m = full();
  write_manifest(folder.path, m);
  REQUIRE(has_manifest(folder.path));
  const Manifest back = read_manifest(folder.path);
  CHECK(to_json(back) == to_json(m));
  CHECK(back.seed == m.seed);
  CHECK(back.message == m.message);
  CHECK(back.assets == m.assets);
  REQUIRE(back.restarts.size() == 1);
  CHECK(back.restarts[0].step == 240);
  CHECK(back.restarts[0].build.commit == "def");
  CHECK(back.restarts[0].device == "cuda: NVIDIA H200");
  CHECK(back.restarts[0].threads == 3);
  CHECK(back.restarts[0].command_line == std::vector<std::string>{"rtsim", "resume", "out"});
}

TEST_CASE("manifest: a branch knows the run that it left, and what is other") {
  const TemporaryFolder folder;
  Manifest m = full();
  CHECK_FALSE(nlohmann::json::parse(to_json(m)).contains("parent"));
  m.parent =
      Manifest::Parent{"/runs/a",
                       "feedfacecafebeef",
                       12,
                       240,
                       "0123456789abcdef",
                       {{"/time/frames", "60", ""}, {"/stages/0/mode", "\"fast\"", "[1,2]"}}};
  write_manifest(folder.path, m);
  CHECK(manifest_damage(folder.path) == "");
  const Manifest back = read_manifest(folder.path);
  CHECK(to_json(back) == to_json(m));
  REQUIRE(back.parent);
  CHECK(back.parent->frame == 12);
  CHECK(back.parent->differences[0].is == "");
  CHECK(back.parent->differences[1].was == "\"fast\"");
}

TEST_CASE("manifest: keys are the names of the struct, in its order") {
  const auto j = nlohmann::ordered_json::parse(to_json(full()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : j.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{
                    "rtsim_run",  "identity",     "status",         "exit_code", "message",
                    "scene_file", "command_line", "working_folder", "host",      "user",
                    "build",      "device",       "threads",        "seed",      "started",
                    "ended",      "wall_seconds", "steps",          "frames",    "assets",
                    "restarts",   "xxh3"});
}

TEST_CASE("manifest: a new one states who runs what, where, on which build") {
  const TemporaryFolder folder;
  const std::string asset = (folder.path / "ship.obj").string();
  write_file(asset, "v 0 0 0\n");
  Scene scene;
  scene.file = "scene.json";
  scene.identity = "feedfacecafebeef";
  scene.seed = 42;
  scene.assets = {asset};
  const Manifest m = new_manifest(scene, {"rtsim", "run"}, "cpu: x", 3);
  CHECK(m.status == "running");
  CHECK(m.identity == scene.identity);
  CHECK(m.seed == 42);
  CHECK(m.threads == 3);
  CHECK(std::filesystem::path(m.scene_file).is_absolute());
  CHECK_FALSE(m.host.empty());
  CHECK_FALSE(m.user.empty());
  CHECK(m.build.version == build_info().version);
  REQUIRE(m.assets.size() == 1);
  CHECK(m.assets[0].second == hex(hash_file(asset)));
}

TEST_CASE("manifest: times are ISO 8601 in UTC") {
  CHECK(std::regex_match(utc_now(), std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
}

TEST_CASE("manifest: damage is an input/output error that names the file") {
  const TemporaryFolder folder;
  const auto fails = [&](const std::string& text) {
    write_file(folder.path / "run.json", text);
    try {
      read_manifest(folder.path);
    } catch (const Error& e) {
      CHECK_THAT(e.what(), Contains("run.json"));
      return e.code() == ExitCode::io;
    }
    return false;
  };
  const std::string good = to_json(full());
  CHECK(fails(""));
  CHECK(fails(good.substr(0, good.size() / 2)));
  CHECK(fails("{}"));
  CHECK(fails("[1, 2]"));
  CHECK(fails(std::string(good).replace(good.find("412,"), 3, "\"x\"")));
}

TEST_CASE("manifest: what somebody changed does not fit its own checksum") {
  const TemporaryFolder folder;
  const auto damage = [&](const std::string& text) {
    write_file(folder.path / "run.json", text);
    return manifest_damage(folder.path);
  };
  Manifest m = full();
  m.wall_seconds = 0.1 + 0.2;  // has many digits
  m.user = "caf\xe9";          // is no UTF-8
  const std::string good = to_json(m);
  CHECK(damage(good).empty());
  CHECK_THAT(damage(std::string(good).replace(good.find("412"), 3, "413")), Contains("changed"));
  CHECK_THAT(damage(std::string(good).replace(good.find("xxh3\": \"") + 8, 1, "x")),
             Contains("changed"));
  CHECK_THAT(damage(R"({"rtsim_run": 2})"), Contains("changed"));
  CHECK(damage(R"({"rtsim_run": 1})").empty());  // of a version that had none
}

TEST_CASE("manifest: a folder without one is no run") {
  const TemporaryFolder folder;
  CHECK_FALSE(has_manifest(folder.path));
  CHECK_THROWS_WITH(read_manifest(folder.path), Contains("holds no run: it has no run.json"));
}
