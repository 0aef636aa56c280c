#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cache/vtk_geometry.h"
#include "convert/columns.h"
#include "convert/frame_formats.h"

namespace rtsim {

namespace {

const char* vtk_type(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return "float";
    case Scalar::f64:
      return "double";
    case Scalar::i32:
      return "int";
    case Scalar::u32:
      return "unsigned_int";
    case Scalar::i64:
      return "long";
    case Scalar::u8:
      return "unsigned_char";
  }
  return "";
}

// Found by compilers, and made of vectors: shifts in a loop are not.
std::uint32_t swapped(std::uint32_t x) { return __builtin_bswap32(x); }
std::uint64_t swapped(std::uint64_t x) { return __builtin_bswap64(x); }

template <class Bits>
void swap(const std::byte* from, std::size_t bytes, char* to) {
  for (std::size_t k = 0; k < bytes; k += sizeof(Bits)) {
    Bits x;
    std::memcpy(&x, from + k, sizeof x);
    x = swapped(x);
    std::memcpy(to + k, &x, sizeof x);
  }
}

// Numbers of legacy files are big-endian.
class LegacyFile {
 public:
  explicit LegacyFile(FileStream& to) : to_(to) {}

  void text(std::string_view t) { to_.put(t); }
  void numbers(Scalar s, const std::byte* from, std::size_t bytes) {
    static_assert(std::endian::native == std::endian::little);
    if (bytes == 0) return;
    for (std::size_t at = 0; at < bytes; at += piece) {
      const std::size_t some = std::min(piece, bytes - at);
      put(s, from + at, some, to_.room(some).data());
      to_.take(some);
    }
    to_.put("\n");
  }
  void numbers(const FrameColumn& c) { numbers(c.type.scalar, c.bytes.data(), c.bytes.size()); }
  template <class T>
  void numbers(const std::vector<T>& values) {
    numbers(element_type<T>.scalar, reinterpret_cast<const std::byte*>(values.data()),
            values.size() * sizeof(T));
  }

 private:
  static constexpr std::size_t piece = FileStream::block / 4;

  static void put(Scalar s, const std::byte* from, std::size_t bytes, char* to) {
    if (bytes_of(s) == 8)
      swap<std::uint64_t>(from, bytes, to);
    else if (bytes_of(s) == 4)
      swap<std::uint32_t>(from, bytes, to);
    else
      std::memcpy(to, from, bytes);
  }

  FileStream& to_;
};

void add_image(LegacyFile& to, const GridShape& g) {
  const Vec3d first = g.centre(0);
  to.text(fmt::format(
      "DATASET STRUCTURED_POINTS\nDIMENSIONS {} {} {}\nORIGIN {} {} {}\nSPACING {} {} {}\n",
      g.cells[0], g.cells[1], g.cells[2], first[0], first[1], first[2], g.spacing, g.spacing,
      g.spacing));
}

// Each cell is the count of its corners and they.
void add_cells(LegacyFile& to, const VtkGeometry& g) {
  const std::size_t n = g.types.size();
  std::vector<std::int32_t> cells;
  cells.reserve(n + g.connectivity.size());
  for (std::size_t c = 0; c < n; ++c) {
    cells.push_back(g.offsets[c + 1] - g.offsets[c]);
    cells.insert(cells.end(), g.connectivity.begin() + g.offsets[c],
                 g.connectivity.begin() + g.offsets[c + 1]);
  }
  to.text(fmt::format("CELLS {} {}\n", n, cells.size()));
  to.numbers(cells);
  to.text(fmt::format("\nCELL_TYPES {}\n", n));
  to.numbers(std::vector<std::int32_t>(g.types.begin(), g.types.end()));
}

void add_unstructured(LegacyFile& to, const FrameObject& o) {
  const VtkGeometry g(o);
  to.text("DATASET UNSTRUCTURED_GRID\n");
  if (g.points.empty() && o.kind != Kind::bodies) {
    const FrameColumn& x = *column_named(o, "position");
    to.text(fmt::format("POINTS {} {}\n", o.rows, vtk_type(x.type.scalar)));
    if (is_of_plane(x))
      to.numbers(padded(x));
    else
      to.numbers(x);
  } else {
    to.text(
        fmt::format("POINTS {} {}\n", g.points.size() / 3, vtk_type(element_type<Real>.scalar)));
    to.numbers(g.points);
  }
  add_cells(to, g);
}

// A row of the table for each triangle of the body.
FrameColumn of_triangles(const FrameColumn& c, const std::vector<std::int32_t>& body) {
  FrameColumn out{c.name, c.unit, c.type, {}, 0};
  const std::size_t n = c.type.bytes();
  out.bytes.resize(body.size() * n);
  for (std::size_t t = 0; t < body.size(); ++t)
    std::memcpy(out.bytes.data() + t * n, c.bytes.data() + std::size_t(body[t]) * n, n);
  return out;
}

void add_column(LegacyFile& to, const FrameColumn& c) {
  if (is_of_plane(c)) return add_column(to, padded(c));
  to.text(fmt::format("{} {} {} {}\n", c.name, c.type.components, c.bytes.size() / c.type.bytes(),
                      vtk_type(c.type.scalar)));
  to.numbers(c);
  if (c.bytes.empty()) to.text("\n");
}

void add_fields(LegacyFile& to, const char* of, std::size_t rows, std::size_t columns) {
  to.text(fmt::format("{} {}\nFIELD columns {}\n", of, rows, columns));
}

void add_point_columns(LegacyFile& to, const FrameObject& o) {
  const auto is_written = [&](const FrameColumn& c) { return c.name != "position" || o.grid; };
  const auto columns = std::ranges::count_if(o.columns, is_written);
  if (columns == 0) return;
  add_fields(to, "POINT_DATA", std::size_t(o.rows), std::size_t(columns));
  for (const FrameColumn& c : o.columns)
    if (is_written(c)) add_column(to, c);
}

void add_body_columns(LegacyFile& to, const FrameObject& o) {
  const std::vector<std::int32_t>& body = o.surface.body;
  add_fields(to, "CELL_DATA", body.size(), 1 + o.columns.size());
  FrameColumn whose{"body", "", element_type<std::int32_t>, {}, 0};
  whose.bytes.resize(body.size() * sizeof(std::int32_t));
  if (!body.empty()) std::memcpy(whose.bytes.data(), body.data(), whose.bytes.size());
  add_column(to, whose);
  for (const FrameColumn& c : o.columns) add_column(to, of_triangles(c, body));
}

void put_frame(FileStream& to, const FrameJob& job) {
  const FrameObject& o = job.object;
  LegacyFile file(to);
  file.text(fmt::format("# vtk DataFile Version 3.0\nrtsim {}, frame {}, time {} s\nBINARY\n",
                        o.name, job.frame.index, job.frame.time));
  if (is_image(o))
    add_image(file, *o.grid);
  else
    add_unstructured(file, o);
  file.text("FIELD FieldData 1\nTimeValue 1 1 double\n");
  file.numbers(std::vector<double>{job.frame.time});
  if (o.kind == Kind::bodies)
    add_body_columns(file, o);
  else
    add_point_columns(file, o);
}

}  // namespace

void write_frame_vtk(const FrameJob& job, FileSink& sink) {
  sink.stream(converted_path(job, "vtk"), [&](FileStream& to) { put_frame(to, job); });
}

}  // namespace rtsim
