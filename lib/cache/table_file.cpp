#include "cache/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "cache/durable.h"
#include "cache/hdf5_file.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

bool is_hdf5_name(const fs::path& file) {
  return file.extension() == ".h5" || file.extension() == ".hdf5";
}

// RFC 4180: quotes where a text has a comma, a quote or a line's end; a quote is doubled.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string cell(const TableColumn& c, std::size_t row) {
  if (!c.texts.empty()) return cell(c.texts[row]);
  // Shortest decimals that read back to the same number.
  return std::isnan(c.numbers[row]) ? "" : fmt::format("{}", c.numbers[row]);
}

// Fixed length, padded with zeros: readable by every HDF5.
void write_texts(h5::File& file, const std::string& name, const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& t : texts) longest = std::max(longest, t.size());
  std::string bytes(longest * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(&bytes[i * longest], longest);
  const h5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), longest);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const hsize_t rows = texts.size();
  const h5::Handle space(H5Screate_simple(1, &rows, nullptr), H5Sclose);
  const h5::Handle set(H5Dcreate2(file.root(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
  if (set.get() < 0 ||
      H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    file.fail("cannot write column " + name);
}

void write_numbers(h5::File& file, const TableColumn& c) {
  const h5::Layout layout{{Scalar::f64, 1}, c.numbers.size()};
  const h5::Handle set = file.create_dataset(file.root(), c.name, layout, {});
  file.write(set.get(), layout, c.numbers.data());
  file.set_text(set.get(), "units", c.unit);
}

void write_hdf5(const fs::path& path, const std::vector<TableColumn>& columns) {
  h5::File file = h5::File::create_image(path.string());
  for (const TableColumn& c : columns)
    c.texts.empty() ? write_numbers(file, c) : write_texts(file, c.name, c.texts);
  write_file(path, file.image());
}

}  // namespace

void check_table_name(const fs::path& file) {
  if (file.extension() == ".csv" || is_hdf5_name(file)) return;
  throw Error(ExitCode::usage, fmt::format("{}: a table is a .csv or a .h5 file", file.string()));
}

std::string table_csv(const std::vector<TableColumn>& columns) {
  std::string text;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const TableColumn& c = columns[k];
    text += (k ? "," : "") + cell(c.unit.empty() ? c.name : fmt::format("{} [{}]", c.name, c.unit));
  }
  text += "\n";
  const std::size_t rows = columns.empty() ? 0 : columns.front().rows();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) text += (k ? "," : "") + cell(columns[k], i);
    text += "\n";
  }
  return text;
}

void write_table(const fs::path& file, const std::vector<TableColumn>& columns) {
  check_table_name(file);
  if (is_hdf5_name(file)) return write_hdf5(file, columns);
  write_file(file, table_csv(columns));
}

}  // namespace rtsim
