#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/error.h"
#include "cache/durable.h"
#include "compare/baseline.h"
#include "compare/compare.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const std::string head = "step,time [s],s.o.q [m],s.o.w [J]\n";

// A folder of logs, each in a folder of its own.
struct Logs {
  TemporaryFolder folder;

  fs::path add(const std::string& name, const std::string& text) const {
    make_folders(folder.path / name);
    write_file(folder.path / name / "run.json", "{}");
    write_file(folder.path / name / "series.csv", text);
    return folder.path / name;
  }
  Comparison compare(const std::string& a, const std::string& b, CompareOptions o = {}) const {
    o.a = add("a", a), o.b = add("b", b);
    return compare_runs(o);
  }
};

CompareOptions within(double abs, double rel, const std::string& rule = "") {
  CompareOptions o;
  o.tolerances = Tolerances({abs, rel});
  if (!rule.empty()) o.tolerances.add(rule);
  return o;
}

}  // namespace

TEST_CASE("the first and the worst difference of a series are named with step, time and values") {
  const Logs logs;
  const std::string a = head + "0,0,1,5\n1,0.5,2,5\n2,1,3,5\n3,1.5,4,5\n";
  const std::string b = head + "0,0,1,5\n1,0.5,2.1,5\n2,1,3.5,5\n3,1.5,4.2,5\n";
  CHECK(logs.compare(a, a).equal());
  const Comparison c = logs.compare(a, b);
  REQUIRE_FALSE(c.equal());
  const Compared& q = c.series[0];
  CHECK(q.name == "s.o.q");
  CHECK(q.unit == "m");
  CHECK(q.values == 4);
  CHECK(q.different == 3);
  CHECK(q.first->where == "step 1, t = 0.5 s");
  CHECK(q.worst->where == "step 2, t = 1 s");
  CHECK(q.worst->a == 3);
  CHECK(q.worst->b == 3.5);
  CHECK(c.series[1].different == 0);
}

TEST_CASE("tolerances are absolute and relative, and the last pattern that fits counts") {
  const Logs logs;
  const std::string a = head + "0,0,100,-1\n", b = head + "0,0,101,-1.5\n";
  CHECK(logs.compare(a, b, within(0.5, 0)).series[0].different == 1);
  CHECK(logs.compare(a, b, within(0.5, 0)).series[1].different == 0);
  CHECK(logs.compare(a, b, within(0, 0.01)).series[0].different == 0);
  CHECK(logs.compare(a, b, within(0, 0.0099)).series[0].different == 1);
  CHECK(logs.compare(a, b, within(0, 0, "s.*=abs:2")).equal());
  CHECK_FALSE(logs.compare(a, b, within(9, 9, "*.q=rel:1e-3,abs:1e-3")).equal());
  Tolerances t;
  for (const char* wrong :
       {"q", "=rel:1", "q=rel", "q=rel:x", "q=abs:-1", "q=1e-3", "q=", "q=rel:1,", "q=abs:inf"})
    CHECK_THROWS_WITH(t.add(wrong), Contains("wants a pattern"));
}

TEST_CASE("NaN is like NaN, and nothing else is") {
  const Logs logs;
  const std::string a = head + "0,0,nan,inf\n";
  CHECK(logs.compare(a, a).equal());
  const Comparison c = logs.compare(a, head + "0,0,1,-inf\n", within(1e9, 1));
  CHECK(c.series[0].different == 1);
  CHECK(c.series[1].different == 1);
}

TEST_CASE("series of other steps are compared at the times of A") {
  const Logs logs;
  const std::string a = head + "0,0,0,0\n1,0.5,0.5,0\n2,1,1,0\n";
  const std::string b = head + "0,0,0,0\n1,0.25,0.25,0\n2,0.5,0.5,0\n3,0.75,0.75,0\n4,1,1,0\n";
  const Comparison c = logs.compare(a, b);
  CHECK(c.equal());
  REQUIRE(c.notes.size() == 1);
  CHECK_THAT(c.notes[0], Contains("interpolated"));
  // Three times as coarse: the line between two rows stands for those it passes.
  CHECK(logs.compare(b, head + "0,0,0,0\n1,1,1,0\n", within(1e-15, 0)).equal());
}

