#include <fmt/format.h>

#include <deque>

#include "convert/columns.h"
#include "convert/frame_formats.h"
#include "convert/zip.h"

namespace rtsim {

namespace {

const char* numpy_type(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return "<f4";
    case Scalar::f64:
      return "<f8";
    case Scalar::i32:
      return "<i4";
    case Scalar::u32:
      return "<u4";
    case Scalar::i64:
      return "<i8";
    case Scalar::u8:
      return "|u1";
  }
  return "";
}

// Format 1.0 of .npy files: the data begin at a multiple of 64 bytes.
std::string npy_header(Scalar scalar, const std::vector<std::size_t>& shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  numpy_type(scalar), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  text.append(63 - (10 + text.size()) % 64, ' ').push_back('\n');
  const auto n = std::uint16_t(text.size());
  return std::string("\x93NUMPY\x01\x00", 8) + char(n & 255) + char(n >> 8) + text;
}

// An archive of arrays. Texts and single numbers are kept here until it is written.
class Arrays {
 public:
  void add(const std::string& name, Scalar scalar, const std::vector<std::size_t>& shape,
           std::string_view bytes) {
    kept_.push_back(npy_header(scalar, shape));
    zip_.add(name + ".npy", {kept_.back(), bytes});
  }
  template <class T>
  void add(const std::string& name, const std::vector<T>& values, std::size_t row) {
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(T));
    std::vector<std::size_t> shape{values.size() / row};
    if (row > 1) shape.push_back(row);
    add(name, element_type<T>.scalar, shape, bytes);
  }
  template <class T>
  void add_number(const std::string& name, T value) {
    kept_.emplace_back(reinterpret_cast<const char*>(&value), sizeof value);
    const std::string_view bytes = kept_.back();
    add(name, element_type<T>.scalar, {}, bytes);
  }
  void write(const std::string& path, FileSink& sink) { sink.parts(path, zip_.finish()); }

 private:
  std::deque<std::string> kept_;
  Zip zip_;
};

// [rows], of grids [nz, ny, nx] without the axes that they do not span.
std::vector<std::size_t> shape_of(const FrameObject& o) {
  if (!o.grid) return {std::size_t(o.rows)};
  std::vector<std::size_t> shape;
  for (int a = 2; a >= 0; --a)
    if (o.grid->spans[a]) shape.push_back(std::size_t(o.grid->cells[a]));
  return shape;
}

}  // namespace

void write_frame_npz(const FrameJob& job, FileSink& sink) {
  const FrameObject& o = job.object;
  Arrays arrays;
  for (const FrameColumn& c : o.columns) {
    std::vector<std::size_t> shape = shape_of(o);
    if (c.type.components > 1) shape.push_back(std::size_t(c.type.components));
    arrays.add(c.name, c.type.scalar, shape,
               {reinterpret_cast<const char*>(c.bytes.data()), c.bytes.size()});
  }
  if (o.kind == Kind::mesh) arrays.add("cells", o.cells.points, std::size_t(o.cells.corners));
  if (o.kind == Kind::bodies) {
    arrays.add("surface_points", o.surface.points, 3);
    arrays.add("surface_triangles", o.surface.triangles, 3);
    arrays.add("surface_body", o.surface.body, 1);
  }
  std::vector<double> low;
  if (o.grid) low = {o.grid->low[0], o.grid->low[1], o.grid->low[2]};
  if (o.grid) arrays.add("low", low, 1);
  arrays.add_number("spacing", o.spacing);
  arrays.add_number("time", job.frame.time);
  arrays.add_number("step", std::int64_t(job.frame.step));
  arrays.add_number("frame", std::int64_t(job.frame.index));
  arrays.write(converted_path(job, "npz"), sink);
}

}  // namespace rtsim
