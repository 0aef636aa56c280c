#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "meshes/cell_text.h"
#include "shapes/mesh_text.h"

// VTK's legacy format, as "VTK File Formats" of its user's guide has it: lines of text, and in
// binary files big-endian numbers behind those that say how many. Cells are counts and corners up
// to version 4, offsets and corners from version 5 on.
namespace rtsim {

void add_vtk_cells(FileCells& to, const VtkCells& cells, const std::string& name) {
  const auto& [corners, ends, types, tags] = cells;
  constexpr std::int64_t vertex = 1, poly_vertex = 2, line = 3, poly_line = 4, triangle = 5,
                         tetra = 10, bent_line = 21, six_nodes = 22, ten_nodes = 24;
  // Which corners the points behind them are between.
  constexpr int triangle_pairs[3][2] = {{0, 1}, {1, 2}, {0, 2}};
  constexpr int tet_pairs[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
  if (types.size() != ends.size())
    mesh_fault(name, fmt::format("has {} cells and {} types of cells; export it again", ends.size(),
                                 types.size()));
  if (!tags.empty() && tags.size() != types.size())
    mesh_fault(name, fmt::format("has {} cells and {} tags of cells; export it again", types.size(),
                                 tags.size()));
  for (std::size_t c = 0; c < types.size(); ++c) {
    const std::string place = fmt::format("cell {}", c + 1);
    const std::int64_t from = c == 0 ? 0 : ends[c - 1];
    if (ends[c] < from || ends[c] > std::int64_t(corners.size()))
      mesh_fault(name, place + ": its corners are not in the file; export it again");
    if (types[c] == vertex || types[c] == poly_vertex || types[c] == line ||
        types[c] == poly_line || types[c] == bent_line)
      continue;
    const bool is_flat = types[c] == triangle || types[c] == six_nodes;
    if (!is_flat && types[c] != tetra && types[c] != ten_nodes)
      mesh_fault(name, fmt::format("{}: cells of type {} are not read; save tetrahedra of four "
                                   "points (10) or ten (24), or triangles (5, 22)",
                                   place, types[c]));
    const std::int64_t count = types[c] == triangle ? 3 : types[c] == tetra ? 4 : is_flat ? 6 : 10;
    if (ends[c] - from != count)
      mesh_fault(name,
                 fmt::format("{}: has {} corners, and its type {}", place, ends[c] - from, count));
    std::array<CellMesh::Corner, 10> t{};
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t p = corners[std::size_t(from + k)];
      if (p < 0 || p >= std::int64_t(to.points.size()))
        mesh_fault(name, fmt::format("{}: there is no point {}; they are 0 to {}", place, p,
                                     std::int64_t(to.points.size()) - 1));
      t[std::size_t(k)] = CellMesh::Corner(p);
    }
    if (is_flat)
      to.triangles.push_back({t[0], t[1], t[2]}), to.triangle_places.push_back(place);
    else
      to.tets.push_back({t[0], t[1], t[2], t[3]}), to.tet_places.push_back(place);
    if (!tags.empty()) (is_flat ? to.triangle_tags : to.tet_tags).push_back(std::int32_t(tags[c]));
    if (count == 6) add_second_order(to, t.data(), 3, triangle_pairs);
    if (count == 10) add_second_order(to, t.data(), 4, tet_pairs);
  }
}

namespace {

class LegacyVtk {
 public:
  LegacyVtk(std::string_view input, const std::string& name) : text_(input, name), name_(name) {}

  FileCells read() {
    text_.next_line();
    if (text_.word() != "#" || text_.word() != "vtk")
      text_.fail("is no legacy VTK file, which begins with '# vtk DataFile Version'");
    text_.word(), text_.word();
    version_ = text_.number(text_.word(), "the version");
    text_.next_line();  // a title
    text_.next_line();
    const std::string_view form = text_.word();
    if (form != "ASCII" && form != "BINARY") text_.fail("the third line must be ASCII or BINARY");
    binary_ = form == "BINARY";
    FileCells cells;
    VtkCells list;
    bool is_grid = false;
    while (list.types.empty() && text_.next_line()) {
      const std::string_view key = text_.word();
      if (key == "DATASET") {
        is_grid = text_.word() == "UNSTRUCTURED_GRID";
        if (!is_grid) text_.fail("only UNSTRUCTURED_GRID holds tetrahedra; save as that");
      } else if (key == "POINTS") {
        points_ = count("the number of points");
        const std::string type(text_.word());
        const std::vector<double> x = numbers<double>(3 * points_, type);
        for (std::size_t i = 0; i < points_; ++i)
          cells.points.push_back({{x[3 * i], x[3 * i + 1], x[3 * i + 2]}});
      } else if (key == "CELLS") {
        read_cells(list.corners, list.ends);
      } else if (key == "CELL_TYPES") {
        list.types = numbers<std::int64_t>(count("the number of cells"), "int");
      }
    }
    if (!is_grid || list.types.empty())
      text_.fail("the file ends before its cells; export it again");
    list.tags = read_tags(list.types.size());
    add_vtk_cells(cells, list, name_);
    return cells;
  }

 private:
  std::size_t count(const char* what) {
    const std::int64_t n = text_.integer(text_.word(), what);
    if (n < 0 || std::uint64_t(n) > text_.bytes_left())
      text_.fail(fmt::format("{} is {}, more than the file can hold; export it again", what, n));
    return std::size_t(n);
  }

