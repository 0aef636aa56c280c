#include "sim/expect/expect_profile.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "cache/frame_writer.h"
#include "finished_run.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

FrameColumn column(const std::string& name, int components, const std::vector<float>& values) {
  FrameColumn c{.name = name, .unit = "m", .type = {Scalar::f32, components}, .bytes = {}};
  c.bytes.resize(values.size() * sizeof(float));
  std::memcpy(c.bytes.data(), values.data(), c.bytes.size());
  return c;
}

void write_run(const std::filesystem::path& folder, const FrameObject& object) {
  Frame frame{.index = 3, .step = 30, .time = 0.3, .files = {}};
  Output output;
  output.object = object.name;
  frame.files.push_back({output, object});
  LineLog log(folder / "frames.jsonl");
  log.append(commit_line(frame, write_frame(folder, {"run", 1}, frame)));
  log.sync();
}

// Particles at heights 0.1, 0.2, ..., 0.9 with pressure 1000 (1 - y), and one away from the line.
void write_column_of_water(const std::filesystem::path& folder) {
  std::vector<float> x, p;
  for (int i = 1; i < 10; ++i) {
    const float y = 0.1f * float(i);
    x.insert(x.end(), {0.5f, y, 0.5f}), p.push_back(1000 * (1 - y));
  }
  x.insert(x.end(), {0.9f, 0.5f, 0.5f}), p.push_back(-77);
  write_run(folder, {"water",
                     Kind::particles,
                     3,
                     0.1,
                     Index(p.size()),
                     {column("position", 3, x), column("pressure", 1, p)}});
}

ExpectSpec pressure_profile() {
  ExpectSpec e;
  e.profile = "water.pressure";
  e.from = {{0.5, 0, 0.5}}, e.to = {{0.5, 1, 0.5}};
  e.width = 0.2;
  e.line = {1000, 0};
  e.abs = 0.1;
  return e;
}

}  // namespace

TEST_CASE("expect_profile: a profile compares the rows near a line of the last frame") {
  FinishedRun run;
  write_column_of_water(run.folder.path);
  ExpectSpec e = pressure_profile();
  CHECK(run.check(e).passed);
  e.line = {1000, 500, 100};  // straight pieces between three values: off by 0.2 (y - 0.5) 1000
  const ExpectResult r = run.check(e);
  CHECK_FALSE(r.passed);
  CHECK(r.difference == Approx(80).epsilon(1e-4));
  e.range = {0, 0.5};
  CHECK(run.check(e).passed);
  e.range.clear(), e.line = {1000, 0}, e.width = 0.5;  // now the stray particle counts
  CHECK_FALSE(run.check(e).passed);
}

TEST_CASE("expect_profile: slices of a profile are averaged before they are compared") {
  FinishedRun run;
  write_column_of_water(run.folder.path);
  ExpectSpec e = pressure_profile();
  e.line = {900,
            100};  // off by 100 - 200 y: nothing on the whole, 50 in the mean of y = 0.1 to 0.4
  e.slices = 1;
  CHECK(run.check(e).passed);
  e.slices = 2;
  CHECK_FALSE(run.check(e).passed);
  e.range = {0, 0.45};
  CHECK(run.check(e).difference == Approx(50).epsilon(1e-4));
}

TEST_CASE("expect_profile: a profile names the object or column that is not there") {
  FinishedRun run;
  write_column_of_water(run.folder.path);
  ExpectSpec e = pressure_profile();
  e.profile = "water.presure";
  CHECK_THROWS_WITH(run.check(e), Contains("no column \"presure\""));
  e.profile = "oil.pressure";
  CHECK_THROWS_WITH(run.check(e), Contains("no HDF5 frame"));
}

namespace {

// The cells of 0.5 m of a grid of the plane from (-1, 2) to (1, 3.5): q = 3 x - 2 y and
// velocity (x y, y).
void write_grid(const std::filesystem::path& folder, int dim = 2) {
  GridShape g;
  g.spacing = 0.5, g.low = {{-1, 2, 0}}, g.cells[0] = 4, g.cells[1] = 3, g.spans[2] = dim == 3;
  if (dim == 3) g.cells[2] = 2;
  std::vector<float> q, velocity;
  for (Index c = 0; c < Index(g.rows()); ++c) {
    const Vec3d x = g.centre(c);
    q.push_back(float(3 * x[0] - 2 * x[1] + x[2]));
    velocity.insert(velocity.end(), {float(x[0] * x[1]), float(x[1])});
    if (dim == 3) velocity.push_back(7);
  }
  write_run(folder, {"air",
                     Kind::grid,
                     dim,
                     g.spacing,
                     Index(q.size()),
                     {column("q", 1, q), column("velocity", dim, velocity)},
                     g});
}

struct GridRun : FinishedRun {
  GridRun(int dim = 2) { write_grid(folder.path, dim); }

