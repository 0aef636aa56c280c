#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "cache/async_writer.h"
#include "cache_scratch.h"
#include "compare/compare.h"
#include "compare/compare_rows.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

template <class T>
FrameColumn column(const char* name, const char* unit, const std::vector<T>& values) {
  FrameColumn c{name, unit, element_type<T>, {}, 0};
  c.bytes.resize(values.size() * sizeof(T));
  std::memcpy(c.bytes.data(), values.data(), c.bytes.size());
  return c;
}

// Particles on a line, with ids in this order, moved by `shift` but for where they started.
FrameObject line(const std::vector<std::uint32_t>& ids, float shift = 0) {
  std::vector<VecT<float, 3>> x;
  std::vector<float> density;
  for (const std::uint32_t id : ids) {
    x.push_back({{float(id) + shift, 0, 0}});
    density.push_back(1000 + float(id));
  }
  FrameObject o{"water", Kind::particles, 3, 1, Index(ids.size()), {}, {}};
  o.columns = {column("position", "m", x), column("density", "kg/m^3", density),
               column("id", "", ids)};
  return o;
}

ComparedObject rows(const FrameObject& a, const FrameObject& b, double abs = 0, double rel = 0) {
  CompareOptions o;
  o.tolerances = Tolerances({abs, rel});
  return compare_rows(a, b, 7, o);
}

}  // namespace

TEST_CASE("rows are matched by id, whatever their order") {
  const ComparedObject same = rows(line({0, 1, 2, 3}), line({3, 1, 0, 2}));
  CHECK(same.faults.empty());
  CHECK(same.columns[0].different == 0);
  CHECK(same.columns[0].values == 12);
  const ComparedObject moved = rows(line({0, 1, 2, 3}), line({3, 1, 0, 2}, 0.5f));
  CHECK(moved.columns[0].different == 4);
  CHECK(moved.columns[0].first->where == "frame 7, id 0, x");
  CHECK(moved.columns[1].different == 0);
}

