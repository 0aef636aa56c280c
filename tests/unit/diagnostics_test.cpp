#include "sim/records/diagnostics.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

const Measurement* find(const std::vector<Measurement>& row, const std::string& name) {
  for (const Measurement& m : row)
    if (m.name == name) return &m;
  return nullptr;
}

}  // namespace

TEST_CASE("diagnostics: totals add what adds up and nothing else") {
  const std::vector<Measurement> row = with_totals({{"a.water.kinetic_energy", 1.5, "J"},
                                                    {"a.water.momentum.x", 2, "kg m/s"},
                                                    {"a.water.max_density_error", 0.1, ""},
                                                    {"b.oil.kinetic_energy", 0.25, "J"},
                                                    {"b.oil.momentum.x", -3, "kg m/s"},
                                                    {"b.oil.mass", 4, "kg"}});
  REQUIRE(row.size() == 9);
  CHECK(find(row, "total.kinetic_energy")->value == 1.75);
  CHECK(find(row, "total.kinetic_energy")->unit == "J");
  CHECK(find(row, "total.momentum.x")->value == -1);
  CHECK(find(row, "total.mass")->value == 4);
  CHECK_FALSE(find(row, "total.max_density_error"));
}

TEST_CASE("diagnostics: the header gives units, pure numbers have none") {
  const TemporaryFolder folder;
  Series series(folder.path);
  series.record(0, 0, {{"s.water.mass", 1, "kg"}, {"s.water.max_neighbours", 40, ""}});
  series.sync();
  CHECK(read_file(folder.path / "series.csv") ==
        "step,time [s],s.water.mass [kg],s.water.max_neighbours\n0,0,1,40\n");
}

TEST_CASE("diagnostics: doubles survive the file bit for bit") {
  const TemporaryFolder folder;
  const double odd[] = {
      0.1, 1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, std::numeric_limits<double>::infinity()};
  {
    Series series(folder.path);
    long step = 0;
    for (const double v : odd) series.record(step, 0.1 * double(step), {{"s.o.q", v, "m"}}), ++step;
    series.sync();
  }
  const SeriesTable table = read_series(folder.path / "series.csv");
  CHECK(table.names == std::vector<std::string>{"step", "time", "s.o.q"});
  CHECK(table.units == std::vector<std::string>{"", "s", "m"});
  CHECK(table.column("s.o.q") == std::vector<double>(std::begin(odd), std::end(odd)));
  CHECK(std::signbit(table.column("s.o.q")[2]));
  CHECK(table.column("time")[3] == 0.1 * 3.0);
}

TEST_CASE("diagnostics: a series opened again goes on without a second header") {
  const TemporaryFolder folder;
  for (const long step : {0, 1}) {
    Series series(folder.path);
    series.record(step, double(step), {{"s.o.q", 1, "m"}});
    series.sync();
  }
  CHECK(read_file(folder.path / "series.csv") == "step,time [s],s.o.q [m]\n0,0,1\n1,1,1\n");
}

TEST_CASE("diagnostics: columns that change are an error that shows both headers") {
  const TemporaryFolder folder;
  {
    Series series(folder.path);
    series.record(0, 0, {{"s.o.q", 1, "m"}});
    series.sync();
  }
  Series series(folder.path);
  CHECK_THROWS_WITH(series.record(1, 1, {{"s.o.p", 1, "m"}}),
                    Contains("s.o.q [m]") && Contains("s.o.p [m]"));
}

TEST_CASE("diagnostics: bytes() is the length of the file, for resume to cut back to") {
  const TemporaryFolder folder;
  Series series(folder.path);
  series.record(0, 0, {{"s.o.q", 1, "m"}});
  const std::uint64_t first = series.end().bytes;
  series.record(1, 1, {{"s.o.q", 1, "m"}});
  series.sync();
  CHECK(series.end().bytes == std::filesystem::file_size(folder.path / "series.csv"));
  CHECK(first < series.end().bytes);
}

TEST_CASE("diagnostics: a torn row is named by file and line") {
  const TemporaryFolder folder;
  write_file(folder.path / "series.csv", "step,time [s],s.o.q [m]\n0,0,1\n1,1");
  CHECK_THROWS_WITH(read_series(folder.path / "series.csv"),
                    Contains("series.csv:3") && Contains("2 cells"));
  write_file(folder.path / "series.csv", "step,time [s]\n0,zero\n");
  CHECK_THROWS_WITH(read_series(folder.path / "series.csv"),
                    Contains("series.csv:2") && Contains("\"zero\""));
  write_file(folder.path / "series.csv", "");
  CHECK_THROWS_WITH(read_series(folder.path / "series.csv"), Contains("empty"));
}

TEST_CASE("diagnostics: an unknown series offers the nearest name") {
  SeriesTable table;
  table.names = {"step", "time", "wcsph.water.front"};
  table.columns.resize(3);
  CHECK_THROWS_WITH(table.column("wcsph.water.frnt"),
                    Contains("did you mean \"wcsph.water.front\"?"));
}
