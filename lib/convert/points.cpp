#include <fmt/format.h>

#include <algorithm>
#include <memory>

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
  for (std::size_t k = 0; k < c.bytes.size(); k += 8) {
    std::int64_t n;
    std::memcpy(&n, c.bytes.data() + k, 8);
    const auto x = double(n);
    std::memcpy(c.bytes.data() + k, &x, 8);
  }
  return c;
}

FrameColumn centres(const FrameObject& o) {
  const std::vector<double> x = places(o);
  FrameColumn c{"position", "m", element_type<VecT<float, 3>>, {}, 0};
  for (const double at : x) {
    const auto f = float(at);
    const auto* bytes = reinterpret_cast<const std::byte*>(&f);
    c.bytes.insert(c.bytes.end(), bytes, bytes + sizeof f);
  }
  return c;
}

// The columns of the file: places first. Those of the frame that are written as they are stay
// where they are.
class Properties {
 public:
  explicit Properties(const FrameObject& o) {
    const FrameColumn* position = o.grid ? nullptr : column_named(o, "position");
    if (position && position->type.components == 3)
      list_.push_back(position);
    else
      keep(position ? padded(*position) : centres(o));
    for (const FrameColumn& c : o.columns) {
      if (c.name == "position") continue;
      if (c.type.scalar == Scalar::i64)
        keep(without_long_integers(c));
      else
        list_.push_back(&c);
    }
  }

  const std::vector<const FrameColumn*>& list() const { return list_; }

 private:
  void keep(FrameColumn c) {
    own_.push_back(std::make_unique<FrameColumn>(std::move(c)));
    list_.push_back(own_.back().get());
  }

  std::vector<std::unique_ptr<FrameColumn>> own_;
  std::vector<const FrameColumn*> list_;
};

std::string header(const FrameJob& job, const Properties& properties) {
  std::string text = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment rtsim points of {}, frame {}, time {} s\n"
      "element vertex {}\n",
      job.object.name, job.frame.index, job.frame.time, job.object.rows);
  for (const FrameColumn* c : properties.list())
    for (int a = 0; a < c->type.components; ++a)
      text += fmt::format(
          "property {} {}\n", ply_type(c->type.scalar),
          c == properties.list()[0] ? std::string(1, "xyz"[a]) : component_name(*c, a, '_'));
  return text + "end_header\n";
}

// `n` bytes of each row to every `stride`th byte; of a known size they are single moves.
template <std::size_t n>
void scatter(const std::byte* from, std::size_t rows, char* to, std::size_t stride) {
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * stride, from + i * n, n);
}

void scatter(const std::byte* from, std::size_t rows, char* to, std::size_t stride, std::size_t n) {
  if (n == 4) return scatter<4>(from, rows, to, stride);
  if (n == 8) return scatter<8>(from, rows, to, stride);
  if (n == 12) return scatter<12>(from, rows, to, stride);
  if (n == 24) return scatter<24>(from, rows, to, stride);
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * stride, from + i * n, n);
}

// Column by column into the rows of the file, so many rows at a time as a block holds.
void put_rows(FileStream& to, const Properties& properties, std::size_t rows) {
  std::size_t row = 0;
  for (const FrameColumn* c : properties.list()) row += c->type.bytes();
  const std::size_t most = FileStream::block / row;
  for (std::size_t first = 0; first < rows; first += most) {
    const std::size_t some = std::min(most, rows - first);
    char* at = to.room(some * row).data();
    for (const FrameColumn* c : properties.list()) {
      const std::size_t n = c->type.bytes();
      scatter(c->bytes.data() + first * n, some, at, row, n);
      at += n;
    }
    to.take(some * row);
  }
}

}  // namespace

void write_frame_points(const FrameJob& job, FileSink& sink) {
  const Properties properties(job.object);
  sink.stream(converted_path(job, "ply"), [&](FileStream& to) {
    to.put(header(job, properties));
    put_rows(to, properties, std::size_t(job.object.rows));
  });
}

}  // namespace rtsim