  void read_cells(std::vector<std::int64_t>& corners, std::vector<std::int64_t>& ends) {
    const std::size_t n = count("the number of cells"), size = count("the size of the cells");
    if (version_ >= 5) {
      text_.next_line();
      text_.word();
      ends = numbers<std::int64_t>(n, std::string(text_.word()));
      if (!ends.empty()) ends.erase(ends.begin());  // the first is 0
      text_.next_line();
      while (text_.word().empty() && text_.next_line()) {
      }
      corners = numbers<std::int64_t>(size, std::string(text_.word()));
      return;
    }
    const std::vector<std::int64_t> list = numbers<std::int64_t>(size, "int");
    for (std::size_t at = 0; at < list.size();) {
      const std::int64_t m = list[at++];
      if (m < 0 || std::size_t(m) > list.size() - at)
        text_.fail(fmt::format("cell {} has {} corners; export it again", ends.size() + 1, m));
      for (std::int64_t k = 0; k < m; ++k) corners.push_back(list[at++]);
      ends.push_back(std::int64_t(corners.size()));
    }
  }

  // The first whole numbers that cells have, one each: as SCALARS, or in a FIELD. None where there
  // are none, or something that is not known stands before them.
  std::vector<std::int64_t> read_tags(std::size_t cells) {
    std::size_t rows = 0;
    while (text_.next_line()) {
      const std::string_view key = text_.word();
      if (key == "CELL_DATA" || key == "POINT_DATA") {
        of_cells_ = key == "CELL_DATA", rows = of_cells_ ? cells : points_;
      } else if (key == "SCALARS") {
        text_.word();
        const std::string type(text_.word());
        const std::string_view columns = text_.word();
        const std::size_t each =
            columns.empty() ? 1 : std::size_t(text_.integer(columns, "a number"));
        text_.next_line();  // its table of colours
        if (auto found = tags(rows, each, type)) return *found;
      } else if (key == "VECTORS" || key == "NORMALS" || key == "TENSORS") {
        text_.word();
        tags(rows, key == "TENSORS" ? 9 : 3, std::string(text_.word()));
      } else if (const std::string columns(text_.word()), n(text_.word()), type(text_.word());
                 bytes_of(type) > 0) {  // name, columns, rows, type: an array of a FIELD
        const auto whole = [&](const std::string& w) { return text_.integer(w, "a size"); };
        if (auto found = tags(std::size_t(whole(n)), std::size_t(whole(columns)), type))
          return *found;
      }
    }
    return {};
  }
  // Those that stand here, or nothing once they are passed over.
  std::optional<std::vector<std::int64_t>> tags(std::size_t rows, std::size_t each,
                                                const std::string& type) {
    const bool whole = type == "int" || type == "unsigned_int" || type == "long" ||
                       type == "vtktypeint64" || type == "vtkIdType";
    if (of_cells_ && whole && each == 1) return numbers<std::int64_t>(rows, type);
    if (binary_) text_.take(rows * each * bytes_of(type));
    return {};
  }
  // 0: of no type that is known.
  static std::size_t bytes_of(std::string_view type) {
    for (const char* t : {"double", "long", "vtktypeint64", "vtkIdType"})
      if (type == t) return 8;
    for (const char* t : {"float", "int", "unsigned_int"})
      if (type == t) return 4;
    if (type == "short" || type == "unsigned_short") return 2;
    return type == "char" || type == "unsigned_char" ? 1 : 0;
  }

  template <class T>
  std::vector<T> numbers(std::size_t n, const std::string& type) {
    if (!binary_) {
      // Each but the last has a blank or a line's end behind it.
      if (n > (text_.bytes_left() + 1) / 2) text_.fail("the file ends too early; export it again");
      std::vector<T> values;
      values.reserve(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::string_view word = text_.next_word();
        if constexpr (std::is_same_v<T, double>)
          values.push_back(text_.number(word, "a coordinate"));
        else
          values.push_back(text_.integer(word, "a number of a cell"));
      }
      return values;
    }
    if constexpr (std::is_same_v<T, double>) {
      if (type == "float") return big_endian<T, float, std::uint32_t>(n);
      if (type == "double") return big_endian<T, double, std::uint64_t>(n);
    }
    if (type == "int" || type == "unsigned_int")
      return big_endian<T, std::int32_t, std::uint32_t>(n);
    if (type == "long" || type == "vtktypeint64" || type == "vtkIdType")
      return big_endian<T, std::int64_t, std::uint64_t>(n);
    text_.fail(fmt::format("numbers of type '{}' are not read", type));
  }

  template <class T, class Stored, class Bits>
  std::vector<T> big_endian(std::size_t n) {
    const std::string_view bytes = text_.take(n * sizeof(Bits));
    std::vector<T> values;
    values.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      Bits bits = 0;
      for (std::size_t k = 0; k < sizeof(Bits); ++k)
        bits = Bits(bits << 8) | Bits(std::uint8_t(bytes[i * sizeof(Bits) + k]));
      const auto value = std::bit_cast<Stored>(bits);
      if (!std::isfinite(double(value))) text_.fail("a number is not finite");
      values.push_back(T(value));
    }
    return values;
  }

  MeshText text_;
  std::string name_;
  double version_ = 0;
  std::size_t points_ = 0;
  bool binary_ = false, of_cells_ = false;
};

}  // namespace

FileCells read_vtk(std::string_view input, const std::string& name) {
  return LegacyVtk(input, name).read();
}

}  // namespace rtsim
