#include <fmt/format.h>

#include <iterator>

#include "convert/columns.h"
#include "convert/frame_formats.h"

namespace rtsim {
namespace {

// Gmsh's views have values of 1, 3 or 9 components: vectors of two get a third, other columns are
// not written.
bool is_viewed(const FrameColumn& c) {
  return c.name != "position" && c.type.components >= 1 && c.type.components <= 3;
}

void append_row(std::string& text, const FrameColumn& c, std::size_t row) {
  for (int a = 0; a < c.type.components; ++a) text += ' ', append_number(text, c, row, a);
  text += c.type.components == 2 ? " 0\n" : "\n";
}

void append_view(std::string& text, const FrameJob& job, const FrameColumn& c) {
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "$NodeData\n1\n\"{}\"\n1\n{}\n3\n{}\n{}\n{}\n", c.name, job.frame.time,
                 job.frame.index, c.type.components == 2 ? 3 : c.type.components, job.object.rows);
  for (std::size_t row = 0; row < std::size_t(job.object.rows); ++row) {
    fmt::format_to(to, "{}", row + 1);
    append_row(text, c, row);
  }
  text += "$EndNodeData\n";
}

}  // namespace

// Version 4.1 in ASCII: one entity, whose nodes and elements count from 1 in the order of the rows.
void write_frame_msh(const FrameJob& job, FileSink& sink) {
  const FrameObject& o = job.object;
  const auto corners = std::size_t(o.cells.corners), n = o.cells.points.size() / corners;
  const int dim = int(corners) - 1, type = corners == 2 ? 1 : corners == 3 ? 2 : 4;
  std::string text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "$Nodes\n1 {0} 1 {0}\n{1} 1 0 {0}\n", o.rows, dim);
  for (Index i = 1; i <= o.rows; ++i) fmt::format_to(to, "{}\n", i);
  const FrameColumn& x = *column_named(o, "position");
  for (std::size_t row = 0; row < std::size_t(o.rows); ++row) append_row(text, x, row);
  fmt::format_to(to, "$EndNodes\n$Elements\n1 {0} 1 {0}\n{1} 1 {2} {0}\n", n, dim, type);
  for (std::size_t e = 0; e < n; ++e) {
    fmt::format_to(to, "{}", e + 1);
    for (std::size_t k = 0; k < corners; ++k)
      fmt::format_to(to, " {}", o.cells.points[corners * e + k] + 1);
    text += '\n';
  }
  text += "$EndElements\n";
  for (const FrameColumn& c : o.columns)
    if (is_viewed(c)) append_view(text, job, c);
  sink.bytes(converted_path(job, "msh"), text);
}

}  // namespace rtsim
