#include "convert/columns.h"
#include "convert/frame_formats.h"

namespace rtsim {

namespace {

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
      for (int a = 0; a < c->type.components; ++a) append_number(text, *c, row, a), text += ',';
    text.back() = '\n';
  }
  sink.bytes(converted_path(job, "csv"), text);
}

}  // namespace rtsim