TEST_CASE("the first and the worst of many differences are told, and all are counted") {
  std::vector<std::uint32_t> ids(5000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = std::uint32_t(i);
  const FrameObject a = line(ids);
  FrameObject b = a;
  auto* density = reinterpret_cast<float*>(b.columns[1].bytes.data());
  density[100] += 1, density[3000] -= 5, density[3001] -= 2, density[4000] += 5;
  const Compared c = rows(a, b).columns[1];
  CHECK(c.different == 4);
  CHECK(c.first->where == "frame 7, id 100");
  CHECK(c.worst->where == "frame 7, id 3000");
  CHECK(c.worst->excess == 5);
  CHECK(rows(a, b, 1).columns[1].different == 3);
  density[4500] = std::numeric_limits<float>::quiet_NaN();
  CHECK(rows(a, b, 10).columns[1].different == 1);
  CHECK(rows(a, b, 10).columns[1].worst->where == "frame 7, id 4500");
}

TEST_CASE("rows that only one run has are told, the others compared") {
  const ComparedObject c = rows(line({0, 1, 2, 5}), line({1, 2, 9}));
  REQUIRE(c.faults.size() == 1);
  CHECK_THAT(c.faults[0], Contains("frame 7, 'water': 4 rows, in B 3; 2 of them are in both"));
  CHECK(c.columns[0].different == 0);
}

TEST_CASE("a vector may be off by the tolerance of its length in every component") {
  FrameObject a = line({1000}), b = line({1000});
  const VecT<float, 3> off{{1000, 0.5f, 0}};
  std::memcpy(b.columns[0].bytes.data(), &off, sizeof off);
  CHECK(rows(a, b, 0, 1e-3).columns[0].different == 0);
  CHECK(rows(a, b, 0, 1e-4).columns[0].different == 1);
  CHECK(rows(a, b, 0, 1e-4).columns[0].first->where == "frame 7, id 1000, y");
}

TEST_CASE("objects that cannot be compared say why") {
  FrameObject mesh = line({0, 1, 2}), torn = mesh;
  mesh.kind = torn.kind = Kind::mesh;
  mesh.cells = {2, {0, 1, 1, 2}}, torn.cells = {2, {0, 1}};
  CHECK_THAT(rows(mesh, torn).faults.at(0), Contains("joined otherwise"));
  CHECK_THAT(rows(mesh, line({0, 1, 2})).faults.at(0), Contains("is of kind mesh, in B particles"));
  FrameObject grid = line({0, 1}), moved = grid;
  grid.kind = moved.kind = Kind::grid;
  grid.grid = moved.grid = GridShape{{2, 1, 1}, {true, true, true}, 1, {}};
  moved.grid->low[0] = 1;
  CHECK_THAT(rows(grid, moved).faults.at(0), Contains("stands elsewhere"));
  FrameObject lacks = line({0, 1, 2});
  lacks.columns.erase(lacks.columns.begin() + 1);
  CHECK_THAT(rows(line({0, 1, 2}), lacks).faults.at(0), Contains("no column water.density"));
  CHECK_THAT(rows(lacks, line({0, 1, 2})).notes.at(0), Contains("only B"));
}

namespace {

std::filesystem::path write(const Scratch& scratch, const std::string& name, Index rows,
                            float shift, double dt, long frames) {
  const std::filesystem::path run = scratch / name;
  make_folders(run);
  AsyncWriter writer(run, {name, 1});
  for (long k = 0; k < frames; ++k) {
    std::vector<std::uint32_t> ids(static_cast<std::size_t>(rows));
    for (Index i = 0; i < rows; ++i) ids[std::size_t(i)] = std::uint32_t(rows - 1 - i);
    Frame frame{k, k, dt * double(k), {}};
    frame.files.push_back({Output{}, line(ids, shift * float(k))});
    writer.push(std::move(frame));
  }
  writer.drain();
  return run;
}

}  // namespace

TEST_CASE("frames are matched by their time, and one result comes of any number of jobs") {
  const Scratch scratch;
  CompareOptions o;
  o.a = write(scratch, "a", 70000, 0, 0.1, 4);  // three chunks a column
  o.b = write(scratch, "b", 70000, 0.25f, 0.05, 7);
  for (const int jobs : {1, 3}) {
    o.jobs = jobs;
    const Comparison c = compare_runs(o);
    CHECK(c.frames == 4);
    CHECK(c.faults.empty());
    const auto x = std::ranges::find(c.columns, "water.position", &Compared::name);
    REQUIRE(x != c.columns.end());
    // Of packed bytes that are the same nothing is unpacked; its numbers count.
    const auto same = std::ranges::find(c.columns, "water.density", &Compared::name);
    REQUIRE(same != c.columns.end());
    CHECK(same->values == 4 * 70000);
    CHECK(same->different == 0);
    CHECK(x->values == 4 * 3 * 70000);
    CHECK(x->different == 3 * 70000);
    CHECK(x->first->where == "frame 1, id 69999, x");
    CHECK(x->worst->where == "frame 3, id 69999, x");
    CHECK(x->worst->b == 69999 + 6 * 0.25);
  }
  o.b = write(scratch, "c", 70000, 0, 0.1, 2);
  CHECK_THAT(compare_runs(o).faults.at(0), Contains("2 frames have no match in B, the first is 2"));
}

TEST_CASE("equal files are compared by their checksums, which must be those of the files") {
  const Scratch scratch;
  CompareOptions o;
  o.a = write(scratch, "a", 100, 0, 0.1, 2);
  std::filesystem::copy(o.a, scratch / "b", std::filesystem::copy_options::recursive);
  o.b = scratch / "b";
  CHECK(compare_runs(o).same_files == 2);
  o.columns = {"water.densty"};
  CHECK_THROWS_WITH(compare_runs(o), Contains("water.densty"));
  o.columns = {"water.density"};
  CHECK(compare_runs(o).columns.at(0).values == 200);
  write_file(o.b / "cache/water/water.000001.hdf", "not what it was");
  CHECK_THROWS_WITH(compare_runs(o), Contains("checksum"));
}
