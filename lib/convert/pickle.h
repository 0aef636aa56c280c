#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "world/table.h"

namespace rtsim {

// An .npy file that holds a tuple of arrays, as numpy.save writes an array of objects: its header,
// and Python's pickle (protocol 4, PEP 3154) of an object array of arrays. As parts that point to
// the values given, which must stay.
class ArrayTuple {
 public:
  void add(Scalar, const std::vector<std::size_t>& shape, std::string_view bytes);
  const std::vector<std::string_view>& finish();

 private:
  struct Item {
    Scalar scalar;
    std::vector<std::size_t> shape;
    std::string_view bytes;
  };

  void own(std::string text);

  std::vector<Item> items_;
  std::deque<std::string> kept_;
  std::vector<std::string_view> parts_;
};

}  // namespace rtsim
