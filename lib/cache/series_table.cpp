#include "cache/series_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "cache/durable.h"

namespace rtsim {
namespace {

std::vector<std::string_view> split(std::string_view line, char at) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find(at, begin);
    cells.push_back(line.substr(begin, end - begin));
    if (end == line.npos) return cells;
    begin = end + 1;
  }
}

double number(std::string_view cell, const std::string& where) {
  double value = 0;
  const auto [end, failed] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failed != std::errc() || end != cell.data() + cell.size())
    throw Error(ExitCode::io,
                fmt::format("{}: \"{}\" is not a number", where, printable(std::string(cell))));
  return value;
}

void read_header(std::string_view line, SeriesTable& table) {
  for (const std::string_view cell : split(line, ',')) {
    const std::size_t bracket = cell.find(" [");
    table.names.emplace_back(cell.substr(0, bracket));
    table.units.emplace_back(bracket == cell.npos
                                 ? std::string_view()
                                 : cell.substr(bracket + 2, cell.size() - bracket - 3));
  }
  table.columns.resize(table.names.size());
}

void read_row(std::string_view line, const std::string& where, SeriesTable& table) {
  const std::vector<std::string_view> cells = split(line, ',');
  if (cells.size() != table.names.size())
    throw Error(
        ExitCode::io,
        fmt::format("{}: the row has {} cells, the header {}; `rtsim resume` cuts torn rows", where,
                    cells.size(), table.names.size()));
  for (std::size_t c = 0; c < cells.size(); ++c)
    table.columns[c].push_back(number(cells[c], where));
}

}  // namespace

bool SeriesTable::has(const std::string& name) const {
  return std::ranges::find(names, name) != names.end();
}

namespace {

std::size_t place_of(const SeriesTable& t, const std::string& name) {
  const auto found = std::ranges::find(t.names, name);
  if (found == t.names.end())
    throw Error(ExitCode::bad_input,
                fmt::format("no series \"{}\"{}; there are: {}", name, did_you_mean(name, t.names),
                            printable(fmt::format("{}", fmt::join(t.names, ", ")))));
  return std::size_t(found - t.names.begin());
}

}  // namespace

const std::vector<double>& SeriesTable::column(const std::string& name) const {
  return columns[place_of(*this, name)];
}

const std::string& SeriesTable::unit(const std::string& name) const {
  return units[place_of(*this, name)];
}

SeriesTable read_series(const std::filesystem::path& csv) {
  const std::string text = read_file(csv);
  SeriesTable table;
  long row = 0;
  for (std::size_t begin = 0; begin < text.size(); ++row) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (row == 0)
      read_header(line, table);
    else
      read_row(line, fmt::format("{}:{}", csv.string(), row + 1), table);
    begin = end + 1;
  }
  if (row == 0)
    throw Error(ExitCode::io, fmt::format("{}: empty, not even a header", csv.string()));
  return table;
}

// y(x) by straight lines between the points; x ascends and spans the argument.
double interpolate(const std::vector<double>& x, const std::vector<double>& y, double at) {
  const auto above = std::ranges::lower_bound(x, at);
  const std::size_t hi = std::min(std::size_t(above - x.begin()), x.size() - 1);
  if (hi == 0 || x[hi] == at) return y[hi];
  const double s = (at - x[hi - 1]) / (x[hi] - x[hi - 1]);
  return (1 - s) * y[hi - 1] + s * y[hi];
}

}  // namespace rtsim
