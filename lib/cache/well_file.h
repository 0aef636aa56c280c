#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/chunk_compress.h"

namespace rtsim {

// One field of every time: order 0 of one number a cell, 1 of a vector, 2 of a tensor.
struct WellField {
  std::string name;
  int order = 0;
};

// What one side of the grid does: "PERIODIC", "WALL" or "OPEN".
struct WellSide {
  int axis = 0;
  bool high = false;
  std::string type;
};

struct WellInfo {
  std::string dataset;
  std::vector<std::pair<std::string, double>> parameters;  // numbers that tell runs apart
  std::vector<std::string> axes;                           // "x", "y"
  std::vector<std::vector<float>> centres;                 // [m] of the cells along each
  std::vector<float> times;                                // [s]
  std::vector<WellField> fields;
  std::vector<WellSide> sides;

  std::size_t cells() const;
  std::size_t numbers(const WellField&) const;  // of a frame
};

// One trajectory as The Well keeps it (Ohana et al., "The Well: a large-scale collection of diverse
// physics simulations for machine learning", NeurIPS 2024; docs/data_format.md of its repository):
// HDF5 of fields [trajectory, time, x, y(, z)], of vectors [..., D] and of tensors [..., D, D], in
// 32 bits on a uniform grid.
class WellFile {
 public:
  WellFile(const std::filesystem::path&, WellInfo);
  ~WellFile();
  // A field at a time, as compress_numbers() has it, which any thread may do beforehand.
  void write(std::size_t field, std::size_t time, const Chunk&);
  void finish();

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace rtsim
