#include "volumes/vdb_file.h"

#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/hash.h"
#include "cache/positions.h"

namespace rtsim {

namespace {

using Point = openvdb::Vec3d;

void describe(const NamedGrid& named, const Voxels& voxels, bool half) {
  openvdb::GridBase& grid = *named.grid;
  grid.setName(named.name);
  const auto transform = openvdb::math::Transform::createLinearTransform(voxels.side);
  transform->postTranslate({voxels.first[0], voxels.first[1], voxels.first[2]});
  grid.setTransform(transform);
  grid.setSaveFloatAsHalf(half);
  grid.insertMeta("units", openvdb::StringMetadata(named.unit));
}

openvdb::MetaMap file_metadata(const RunInfo& info, const Frame& frame, const FrameObject& object) {
  openvdb::MetaMap m;
  m.insertMeta("format", openvdb::StringMetadata("rtsim-frame"));
  m.insertMeta("format_version", openvdb::Int64Metadata(1));
  m.insertMeta("run_id", openvdb::StringMetadata(info.run_id));
  m.insertMeta("object", openvdb::StringMetadata(object.name));
  m.insertMeta("kind", openvdb::StringMetadata(to_string(object.kind)));
  m.insertMeta("frame", openvdb::Int64Metadata(frame.index));
  m.insertMeta("step", openvdb::Int64Metadata(frame.step));
  m.insertMeta("time", openvdb::DoubleMetadata(frame.time));
  m.insertMeta("time_units", openvdb::StringMetadata("s"));
  return m;
}

// Version 8 of RFC 9562: the maker chooses the bits.
std::string uuid_of(const RunInfo& info, const Frame& frame, const std::string& stem) {
  const std::string key = info.run_id + "/" + stem + "/" + std::to_string(frame.index);
  const std::string h =
      hex(hash_bytes(key.data(), key.size(), 0)) + hex(hash_bytes(key.data(), key.size(), 1));
  return h.substr(0, 8) + "-" + h.substr(8, 4) + "-8" + h.substr(13, 3) + "-8" + h.substr(17, 3) +
         "-" + h.substr(20, 12);
}

// io::File ignores a full disk: this writes the same bytes to a stream that we can ask.
class Archive : public openvdb::io::Archive {
 public:
  openvdb::SharedPtr<openvdb::io::Archive> copy() const override {
    return openvdb::SharedPtr<openvdb::io::Archive>(new Archive(*this));
  }
  void write_to(std::ostream& out, const openvdb::GridCPtrVec& grids,
                const openvdb::MetaMap& meta) const {
    openvdb::io::Archive::write(out, grids, /*seekable=*/true, meta);
  }
};

void write_archive(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids,
                   const openvdb::MetaMap& meta, const std::string& uuid) {
  constexpr std::streamoff uuid_at = 21;  // magic 8, format 4, library 8, seekable 1
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (out) Archive().write_to(out, grids, meta);
  // OpenVDB draws it at random, and no two runs would agree.
  out.seekp(uuid_at).write(uuid.data(), std::streamsize(uuid.size()));
  out.close();
  if (out) return;
  const std::string cause = errno ? std::strerror(errno) : "write error";
  throw Error(ExitCode::io, path.string() + ": cannot write: " + cause);
}

}  // namespace

std::vector<Point> positions_in_voxels(const FrameObject& object, double voxel) {
  std::vector<Point> x;
  x.reserve(std::size_t(object.rows));
  for (const Vec3d& p : positions(object, voxel)) x.emplace_back(p[0], p[1], p[2]);
  return x;
}

std::vector<float> component(const FrameColumn& c, int a) {
  std::vector<float> out(c.bytes.size() / c.type.bytes());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::byte* at = c.bytes.data() + i * c.type.bytes() + a * bytes_of(c.type.scalar);
    double wide;
    if (c.type.scalar == Scalar::f64)
      std::memcpy(&wide, at, sizeof wide), out[i] = float(wide);
    else
      std::memcpy(&out[i], at, sizeof(float));
  }
  return out;
}

void with_threads(int threads, const std::function<void()>& work) {
  tbb::task_arena(std::clamp(threads, 1, tbb::info::default_concurrency())).execute(work);
}

void write_vdb_file(const std::filesystem::path& path, const RunInfo& info, const Frame& frame,
                    const FrameObject& object, const std::string& stem,
                    const std::vector<NamedGrid>& grids, const Voxels& voxels, bool half) {
  openvdb::GridCPtrVec list;
  for (const NamedGrid& g : grids) {
    describe(g, voxels, half);
    list.push_back(g.grid);
  }
  write_archive(path, list, file_metadata(info, frame, object), uuid_of(info, frame, stem));
}

}  // namespace rtsim
