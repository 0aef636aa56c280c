#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "convert/file_stream.h"

namespace rtsim {

// The text of a layer, of numbers above all: each is written where the file's block is filled, as
// the shortest decimals that read back to the same number.
class UsdText {
 public:
  explicit UsdText(FileStream& to) : to_(to) {}

  void put(std::string_view text) { to_.put(text); }
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  void number(T x) {
    char* const at = to_.room(room).data();
    to_.take(std::size_t(std::to_chars(at, at + room, x).ptr - at));
  }
  // "[1, 2]" of one component, "[(1, 2, 3), (4, 5, 6)]" of more; `at(row, k)` is a number.
  template <class At>
  void array(std::size_t rows, int components, const At& at) {
    put("[");
    for (std::size_t i = 0; i < rows; ++i) {
      char* const first = to_.room(std::size_t(components + 1) * room).data();
      char* c = first;
      if (i > 0) *c++ = ',', *c++ = ' ';
      if (components > 1) *c++ = '(';
      for (int k = 0; k < components; ++k) {
        if (k > 0) *c++ = ',', *c++ = ' ';
        c = std::to_chars(c, c + room, at(i, k)).ptr;
      }
      if (components > 1) *c++ = ')';
      to_.take(std::size_t(c - first));
    }
    put("]");
  }

 private:
  static constexpr std::size_t room = 32;  // more than any number takes

  FileStream& to_;
};

// A name as USD takes it: letters, digits and _, no digit first.
std::string usd_name(std::string_view name);

}  // namespace rtsim
