#include "sim/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"

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

std::string heading(const Measurement& m) {
  return m.unit.empty() ? m.name : fmt::format("{} [{}]", m.name, m.unit);
}

std::string header_line(const std::vector<Measurement>& row) {
  std::string line = "step,time [s]";
  for (const Measurement& m : row) line += fmt::format(",{}", heading(m));
  return line;
}

// The part of <stage>.<object>.<quantity>[.x] that follows the object.
std::string_view quantity(std::string_view name) {
  const std::size_t stage = name.find('.');
  const std::size_t object = stage == name.npos ? stage : name.find('.', stage + 1);
  return object == name.npos ? std::string_view() : name.substr(object + 1);
}

bool adds_up(std::string_view quantity) {
  const std::string_view base = quantity.substr(0, quantity.find('.'));
  return base.ends_with("energy") || base == "mass" || base == "momentum" ||
         base == "angular_momentum";
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

Series::Series(const std::filesystem::path& run_folder) {
  const std::filesystem::path csv = run_folder / "series.csv";
  if (std::filesystem::exists(csv) && std::filesystem::file_size(csv) > 0) {
    const std::string text = read_file(csv);
    header_ = text.substr(0, text.find('\n'));
  }
  log_ = LineLog(csv);
}

void Series::record(long step, double time, const std::vector<Measurement>& row) {
  const std::string header = header_line(row);
  if (header_.empty()) {
    log_.append(header);
    header_ = header;
  }
  if (header_ != header)
    throw Error(
        ExitCode::io,
        fmt::format("step {}: the header of series.csv is \"{}\", this run measures \"{}\"; "
                    "the file is damaged or another run's",
                    step, printable(header_), header));
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "{},{:.17g}", step, time);
  for (const Measurement& m : row) fmt::format_to(std::back_inserter(line), ",{:.17g}", m.value);
  log_.append({line.data(), line.size()});
}

std::vector<Measurement> with_totals(std::vector<Measurement> row) {
  std::vector<Measurement> totals;
  for (const Measurement& m : row) {
    if (!adds_up(quantity(m.name))) continue;
    const std::string name = fmt::format("total.{}", quantity(m.name));
    const auto same = [&](const Measurement& t) { return t.name == name && t.unit == m.unit; };
    const auto total = std::ranges::find_if(totals, same);
    if (total == totals.end())
      totals.push_back({name, m.value, m.unit});
    else
      total->value += m.value;
  }
  row.insert(row.end(), totals.begin(), totals.end());
  return row;
}

const std::vector<double>& SeriesTable::column(const std::string& name) const {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw Error(ExitCode::bad_input,
                fmt::format("no series \"{}\"{}; there are: {}", name, did_you_mean(name, names),
                            printable(fmt::format("{}", fmt::join(names, ", ")))));
  return columns[std::size_t(found - names.begin())];
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

}  // namespace rtsim
