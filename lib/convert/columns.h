#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "cache/frame.h"
#include "cache/frame_reader.h"

namespace rtsim {

// Whether a column is written where --columns names `chosen`: those that say where and who the rows
// are (position, orientation, id, the heights of a height field) always go along.
bool is_chosen(const FrameObject&, const std::string& column,
               const std::vector<std::string>& chosen);

// Reads a frame with its chosen columns alone.
FrameObject read_chosen(const std::filesystem::path& run, const WrittenFile&,
                        const std::vector<std::string>& chosen);

const FrameColumn* column_named(const FrameObject&, const std::string& name);

// Component `a` of a row; `T` is double or std::int64_t.
template <class T>
T value(const FrameColumn& c, std::size_t row, int a) {
  const std::byte* at =
      c.bytes.data() + row * c.type.bytes() + std::size_t(a) * bytes_of(c.type.scalar);
  const auto as = [&](auto x) {
    std::memcpy(&x, at, sizeof x);
    return T(x);
  };
  switch (c.type.scalar) {
    case Scalar::f32:
      return as(float());
    case Scalar::f64:
      return as(double());
    case Scalar::i32:
      return as(std::int32_t());
    case Scalar::u32:
      return as(std::uint32_t());
    case Scalar::i64:
      return as(std::int64_t());
    case Scalar::u8:
      return as(std::uint8_t());
  }
  return T();
}

// As the shortest decimals that read back to the same number, in the column's own precision.
void append_number(std::string& text, const FrameColumn&, std::size_t row, int a);

inline bool is_real(const FrameColumn& c) {
  return c.type.scalar == Scalar::f32 || c.type.scalar == Scalar::f64;
}

// A vector of the plane, which has two components.
bool is_of_plane(const FrameColumn&);
// The same with z = 0 added, any other column as it is.
FrameColumn padded(const FrameColumn&);

// "velocity.x", or "density" of a column of one component.
std::string component_name(const FrameColumn&, int a, char between = '.');

// Where the rows are, x, y, z of one after the other [m]: points, centres of bodies, centres of
// cells, those of a height field on the water.
std::vector<double> places(const FrameObject&);

}  // namespace rtsim
