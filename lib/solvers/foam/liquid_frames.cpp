#include "solvers/foam/liquid_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "cache/frame_reader.h"

namespace rtsim {

namespace {

constexpr const char* columns[] = {"position", "velocity", "id"};

bool wanted(const FrameObject&, const std::string& column) {
  return std::ranges::find(columns, column) != std::end(columns);
}

const FrameColumn* find(const FrameObject& o, const std::string& name) {
  for (const FrameColumn& c : o.columns)
    if (c.name == name) return &c;
  return nullptr;
}

std::vector<Real> numbers(const FrameColumn& c) {
  const std::size_t n = c.bytes.size() / bytes_of(c.type.scalar);
  std::vector<Real> out(n);
  for (std::size_t i = 0; i < n; ++i)
    if (c.type.scalar == Scalar::f32) {
      float v;
      std::memcpy(&v, c.bytes.data() + i * sizeof v, sizeof v);
      out[i] = Real(v);
    } else {
      double v;
      std::memcpy(&v, c.bytes.data() + i * sizeof v, sizeof v);
      out[i] = Real(v);
    }
  return out;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ExitCode::bad_input, what); }

std::string why_not(const FrameObject& o, int dim, double spacing) {
  if (o.kind != Kind::particles) return "are no particles";
  if (o.dim != dim) return fmt::format("have {} dimensions, and this scene {}", o.dim, dim);
  for (const char* c : columns)
    if (!find(o, c))
      return fmt::format("lack the column \"{}\": leave \"columns\" out of that run's output", c);
  if (std::abs(o.spacing - spacing) > 1e-6 * spacing)
    return fmt::format("have a spacing of {:.6g} m, and the object here one of {:.6g} m", o.spacing,
                       spacing);
  return {};
}

}  // namespace

LiquidFrames::LiquidFrames(const std::string& file, World& world, const std::string& object)
    : run_(std::filesystem::path(file).parent_path()), object_(object), dim_(world.dim) {
  for (const CommittedFrame& f : read_commits(run_))
    for (const WrittenFile& w : f.files)
      if (is_hdf5(w) && object_of(w) == object) frames_.push_back({f.time, w});
  if (frames_.empty())
    refuse(fmt::format("{} has no HDF5 frames of '{}'; give the liquid the name that it has there",
                       file, object));
  if (frames_.front().time > 0)
    refuse(fmt::format("the frames of '{}' in {} begin at {} s, and not at 0", object, file,
                       frames_.front().time));
  const std::string problem =
      why_not(read_frame(run_, frames_.front().file, wanted), dim_, world.object(object).spacing);
  if (!problem.empty()) refuse(fmt::format("the frames of '{}' in {} {}", object, file, problem));
}

const LiquidFrames::Rows& LiquidFrames::rows_of(std::size_t frame) {
  Rows& r = read_[frame % 2];
  if (r.frame == frame) return r;
  const FrameObject o = read_frame(run_, frames_[frame].file, wanted);
  for (const char* c : columns)
    if (!find(o, c))
      throw Error(ExitCode::io,
                  fmt::format("{}: the column \"{}\" is missing", frames_[frame].file.path, c));
  r.frame = frame;
  r.position = numbers(*find(o, "position")), r.velocity = numbers(*find(o, "velocity"));
  const FrameColumn& id = *find(o, "id");
  r.id.resize(id.bytes.size() / sizeof(std::uint32_t));
  std::memcpy(r.id.data(), id.bytes.data(), id.bytes.size());
  return r;
}

void LiquidFrames::show(World& world, double time) {
  const auto next = std::ranges::lower_bound(frames_, time - 1e-9 * (1 + time), {}, &Frame::time);
  if (next == frames_.end()) return upload(world, rows_of(frames_.size() - 1));
  const std::size_t b = std::size_t(next - frames_.begin());
  if (b == 0 || next->time <= time + 1e-9 * (1 + time)) return upload(world, rows_of(b));
  const Rows& before = rows_of(b - 1);
  upload(world, between(before, rows_of(b), time));
}

// p(s) = h00 x_a + h10 T v_a + h01 x_b + h11 T v_b, s = (t - t_a) / T: Hermite's cubic.
LiquidFrames::Rows LiquidFrames::between(const Rows& a, const Rows& b, double time) const {
  const double ta = frames_[a.frame].time, T = frames_[b.frame].time - ta, s = (time - ta) / T;
  const double h01 = s * s * (3 - 2 * s), h00 = 1 - h01, h10 = s * (1 - s) * (1 - s),
               h11 = s * s * (s - 1);
  std::vector<std::size_t> by_id(b.id.size());
  std::iota(by_id.begin(), by_id.end(), std::size_t(0));
  std::ranges::sort(by_id, {}, [&](std::size_t i) { return b.id[i]; });
  Rows out;
  for (std::size_t i = 0; i < a.id.size(); ++i) {
    const auto found =
        std::ranges::lower_bound(by_id, a.id[i], {}, [&](std::size_t k) { return b.id[k]; });
    if (found == by_id.end() || b.id[*found] != a.id[i]) continue;
    out.id.push_back(a.id[i]);
    for (int c = 0; c < dim_; ++c) {
      const std::size_t from = i * std::size_t(dim_) + std::size_t(c),
                        to = *found * std::size_t(dim_) + std::size_t(c);
      out.position.push_back(Real(h00 * double(a.position[from]) +
                                  h10 * T * double(a.velocity[from]) +
                                  h01 * double(b.position[to]) + h11 * T * double(b.velocity[to])));
      out.velocity.push_back(Real((1 - s) * double(a.velocity[from]) + s * double(b.velocity[to])));
    }
  }
  return out;
}

void LiquidFrames::upload(World& world, const Rows& rows) const {
  Table& t = world.table(object_);
  t.resize(Index(rows.id.size()));
  const auto put = [&](const char* column, const void* from, std::size_t bytes) {
    world.exec.upload(t.column_bytes(column).bytes.data(), from, bytes);
  };
  put("position", rows.position.data(), rows.position.size() * sizeof(Real));
  put("velocity", rows.velocity.data(), rows.velocity.size() * sizeof(Real));
  put("id", rows.id.data(), rows.id.size() * sizeof(std::uint32_t));
}

}  // namespace rtsim