  // Along a diagonal from the centre of the lower left cell to that of the upper right one.
  ExpectSpec profile(const std::string& name, const std::string& points) const {
    ExpectSpec e = curve(points);
    e.profile = name, e.curve = "", e.abs = 1e-5;
    e.from = {{-0.75, 2.25, 0}}, e.to = {{0.75, 3.25, 0}};
    return e;
  }
};

}  // namespace

TEST_CASE("expect_profile: between the centres of cells values are linear") {
  GridRun run;
  // Over the distance s along (1.5, 1) / |(1.5, 1)|: q = q0 + s (3 * 1.5 - 2) / sqrt(3.25).
  const double length = std::sqrt(3.25), slope = 2.5 / length;
  std::string points = "# s, q\n";
  for (const double s : {0.0, 0.3, 1.1, length})
    points += fmt::format("{:.17g}, {:.17g}\n", s, -6.75 + slope * s);
  const ExpectResult r = run.check(run.profile("air.q", points));
  CHECK(r.passed);
  CHECK(r.what == "profile air.q, max norm over 4 points");
  ExpectSpec scaled = run.profile("air.q", "0.5, 0.125\n");  // in halves, tenths of q + 6
  scaled.x_scale = length, scaled.y_scale = 10, scaled.y_offset = -6.75;
  CHECK(run.check(scaled).passed);
  scaled.file.path = run.profile("air.q", "0.5, 0.126\n").file.path;
  CHECK_FALSE(run.check(scaled).passed);
}

TEST_CASE("expect_profile: a component of a vector, bilinear inside a cell") {
  GridRun run;
  ExpectSpec e = run.profile("air.velocity.x", "0 0.625\n0.25 0.5\n");
  e.from = {{0.25, 2.5, 0}}, e.to = {{-1, 2.5, 0}};  // downwards along x, between two rows of cells
  e.file.path = run.profile("", "0 0.625\n0.25 0\n0.5 -0.625\n").file.path;
  CHECK(run.check(e).passed);
  e.profile = "air.velocity.y";
  e.file.path = run.profile("", "0.1 2.5\n").file.path;
  CHECK(run.check(e).passed);
}

TEST_CASE("expect_profile: in space all three axes count") {
  GridRun run(3);
  ExpectSpec e = run.profile("air.q", "0 -6.5\n0.25 -6.25\n");
  e.from = {{-0.75, 2.25, 0.25}}, e.to = {{-0.75, 2.25, 0.75}};
  CHECK(run.check(e).passed);
  e.profile = "air.velocity.z", e.file.path = run.profile("", "0.4 7\n").file.path;
  CHECK(run.check(e).passed);
}

TEST_CASE("expect_profile: beyond the centres of the outermost cells nothing is guessed") {
  GridRun run;
  ExpectSpec e = run.profile("air.q", "0 -6.75\n2 0\n");
  CHECK_THROWS_WITH(run.check(e),
                    Contains("x = 0.914101 m is not between centres of cells, which go from -0.75 "
                             "to 0.75 m; leave it out with \"range\""));
  e.range = {0, 1};
  CHECK(run.check(e).passed);
}

TEST_CASE("expect_profile: the height of a height field has no extent along y") {
  FinishedRun run;
  GridShape g;
  g.cells[0] = 2, g.cells[2] = 2, g.spans[1] = false, g.spacing = 1;
  write_run(run.folder.path, {"pond",
                              Kind::height_field,
                              3,
                              1,
                              4,
                              {column("bed", 1, {0, 0, 0, 0}), column("depth", 1, {1, 2, 3, 4})},
                              g});
  ExpectSpec e = run.curve("0 1\n0.5 2\n1 3\n");
  e.profile = "pond.depth", e.curve = "", e.abs = 1e-6;
  e.from = {{0.5, 77, 0.5}}, e.to = {{0.5, 77, 1.5}};
  CHECK(run.check(e).passed);
}
