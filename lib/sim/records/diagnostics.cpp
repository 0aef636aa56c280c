#include "sim/records/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"

namespace rtsim {
namespace {

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

}  // namespace

Series::Series(const std::filesystem::path& run_folder) : file_(run_folder / "series.csv") {
  if (std::filesystem::exists(file_) && std::filesystem::file_size(file_) > 0) {
    const std::string text = read_file(file_);
    header_ = text.substr(0, text.find('\n'));
  }
  log_ = LineLog(file_);
}

bool Series::begin_again_unless(const std::vector<Measurement>& row) {
  if (header_.empty() || header_ == header_line(row)) return false;
  write_file(file_, "");
  header_.clear();
  log_ = LineLog(file_);
  return true;
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

}  // namespace rtsim
