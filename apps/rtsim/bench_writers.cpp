#include "bench_writers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>

#include "base/random.h"
#include "cache/durable.h"
#include "cache/frame_writer.h"

namespace rtsim {

namespace {

template <class T>
FrameColumn column(const char* name, const char* unit, const std::vector<T>& values) {
  FrameColumn c{name, unit, element_type<T>, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(c.bytes.data(), values.data(), c.bytes.size());
  return c;
}

// A block of fluid with the disorder that makes real frames hard to compress.
FrameObject jittered_block(Index side, double spacing) {
  std::vector<Vec<3>> position, velocity;
  std::vector<Real> density, pressure;
  std::vector<std::uint32_t> id;
  for (Index i = 0; i < side * side * side; ++i) {
    const Random4 r = philox(1, 0, 0, std::uint32_t(i)), q = philox(2, 0, 0, std::uint32_t(i));
    const Index cell[3] = {i % side, i / side % side, i / side / side};
    Vec<3> x, v;
    for (int k = 0; k < 3; ++k) {
      x[k] = Real(spacing * (cell[k] + 0.5 + 0.2 * (uniform(r.c[k]) - 0.5)));
      v[k] = Real(std::sin(3 * double(x[k])) + 0.02 * (uniform(q.c[k]) - 0.5));
    }
    position.push_back(x), velocity.push_back(v), id.push_back(std::uint32_t(i));
    density.push_back(Real(1000 * (1 + 0.01 * uniform(q.c[3]))));
    pressure.push_back(Real(9810 * spacing * (side - cell[1]) + 20 * uniform(r.c[3])));
  }
  FrameObject o{"water", Kind::particles, 3, spacing, Index(position.size()), {}};
  o.columns = {column("position", "m", position), column("velocity", "m/s", velocity),
               column("id", "", id), column("density", "kg/m^3", density),
               column("pressure", "Pa", pressure)};
  return o;
}

std::string all_bytes(const FrameObject& o) {
  std::string all;
  for (const FrameColumn& c : o.columns)
    all.append(reinterpret_cast<const char*>(c.bytes.data()), c.bytes.size());
  return all;
}

using Write = std::function<void(const std::filesystem::path&)>;

WriterResult time_writer(const char* name, int threads, double raw_bytes, const Write& write) {
  const auto file = std::filesystem::temp_directory_path() / ("rtsim-bench." + std::string(name));
  WriterResult r{name, threads, 1e30, raw_bytes / 1e6, 0};
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    write_durably(file, write);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    r.seconds = std::min(r.seconds, took.count());
  }
  r.file_megabytes = double(std::filesystem::file_size(file)) / 1e6;
  std::filesystem::remove(file);
  return r;
}

}  // namespace

std::vector<WriterResult> time_writers(const std::vector<int>& threads) {
  const FrameObject block = jittered_block(80, 0.01);
  const std::string bytes = all_bytes(block);
  const Frame frame{0, 0, 0, {}};
  Output volume;
  volume.format = Format::vdb;
  const FrameFile hdf5{Output{}, block}, vdb{volume, block};
  const double raw = double(bytes.size());

  std::vector<WriterResult> results;
  results.push_back(
      time_writer("plain", 1, raw, [&](const auto& file) { write_bytes(file, bytes); }));
  for (const int n : threads) {
    const RunInfo info{"bench", n};
    results.push_back(time_writer("hdf5", n, raw,
                                  [&](const auto& file) { write_hdf5(file, info, frame, hdf5); }));
    results.push_back(
        time_writer("vdb", n, raw, [&](const auto& file) { write_vdb(file, info, frame, vdb); }));
  }
  return results;
}

}  // namespace rtsim
