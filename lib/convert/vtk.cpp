#include <fmt/format.h>

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

template <class Bits>
void append_swapped(std::string& to, const std::byte* from, std::size_t bytes) {
  const std::size_t at = to.size();
  to.resize(at + bytes);
  for (std::size_t k = 0; k < bytes; k += sizeof(Bits)) {
    Bits x, y = 0;
    std::memcpy(&x, from + k, sizeof x);
    for (std::size_t b = 0; b < sizeof x; ++b) y = Bits(y << 8) | (Bits(x >> (8 * b)) & 255);
    std::memcpy(to.data() + at + k, &y, sizeof y);
  }
}

// Legacy files are big-endian.
void append_big(std::string& to, Scalar s, const std::byte* from, std::size_t bytes) {
  static_assert(std::endian::native == std::endian::little);
  if (bytes == 0) return;
  if (bytes_of(s) == 8)
    append_swapped<std::uint64_t>(to, from, bytes);
  else if (bytes_of(s) == 4)
    append_swapped<std::uint32_t>(to, from, bytes);
  else
    to.append(reinterpret_cast<const char*>(from), bytes);
  to.push_back('\n');
}

template <class T>
void append_big(std::string& to, const std::vector<T>& values) {
  append_big(to, element_type<T>.scalar, reinterpret_cast<const std::byte*>(values.data()),
             values.size() * sizeof(T));
}

void append_image(std::string& to, const GridShape& g) {
  const Vec3d first = g.centre(0);
  to += fmt::format(
      "DATASET STRUCTURED_POINTS\nDIMENSIONS {} {} {}\nORIGIN {} {} {}\nSPACING {} {} {}\n",
      g.cells[0], g.cells[1], g.cells[2], first[0], first[1], first[2], g.spacing, g.spacing,
      g.spacing);
}

// Each cell is the count of its corners and they.
void append_cells(std::string& to, const VtkGeometry& g) {
  const std::size_t n = g.types.size();
  std::vector<std::int32_t> cells;
  for (std::size_t c = 0; c < n; ++c) {
    cells.push_back(g.offsets[c + 1] - g.offsets[c]);
    cells.insert(cells.end(), g.connectivity.begin() + g.offsets[c],
                 g.connectivity.begin() + g.offsets[c + 1]);
  }
  to += fmt::format("CELLS {} {}\n", n, cells.size());
  append_big(to, cells);
  to += fmt::format("\nCELL_TYPES {}\n", n);
  append_big(to, std::vector<std::int32_t>(g.types.begin(), g.types.end()));
}

void append_unstructured(std::string& to, const FrameObject& o) {
  const VtkGeometry g(o);
  to += "DATASET UNSTRUCTURED_GRID\n";
  if (g.points.empty() && o.kind != Kind::bodies) {
    const FrameColumn x = padded(*column_named(o, "position"));
    to += fmt::format("POINTS {} {}\n", o.rows, vtk_type(x.type.scalar));
    append_big(to, x.type.scalar, x.bytes.data(), x.bytes.size());
  } else {
    to += fmt::format("POINTS {} {}\n", g.points.size() / 3, vtk_type(element_type<Real>.scalar));
    append_big(to, g.points);
  }
  append_cells(to, g);
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

void append_column(std::string& to, const FrameColumn& c) {
  to += fmt::format("{} {} {} {}\n", c.name, c.type.components, c.bytes.size() / c.type.bytes(),
                    vtk_type(c.type.scalar));
  append_big(to, c.type.scalar, c.bytes.data(), c.bytes.size());
  if (c.bytes.empty()) to.push_back('\n');
}

void append_columns(std::string& to, const FrameObject& o) {
  std::vector<FrameColumn> columns;
  const bool bodies = o.kind == Kind::bodies;
  if (bodies) {
    FrameColumn body{"body", "", element_type<std::int32_t>, {}, 0};
    body.bytes.resize(o.surface.body.size() * 4);
    if (!body.bytes.empty())
      std::memcpy(body.bytes.data(), o.surface.body.data(), body.bytes.size());
    columns.push_back(std::move(body));
  }
  for (const FrameColumn& c : o.columns)
    if (bodies)
      columns.push_back(padded(of_triangles(c, o.surface.body)));
    else if (c.name != "position" || o.grid)
      columns.push_back(padded(c));
  if (columns.empty()) return;
  to += fmt::format("{} {}\nFIELD columns {}\n", bodies ? "CELL_DATA" : "POINT_DATA",
                    bodies ? o.surface.body.size() : std::size_t(o.rows), columns.size());
  for (const FrameColumn& c : columns) append_column(to, c);
}

}  // namespace

void write_frame_vtk(const FrameJob& job, FileSink& sink) {
  const FrameObject& o = job.object;
  std::string bytes =
      fmt::format("# vtk DataFile Version 3.0\nrtsim {}, frame {}, time {} s\nBINARY\n", o.name,
                  job.frame.index, job.frame.time);
  if (is_image(o))
    append_image(bytes, *o.grid);
  else
    append_unstructured(bytes, o);
  bytes += "FIELD FieldData 1\nTimeValue 1 1 double\n";
  append_big(bytes, std::vector<double>{job.frame.time});
  append_columns(bytes, o);
  sink.bytes(converted_path(job, "vtk"), bytes);
}

}  // namespace rtsim
