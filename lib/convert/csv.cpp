#include <charconv>

#include "convert/columns.h"
#include "convert/frame_formats.h"

namespace rtsim {

namespace {

// As the shortest decimals that read back to the same number, in the column's own precision.
void append_number(std::string& text, const FrameColumn& c, std::size_t row, int a) {
  char digits[32];
  const auto end = [&] {
    if (c.type.scalar == Scalar::f32)
      return std::to_chars(digits, digits + sizeof digits, float(value<double>(c, row, a))).ptr;
    if (c.type.scalar == Scalar::f64)
      return std::to_chars(digits, digits + sizeof digits, value<double>(c, row, a)).ptr;
    return std::to_chars(digits, digits + sizeof digits, value<std::int64_t>(c, row, a)).ptr;
  }();
  text.append(digits, end).push_back(',');
}

// Cells of a grid are placed by their number; here every row says where it is.
FrameColumn place_column(const FrameObject& o) {
  const std::vector<double> x = places(o);
  FrameColumn c{"position", "m", element_type<Vec3d>, {}, 0};
  c.bytes.resize(x.size() * sizeof(double));
  if (!x.empty()) std::memcpy(c.bytes.data(), x.data(), c.bytes.size());
  return c;
}

std::string header(const std::vector<const FrameColumn*>& columns) {
  std::string text;
  for (const FrameColumn* c : columns)
    for (int a = 0; a < c->type.components; ++a)
      text += component_name(*c, a) + (c->unit.empty() ? "" : " [" + c->unit + "]") + ",";
  return text;
}

}  // namespace

void write_frame_csv(const FrameJob& job, FileSink& sink) {
  const FrameObject& o = job.object;
  std::vector<const FrameColumn*> columns;
  FrameColumn place;
  if (o.grid) columns.push_back(&(place = place_column(o)));
  for (const FrameColumn& c : o.columns) columns.push_back(&c);
  std::string text = header(columns);
  text.back() = '\n';
  for (std::size_t row = 0; row < std::size_t(o.rows); ++row) {
    for (const FrameColumn* c : columns)
      for (int a = 0; a < c->type.components; ++a) append_number(text, *c, row, a);
    text.back() = '\n';
  }
  sink.bytes(converted_path(job, "csv"), text);
}

}  // namespace rtsim
