#include <fmt/format.h>

#include "convert/columns.h"
#include "convert/frame_formats.h"

namespace rtsim {

namespace {

// PLY knows no 64-bit integers: as a double they are exact up to 2^53.
const char* ply_type(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return "float";
    case Scalar::f64:
    case Scalar::i64:
      return "double";
    case Scalar::i32:
      return "int";
    case Scalar::u32:
      return "uint";
    case Scalar::u8:
      return "uchar";
  }
  return "";
}

FrameColumn without_long_integers(FrameColumn c) {
  if (c.type.scalar != Scalar::i64) return c;
  for (std::size_t k = 0; k < c.bytes.size(); k += 8) {
    std::int64_t n;
    std::memcpy(&n, c.bytes.data() + k, 8);
    const auto x = double(n);
    std::memcpy(c.bytes.data() + k, &x, 8);
  }
  return c;
}

FrameColumn place_column(const FrameObject& o) {
  if (!o.grid) return padded(*column_named(o, "position"));
  const std::vector<double> x = places(o);
  FrameColumn c{"position", "m", element_type<VecT<float, 3>>, {}, 0};
  for (const double at : x) {
    const auto f = float(at);
    const auto* bytes = reinterpret_cast<const std::byte*>(&f);
    c.bytes.insert(c.bytes.end(), bytes, bytes + sizeof f);
  }
  return c;
}

std::string header(const FrameJob& job, const std::vector<FrameColumn>& columns) {
  std::string text = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment rtsim points of {}, frame {}, time {} s\n"
      "element vertex {}\n",
      job.object.name, job.frame.index, job.frame.time, job.object.rows);
  for (const FrameColumn& c : columns)
    for (int a = 0; a < c.type.components; ++a)
      text += fmt::format("property {} {}\n", ply_type(c.type.scalar),
                          &c == &columns[0] ? std::string(1, "xyz"[a]) : component_name(c, a, '_'));
  return text + "end_header\n";
}

// Column by column into the rows of the file.
std::string interleaved(const std::vector<FrameColumn>& columns, std::size_t rows) {
  std::size_t row = 0, at = 0;
  for (const FrameColumn& c : columns) row += c.type.bytes();
  std::string bytes(row * rows, '\0');
  for (const FrameColumn& c : columns) {
    const std::size_t n = c.type.bytes();
    char* to = bytes.data() + at;
    const std::byte* from = c.bytes.data();
    for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * row, from + i * n, n);
    at += n;
  }
  return bytes;
}

}  // namespace

void write_frame_points(const FrameJob& job, FileSink& sink) {
  const FrameObject& o = job.object;
  std::vector<FrameColumn> columns{place_column(o)};
  for (const FrameColumn& c : o.columns)
    if (c.name != "position") columns.push_back(without_long_integers(c));
  const std::string head = header(job, columns), rows = interleaved(columns, std::size_t(o.rows));
  const std::string_view parts[] = {head, rows};
  sink.parts(converted_path(job, "ply"), parts);
}

}  // namespace rtsim
