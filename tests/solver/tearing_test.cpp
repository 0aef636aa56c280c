#include "cache/checkpoint.h"
#include "sim/records/snapshot.h"
#include "support/mesh_scenes.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

const std::string xpbd =
    R"({"type": "xpbd", "mesh": "m", "stretch_compliance": 0.001, "substeps": 20)";
const std::string springs =
    R"({"type": "mass_spring", "mesh": "m", "stiffness": 1000, "substeps": 4)";

std::vector<std::uint32_t> torn(Running& r, const char* of) {
  return r.world().table(std::string("m.") + of).download<std::uint32_t>("torn");
}

// Two halves of a sheet that fly apart, each at 5 m/s.
Running parting(const std::string& stage, int threads = 1) {
  MeshScene s{sheet(1, 8), R"("vertex_mass": 0.2)", stage};
  s.gravity = "[0, 0, 0]";
  Running r(s.text(), Exec::cpu(threads));
  const auto v = r.world().table("m").column<Vec<3>>("velocity");
  for (Index i = 0; i < v.size; ++i) v[i][0] = Real(i % 9 < 4 ? -5 : 5);
  return r;
}

// Whether any way leads from the sheet's first column to its last.
bool joined(const std::vector<CellMesh::Edge>& edges, const std::vector<std::uint32_t>& gone) {
  std::vector<bool> reached(81);
  for (std::size_t i = 0; i < 81; i += 9) reached[i] = true;
  for (int round = 0; round < 81; ++round)
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const auto a = std::size_t(edges[e][0]), b = std::size_t(edges[e][1]);
      if (!gone[e] && (reached[a] || reached[b])) reached[a] = reached[b] = true;
    }
  for (std::size_t i = 8; i < 81; i += 9)
    if (reached[i]) return true;
  return false;
}

const std::vector<std::string> limited{
    xpbd + R"(, "tear_strain": 0.3})",
    R"({"type": "pbd", "mesh": "m", "stretch_stiffness": 0.05, "tear_strain": 0.3})",
    springs + R"(, "tear_strain": 0.3})",
    springs + R"(, "network": "cloth", "integrator": "symplectic_euler", "tear_strain": 0.3})"};

}  // namespace

TEST_CASE("tearing: a rope tears at its top edge, when what hangs there is heavy enough") {
  // So slowly that it never swings beyond its rest: drag is over twice every mode's frequency, or
  // the solver's own losses are. Ten points of 1 kg hang on the top edge of 0.1 m: it is longer
  // by 98.1 N / 1000 N/m.
  const double strain = 10 * g / 1000 / 0.1;
  for (const std::string& stage : {xpbd + R"(, "damping": 130)", springs + R"(, "drag": 20)"})
    for (const double limit : {1.01 * strain, 0.98 * strain}) {
      INFO(stage << " limit " << limit);
      const MeshScene s{
          line("[0, 1, 0]", "[0, 0, 0]", 10), R"("vertex_mass": 1)",
          hold(R"("points": [0])") + ", " + stage + fmt::format(R"(, "tear_strain": {}}})", limit)};
      Running r(s.text(), Exec::cpu(1));
      for (int n = 0; n < 5000 && r.measure("m.torn") == 0; ++n) r.advance(1);
      const auto edges = torn(r, "edges");
      for (std::size_t e = 0; e < edges.size(); ++e)
        CHECK(edges[e] == (e == 0 && limit < strain ? 1u : 0u));
    }
}

TEST_CASE("tearing: of edges in a row the shortest tears, when all are longer by its limit") {
  // One tension F lengthens every edge by F c: the ends are 5 * 0.2 * 0.05 m further apart then.
  const double speed = 0.02, expected = 5 * 0.2 * 0.05 / speed;
  for (const std::string& stage : {xpbd + R"(, "damping": 5)", springs + R"(, "drag": 5)"}) {
    INFO(stage);
    MeshScene s{R"("nodes": {"positions": [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0], [0.25, 0, 0],
                                           [0.35, 0, 0], [0.45, 0, 0]],
                             "edges": [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]})",
                R"("vertex_mass": 0.1)",
                hold(R"("points": [0])") + ", " +
                    hold(R"("points": [5])", R"(, "motion": {"velocity": [0.02, 0, 0]})") + ", " +
                    stage + R"(, "tear_strain": 0.2})"};
    s.gravity = "[0, 0, 0]";
    Running r(s.text(), Exec::cpu(1));
    while (r.time() < 2 * expected && r.measure("m.torn") == 0) r.advance(1);
    CHECK(r.time() == Approx(expected).epsilon(0.01));  // a step is 0.4 % of it
    CHECK(torn(r, "edges") == std::vector<std::uint32_t>{0, 0, 1, 0, 0});
  }
}

