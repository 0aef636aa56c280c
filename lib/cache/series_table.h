#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace rtsim {

// A series file read back, column by column: `step`, `time`, and what was measured.
struct SeriesTable {
  std::vector<std::string> names;  // without units
  std::vector<std::string> units;
  std::vector<std::vector<double>> columns;

  std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
  bool has(const std::string& name) const;
  const std::string& unit(const std::string& name) const;  // throws likewise
  const std::vector<double>& column(
      const std::string& name) const;  // throws Error{bad_input}, nearest name offered
};
SeriesTable read_series(const std::filesystem::path& csv);

// y(x) by straight lines between the points; x ascends and spans the argument.
double interpolate(const std::vector<double>& x, const std::vector<double>& y, double at);

}  // namespace rtsim
