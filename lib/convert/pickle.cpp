#include "convert/pickle.h"

#include <fmt/format.h>

namespace rtsim {

namespace {

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int b = 0; b < bytes; ++b) text.push_back(char(value >> (8 * b)));
  return text;
}

std::string integer(std::int64_t n) {  // BININT, of four bytes
  return "J" + little_endian(std::uint64_t(n), 4);
}

std::string text_of(const std::string& s) {  // BINUNICODE
  return "X" + little_endian(s.size(), 4) + s;
}

// numpy.core.multiarray._reconstruct(numpy.ndarray, (0,), b"b"): an array to be filled.
std::string empty_array() {
  return "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n" + integer(0) + "\x85" +
         "C\x01" + "b" + "tR";
}

// numpy.dtype(name, False, True) with its state.
std::string dtype(const std::string& name, const std::string& order, int flags) {
  return "cnumpy\ndtype\n(" + text_of(name) + "\x89\x88tR(" + integer(3) + text_of(order) + "NNN" +
         integer(-1) + integer(-1) + integer(flags) + "tb";
}

std::string dtype_of(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return dtype("f4", "<", 0);
    case Scalar::f64:
      return dtype("f8", "<", 0);
    case Scalar::i32:
      return dtype("i4", "<", 0);
    case Scalar::u32:
      return dtype("u4", "<", 0);
    case Scalar::i64:
      return dtype("i8", "<", 0);
    case Scalar::u8:
      return dtype("u1", "|", 0);
  }
  return "";
}

// The beginning of an array's state: version, shape, type, "not in Fortran's order".
std::string state(const std::vector<std::size_t>& shape, const std::string& type) {
  std::string text = "(" + integer(1) + "(";
  for (const std::size_t n : shape) text += integer(std::int64_t(n));
  return text + "t" + type + "\x89";
}

}  // namespace

void ArrayTuple::own(std::string text) {
  kept_.push_back(std::move(text));
  parts_.push_back(kept_.back());
}

void ArrayTuple::add(Scalar scalar, const std::vector<std::size_t>& shape, std::string_view bytes) {
  items_.push_back({scalar, shape, bytes});
}

const std::vector<std::string_view>& ArrayTuple::finish() {
  std::string header =
      fmt::format("{{'descr': '|O', 'fortran_order': False, 'shape': ({},), }}", items_.size());
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  own(std::string("\x93NUMPY\x01\x00", 8) + little_endian(header.size(), 2) + header);
  constexpr int object_flags = 63;  // NumPy's: items are references
  own("\x80\x04" + empty_array() + state({items_.size()}, dtype("O8", "|", object_flags)) + "](");
  for (const Item& i : items_) {
    own(empty_array() + state(i.shape, dtype_of(i.scalar)) + "\x8e" +
        little_endian(i.bytes.size(), 8));
    parts_.push_back(i.bytes);
    own("tb");
  }
  own("etb.");
  return parts_;
}

}  // namespace rtsim
