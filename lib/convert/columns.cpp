#include "convert/columns.h"

#include <algorithm>
#include <charconv>

#include "cache/vtk_geometry.h"

namespace rtsim {

bool is_chosen(const FrameObject& o, const std::string& column,
               const std::vector<std::string>& chosen) {
  if (chosen.empty() || column == "position" || column == "id") return true;
  if (o.kind == Kind::bodies && column == "orientation") return true;
  if (o.kind == Kind::height_field && (column == "bed" || column == "depth")) return true;
  return std::ranges::find(chosen, column) != chosen.end();
}

FrameObject read_chosen(const std::filesystem::path& run, const WrittenFile& file,
                        const std::vector<std::string>& chosen) {
  if (chosen.empty()) return read_frame(run, file);
  const auto wanted = [&](const FrameObject& o, const std::string& name) {
    return is_chosen(o, name, chosen);
  };
  FrameObject object = read_frame(run, file, wanted);
  std::erase_if(object.columns, [&](const FrameColumn& c) { return !wanted(object, c.name); });
  return object;
}

const FrameColumn* column_named(const FrameObject& o, const std::string& name) {
  const auto c = std::ranges::find(o.columns, name, &FrameColumn::name);
  return c == o.columns.end() ? nullptr : &*c;
}

void append_number(std::string& text, const FrameColumn& c, std::size_t row, int a) {
  char digits[32];
  const auto end = [&] {
    if (c.type.scalar == Scalar::f32)
      return std::to_chars(digits, digits + sizeof digits, float(value<double>(c, row, a))).ptr;
    if (c.type.scalar == Scalar::f64)
      return std::to_chars(digits, digits + sizeof digits, value<double>(c, row, a)).ptr;
    return std::to_chars(digits, digits + sizeof digits, value<std::int64_t>(c, row, a)).ptr;
  }();
  text.append(digits, end);
}

bool is_of_plane(const FrameColumn& c) {
  return c.type.components == 2 && c.name != "orientation";  // (cos, sin) is no vector
}

FrameColumn padded(const FrameColumn& c) {
  if (!is_of_plane(c)) return c;
  FrameColumn out{c.name, c.unit, {c.type.scalar, 3}, {}, 0};
  const std::size_t from = c.type.bytes(), to = out.type.bytes(), rows = c.bytes.size() / from;
  out.bytes.resize(rows * to);
  for (std::size_t i = 0; i < rows; ++i)
    std::memcpy(out.bytes.data() + i * to, c.bytes.data() + i * from, from);
  return out;
}

std::string component_name(const FrameColumn& c, int a, char between) {
  if (c.type.components == 1) return c.name;
  const std::string last = c.type.components <= 3 ? std::string(1, "xyz"[a]) : std::to_string(a);
  return c.name + between + last;
}

std::vector<double> places(const FrameObject& o) {
  std::vector<double> x;
  x.reserve(std::size_t(o.rows) * 3);
  if (o.kind == Kind::height_field) {
    const VtkGeometry g(o);
    return {g.points.begin(), g.points.end()};
  }
  if (o.grid) {
    for (Index c = 0; c < o.rows; ++c)
      for (int a = 0; a < 3; ++a) x.push_back(o.grid->centre(c)[a]);
    return x;
  }
  const FrameColumn& p = *column_named(o, "position");
  for (std::size_t i = 0; i < std::size_t(o.rows); ++i)
    for (int a = 0; a < 3; ++a) x.push_back(a < p.type.components ? value<double>(p, i, a) : 0);
  return x;
}

}  // namespace rtsim
