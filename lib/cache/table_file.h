#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace rtsim {

// A column of texts, or of numbers where `texts` is empty; NaN is no number.
struct TableColumn {
  std::string name;
  std::string unit;
  std::vector<double> numbers;
  std::vector<std::string> texts;

  std::size_t rows() const { return texts.empty() ? numbers.size() : texts.size(); }
};

// All columns of one length, as .csv (units in the header, as in series.csv; texts in quotes where
// they need them) or as .h5 (a dataset a column, with its unit). The file is whole or not there.
// Throws Error{usage} for other endings.
void write_table(const std::filesystem::path&, const std::vector<TableColumn>&);
void check_table_name(const std::filesystem::path&);

std::string table_csv(const std::vector<TableColumn>&);

}  // namespace rtsim