TEST_CASE("a run that ends earlier, lacks a series or has another unit is different") {
  const Logs logs;
  const std::string a = head + "0,0,1,1\n1,1,1,1\n2,2,1,1\n";
  CHECK_THAT(logs.compare(a, head + "0,0,1,1\n1,1,1,1\n").faults.at(0),
             Contains("1 of 3 rows") && Contains("step 2"));
  const std::string lacks = "step,time [s],s.o.q [m]\n0,0,1\n1,1,1\n2,2,1\n";
  CHECK_THAT(logs.compare(a, lacks).faults.at(0), Contains("no series s.o.w"));
  CHECK(logs.compare(lacks, a).equal());
  CHECK_THAT(logs.compare(lacks, a).notes.at(0), Contains("only B has the series s.o.w"));
  const std::string other = "step,time [s],s.o.q [cm]\n0,0,1\n1,1,1\n2,2,1\n";
  CHECK_THAT(logs.compare(lacks, other).faults.at(0), Contains("\"m\", in B in \"cm\""));
  CompareOptions o;
  o.series = {"s.o.Q"};
  CHECK_THROWS_WITH(logs.compare(a, a, o), Contains("s.o.Q"));
}

namespace {

// Twelve rows of q = 1 + `off`, and w = 0.
std::string flat(double off) {
  std::string text = head;
  for (int k = 0; k < 12; ++k) text += fmt::format("{},{},{},0\n", k, 0.1 * k, 1 + off);
  return text;
}

}  // namespace

TEST_CASE("a band is the spread of the runs of a folder, as wide as asked for") {
  const Logs logs;
  for (const double off : {-0.1, 0.0, 0.1}) logs.add(fmt::format("ensemble/{}", off), flat(off));
  CompareOptions o;
  o.a = logs.folder.path / "ensemble";
  // Mean 1, standard deviation 0.1, of one more draw 0.1 sqrt(4/3) = 0.1155.
  o.b = logs.add("near", flat(0.22));
  CHECK(compare_with_band(o, {2, 0}).equal());
  o.b = logs.add("far", flat(0.24));
  CHECK_FALSE(compare_with_band(o, {2, 0}).equal());
  CHECK(compare_with_band(o, {3, 0}).equal());
  CHECK(compare_with_band(o, {2, 1}).equal());  // all rows may lie outside
  o.b = logs.add("short", head + "0,0,1,0\n");
  CHECK_THAT(compare_with_band(o, {2, 0}).faults.at(0), Contains("B ends at t = 0 s"));
  o.a = logs.folder.path / "near";
  CHECK_THROWS_WITH(compare_with_band(o, {2, 0}), Contains("at least three"));
}

TEST_CASE("a baseline is replaced as a whole, and keeps a record of why") {
  const Logs logs;
  CompareOptions o;
  o.a = logs.add("base", head + "0,0,1,1\n"), o.b = logs.add("b", head + "0,0,2,1\n");
  update_baseline(o, compare_runs(o), "more water", "2026-01-02T03:04:05Z", "ann");
  CHECK(compare_runs(o).equal());
  o.b = logs.add("c", head + "0,0,3,1\n");
  update_baseline(o, compare_runs(o), "still more", "2026-01-03T03:04:05Z", "bob");
  const std::string record = read_file(o.a / "baseline.jsonl");
  CHECK_THAT(record, Contains("\"why\":\"more water\"") && Contains("\"who\":\"bob\"") &&
                         Contains("\"differed\":[\"s.o.q\"]"));
  CHECK(std::ranges::count(record, '\n') == 2);
  // Killed between its two renames, an update leaves the old baseline aside: nothing is lost.
  fs::rename(o.a, o.a.string() + ".rtsim-old");
  update_baseline(o, {}, "again", "2026-01-04T03:04:05Z", "bob");
  CHECK(std::ranges::count(read_file(o.a / "baseline.jsonl"), '\n') == 3);
  CompareOptions self = o;
  self.b = self.a;
  CHECK_THROWS_WITH(update_baseline(self, {}, "x", "", ""), Contains("cannot replace itself"));
  self.b = logs.folder.path;
  CHECK_THROWS_WITH(update_baseline(self, {}, "x", "", ""), Contains("no run.json"));
  make_folders(logs.folder.path / "other");
  write_file(logs.folder.path / "other" / "thing", "mine");
  o.a = logs.folder.path / "other";
  CHECK_THROWS_WITH(update_baseline(o, {}, "x", "", ""), Contains("left alone"));
  CHECK(read_file(o.a / "thing") == "mine");
}