TEST_CASE("tearing: a sheet whose halves fly apart tears between them, and keeps its momentum") {
  for (const std::string& stage : limited) {
    INFO(stage);
    Running r = parting(stage);
    const Motion start = motion(r);
    r.advance(20);
    const Motion end = motion(r);
    // Rounding: what implicit solves leave of residuals has no sum (block_cg.h).
    CHECK(norm(end.momentum - start.momentum) < 3000 * eps * start.scale);
    const auto gone = torn(r, "edges");
    CHECK_FALSE(joined(corners_of<2>(r.world(), edge_table("m")), gone));
    CHECK(r.measure("m.torn") == double(std::ranges::count(gone, 1u)));
  }
}

TEST_CASE("tearing: triangles that lost an edge are in no frame, and no others") {
  Running r = parting(limited[0]);
  r.advance(20);
  const auto edges = corners_of<2>(r.world(), edge_table("m"));
  const auto gone = torn(r, "edges");
  std::vector<CellMesh::Edge> lost;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (gone[e]) lost.push_back(edges[e]);
  std::vector<std::int32_t> expected;
  for (const auto& t : corners_of<3>(r.world(), triangle_table("m"))) {
    const bool whole = std::ranges::none_of(lost, [&](const CellMesh::Edge& e) {
      return std::ranges::count(t, e[0]) + std::ranges::count(t, e[1]) == 2;
    });
    if (whole) expected.insert(expected.end(), t.begin(), t.end());
  }
  CHECK(expected.size() < 3 * 128);
  Output output;
  output.object = "m";
  const Frame frame = take_frame(r.world(), {output}, 0, 20, 0.2);
  CHECK(frame.files.at(0).object.cells.points == expected);
}

TEST_CASE("tearing: a run goes on from a checkpoint with what is torn, for any number of threads") {
  for (const std::string& stage : limited) {
    INFO(stage);
    const TemporaryFolder folder;
    Running first = parting(stage);
    first.advance(4);
    REQUIRE(first.measure("m.torn") > 0);
    save_checkpoint(folder.path, first.world(), {.step = 4});
    first.advance(6);
    for (const int threads : {2, 5}) {
      Running second = parting(stage, threads);
      std::string warnings;
      load_checkpoint(find_checkpoint(folder.path, warnings)->file, second.world());
      second.steps = 4;
      second.refresh();
      second.advance(6);
      CHECK(second.world().state_hash() == first.world().state_hash());
    }
  }
}

TEST_CASE("tearing: wind goes through what is torn") {
  // A lone triangle whose edges have all been torn: its points feel no wind any more.
  MeshScene s{
      R"("nodes": {"positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [0, 1, 2]})",
      R"("vertex_mass": 1)",
      R"({"type": "wind", "mesh": "m", "velocity": [0, 0, 9]}, )" + limited[0]};
  s.gravity = "[0, 0, 0]";
  for (const std::uint32_t broken : {0u, 1u}) {
    Running r(s.text(), Exec::cpu(1));
    r.world().table("m.edges").column<std::uint32_t>("torn")[0] = broken;
    r.refresh();
    r.advance(1);
    CHECK((motion(r).momentum[2] > 0) == (broken == 0));
  }
}

TEST_CASE("tearing: what is held together by more than edges refuses to tear") {
  const auto message = [](const std::string& mesh, const std::string& stage) -> std::string {
    try {
      Running r(MeshScene{mesh, R"("density": 1)", stage}.text(), Exec::cpu(1));
    } catch (const Error& e) {
      CHECK(e.code() == ExitCode::bad_input);
      return e.what();
    }
    return {};
  };
  CHECK(message(sheet(1, 2), xpbd + R"(, "tear_strain": 0.1, "tethers": 1})")
            .find("leave away \"pressure\", \"shape_matching\" and \"tethers\"") !=
        std::string::npos);
  CHECK(message(R"("block": {"min": [0, 0, 0], "max": [1, 1, 1], "cells": [1, 1, 1]})",
                springs + R"(, "tear_strain": 0.1})")
            .find("'m' has tetrahedra") != std::string::npos);
}
