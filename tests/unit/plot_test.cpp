#include "pictures/plot.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.h"
#include "cache/durable.h"
#include "pictures/axis.h"
#include "pictures/canvas.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;

TEST_CASE("ticks are 1, 2 or 5 times a power of ten, and hold the range between them") {
  for (const auto& [low, high, step] :
       {std::array{0.0, 1.0, 0.2}, std::array{-1.0, 1.0, 0.5}, std::array{1e-5, 9e-5, 2e-5},
        std::array{990.0, 1010.0, 5.0}}) {
    const Axis a = axis_over(low, high, 5, false);
    CHECK(a.ticks[1] - a.ticks[0] == Approx(step));
    CHECK(a.low <= low);
    CHECK(a.high >= high);
    CHECK(a.low > low - step);
    CHECK(a.high < high + step);
    CHECK(a.share(a.low) == 0);
    CHECK(a.share(a.high) == 1);
  }
  CHECK(axis_over(-1, 1, 5, false).label(1e-17) == "0");
}

TEST_CASE("an axis of one value has room, a logarithmic one has powers of ten") {
  for (const double v : {0.0, -3.0, 1e9}) {
    const Axis a = axis_over(v, v, 5, false);
    CHECK(a.low < v);
    CHECK(a.high > v);
  }
  const Axis a = axis_over(0.02, 300, 8, true);
  CHECK(a.ticks == std::vector<double>{0.01, 0.1, 1, 10, 100, 1000});
  CHECK(a.share(1) == Approx(0.4));
}

namespace {

struct Logs {
  TemporaryFolder folder;

  std::filesystem::path add(const std::string& name) const {
    make_folders(folder.path / name);
    write_file(
        folder.path / name / "series.csv",
        "step,time [s],s.o.kinetic_energy [J],s.o.heat_energy [J],s.o.momentum.x [kg m/s],"
        "s.o.momentum.y [kg m/s],total.kinetic_energy [J]\n0,0,1,2,3,4,1\n1,1,1,2,3,nan,1\n");
    return folder.path / name;
  }
};

}  // namespace

TEST_CASE("components share a panel, energies too; runs share panels and have a colour each") {
  const Logs logs;
  PlotOptions o;
  o.runs = {logs.add("one")};
  CHECK(plot_panels(o).size() == 1);  // totals alone
  o.series = {"s.*"};
  const auto panels = plot_panels(o);
  REQUIRE(panels.size() == 2);
  CHECK(panels[0].title == "s.o energies");
  CHECK(panels[0].y_label == "[J]");
  CHECK(panels[1].curves[1].label == "y");
  CHECK(std::isnan(panels[1].curves[1].y[1]));
  o.runs.push_back(logs.add("two"));
  const auto both = plot_panels(o);
  REQUIRE(both.size() == 2);
  REQUIRE(both[1].curves.size() == 4);
  CHECK(both[1].curves[2].label == "x");
  CHECK(both[1].curves[2].of == "two");
  CHECK(both[1].curves[2].colour == 1);
  CHECK(both[1].curves[3].dashes == 1);
  o.runs = {logs.add("cases/low/run"), logs.add("cases/high/run")};
  CHECK(plot_panels(o)[0].curves.back().of == "high");
  o.series = {"none"};
  CHECK_THROWS_WITH(plot_panels(o), Contains("no series fits none"));
}

TEST_CASE("a chart is drawn into svg and png; what cannot be written leaves nothing") {
  const Logs logs;
  PlotOptions o;
  o.runs = {logs.add("one")}, o.series = {"s.*"};
  const auto panels = plot_panels(o);
  const auto draw = [&](cairo_t* c) { draw_chart(c, panels, 2, 800, 300); };
  const auto svg = logs.folder.path / "a.svg", png = logs.folder.path / "a.png";
  draw_file(svg, 800, 300, draw), draw_file(png, 800, 300, draw);
  CHECK_THAT(read_file(svg), Contains("<svg"));
  CHECK(read_file(png).substr(1, 3) == "PNG");
  const std::string before = read_file(png);
  draw_file(png, 800, 300, draw);
  CHECK(read_file(png) == before);
  CHECK_THROWS_AS(draw_file(logs.folder.path / "none/a.png", 80, 30, draw), Error);
  CHECK_THROWS_WITH(draw_file("a.pdf", 80, 30, draw), Contains(".svg or .png"));
}
