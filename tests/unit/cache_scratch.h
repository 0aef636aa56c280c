#pragma once
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cache/durable.h"
#include "cache/frame.h"

namespace rtsim {

// A folder of its own for one test, removed after it; in memory where that can be, because syncing
// to a disk is most of the time of these tests.
struct Scratch {
  Scratch() {
    const std::filesystem::path memory = "/dev/shm";
    const bool use_memory = ::access(memory.c_str(), W_OK) == 0;
    std::string name =
        ((use_memory ? memory : std::filesystem::temp_directory_path()) / "rtsim-test-XXXXXX")
            .string();
    folder = ::mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(folder); }
  std::filesystem::path operator/(const std::string& name) const { return folder / name; }

  std::filesystem::path folder;
};

// Files may not grow beyond `bytes` while it lives: what a full disk looks like to write().
struct FileLimit {
  explicit FileLimit(rlim_t bytes) : handler(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit now{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }

  rlimit before;
  void (*handler)(int);
};

template <class T>
FrameColumn column_of(std::string name, std::string unit, int components,
                      const std::vector<T>& values) {
  FrameColumn c{std::move(name), std::move(unit), {element_type<T>.scalar, components}, {}, 0};
  c.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(c.bytes.data(), values.data(), c.bytes.size());
  return c;
}

// `side`^dim particles on a lattice that fills the box [0, side * spacing]^dim.
inline FrameObject block(int side, int dim = 3, double spacing = 0.1) {
  std::vector<float> position, density;
  std::vector<std::uint32_t> id;
  const int n = dim == 3 ? side * side * side : side * side;
  for (int k = 0; k < n; ++k) {
    const int cell[3] = {k % side, k / side % side, k / (side * side)};
    for (int a = 0; a < dim; ++a) position.push_back(float((cell[a] + 0.5) * spacing));
    density.push_back(1000 + std::sin(float(k)));
    id.push_back(std::uint32_t(n - k));
  }
  FrameObject object{"water", Kind::particles, dim, spacing, n, {}};
  object.columns = {column_of("position", "m", dim, position),
                    column_of("density", "kg/m^3", 1, density), column_of("id", "", 1, id),
                    column_of("velocity", "m/s", dim, position)};
  return object;
}

inline Frame frame_of(FrameObject object, long index = 12, Format format = Format::hdf5) {
  Output output;
  output.object = object.name;
  output.format = format;
  return {index, 20 * index, 0.25 * double(index), {{output, std::move(object)}}};
}

inline void flip(const std::filesystem::path& file, std::size_t at) {
  std::string bytes = read_file(file);
  bytes.at(at) = char(bytes.at(at) ^ 0x10);
  write_bytes(file, bytes);
}

}  // namespace rtsim
