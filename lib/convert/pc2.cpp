#include <fmt/format.h>

#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/hash.h"
#include "cache/durable.h"
#include "cache/mesh_faces.h"
#include "convert/moving_points.h"
#include "convert/sequence_formats.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t header_bytes = 32;

// PC2: a header (name, version, points, first frame, frames between samples, samples), then x, y, z
// of every point for each sample, in 32 bits.
std::string header(std::size_t points, std::size_t samples) {
  std::string h("POINTCACHE2\0", 12);
  const auto put = [&](auto x) { h.append(reinterpret_cast<const char*>(&x), sizeof x); };
  put(std::int32_t(1)), put(std::int32_t(points));
  put(0.0f), put(1.0f), put(std::int32_t(samples));
  return h;
}

// The first frame: all points, and the faces or edges that join them.
std::string first_obj(const FrameObject& o) {
  std::string text = fmt::format("# rtsim {}: the points of its .pc2\no {}\n", o.name, o.name);
  const std::vector<float> x = moving_points(o);
  const auto out = std::back_inserter(text);
  for (std::size_t k = 0; k < x.size(); k += 3)
    fmt::format_to(out, "v {} {} {}\n", x[k], x[k + 1], x[k + 2]);
  if (o.kind == Kind::mesh && o.cells.corners == 2) {
    for (std::size_t k = 0; k < o.cells.points.size(); k += 2)
      fmt::format_to(out, "l {} {}\n", o.cells.points[k] + 1, o.cells.points[k + 1] + 1);
  } else if (o.kind == Kind::mesh || o.kind == Kind::bodies || o.kind == Kind::height_field) {
    for (const auto& t : shown_triangles(o).triangles)
      fmt::format_to(out, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  }
  return text;
}

// One growing .pc2, in which so many samples are kept.
class PointCache {
 public:
  PointCache(fs::path file, std::size_t points, std::size_t samples, std::size_t kept)
      : file_(std::move(file)), part_(file_.string() + ".part") {
    if (kept > 0 && fs::exists(file_))
      rename_file(file_, part_);  // it was whole, there is more now
    const std::uint64_t bytes = header_bytes + 12 * points * kept;
    if (kept > 0 && (!fs::exists(part_) || fs::file_size(part_) < bytes))
      throw Error(ExitCode::io,
                  part_.string() + ": samples are missing; begin again with --overwrite");
    if (kept == 0) write_bytes(part_, "");
    out_.open(part_, std::ios::binary | std::ios::in | std::ios::out);
    add(header(points, samples));
    if (kept > 0) truncate_file(part_, bytes);
    out_.seekp(std::streamoff(bytes));
  }

  void add(std::string_view bytes) {
    errno = 0;
    if (!out_.write(bytes.data(), std::streamsize(bytes.size()))) fail();
  }
  void sync() {
    errno = 0;
    if (!out_.flush()) fail();
    sync_path(part_);
  }
  WrittenFile finish(const fs::path& folder) {
    sync();
    rename_file(part_, file_);
    sync_path(file_.parent_path());
    return {file_.lexically_relative(folder).string(), fs::file_size(file_), hash_file(file_)};
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ExitCode::io,
                part_.string() + ": cannot write: " + std::strerror(errno ? errno : EIO));
  }

  fs::path file_, part_;
  std::fstream out_;
};

class Pc2 : public Sequence {
 public:
  Pc2(const ConversionPlan& plan, std::size_t done) : plan_(plan) {
    std::map<std::string, std::size_t> kept, all;
    for (std::size_t k = 0; k < plan.frames.size(); ++k)
      for (const WrittenFile& f : plan.frames[k].files)
        ++all[object_of(f)], kept[object_of(f)] += k < done;
    for (const auto& [name, object] : plan.first) {
      const fs::path stem = plan.out / "cache" / name / name;
      make_folders(stem.parent_path());
      write_file(stem.string() + ".obj", first_obj(object));
      caches_.try_emplace(name, stem.string() + ".pc2", moving_points(object).size() / 3, all[name],
                          kept[name]);
    }
  }

  std::string prepare(const CommittedFrame&, const WrittenFile& f) const override {
    return moving_points_of(plan_.run, f);
  }
  void add(const CommittedFrame&, const WrittenFile& f, std::string part) override {
    caches_.at(object_of(f)).add(part);
  }
  void sync() override {
    for (auto& [name, cache] : caches_) cache.sync();
  }
  std::vector<WrittenFile> finish() override {
    std::vector<WrittenFile> files;
    for (auto& [name, cache] : caches_) {
      const fs::path obj = plan_.out / "cache" / name / (name + ".obj");
      files.push_back(
          {obj.lexically_relative(plan_.out).string(), fs::file_size(obj), hash_file(obj)});
      files.push_back(cache.finish(plan_.out));
    }
    return files;
  }

 private:
  const ConversionPlan& plan_;
  std::map<std::string, PointCache> caches_;
};

}  // namespace

std::string no_pc2(const FrameObject& o, const Output&) {
  return o.rows == 0 ? "has no points" : "";
}

std::unique_ptr<Sequence> begin_pc2(const ConversionPlan& plan, std::size_t done) {
  return std::make_unique<Pc2>(plan, done);
}

}  // namespace rtsim
