#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/hash.h"
#include "cache/durable.h"
#include "cache/frame_reader.h"
#include "convert/body_poses.h"
#include "convert/sequence_formats.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

constexpr double degrees = 180 / 3.14159265358979323846;

// A boundary whose shape is given in a body's own axes is where the body is: its turn about the
// origin, then a shift to the body's centre.
class BodyTrack {
 public:
  BodyTrack(const FrameObject& o, std::size_t body)
      : dim_(o.dim), body_(body), last_(pose_of(o, body)) {}

  void add(const FrameObject& o, double time) {
    BodyPose p = pose_of(o, body_);
    keep_sign(p, last_);
    last_ = p;
    text_ += fmt::format("{}{{\"time\":{},\"translate\":[{},{}", text_.empty() ? "" : ",\n", time,
                         p.x[0], p.x[1]);
    if (dim_ == 2)
      text_ += fmt::format("],\"angle\":{}}}", angle_in_plane(p));
    else
      text_ += fmt::format(",{}],{}}}", p.x[2], turn(p));
  }
  std::string json() const { return "{\"keyframes\":[\n" + text_ + "\n]}\n"; }

 private:
  // Of half a turn in a frame at most: angles about one axis count as they stand.
  double angle_in_plane(const BodyPose& p) {
    const double angle = 2 * degrees * std::atan2(double(p.q[2]), double(p.q[3]));
    angle_ = angle + 360 * std::round((angle_ - angle) / 360);
    return angle_;
  }
  static std::string turn(const BodyPose& p) {
    const double sine = std::hypot(double(p.q[0]), double(p.q[1]), double(p.q[2]));
    if (sine == 0) return "\"angle\":0";
    return fmt::format("\"axis\":[{},{},{}],\"angle\":{}", p.q[0] / sine, p.q[1] / sine,
                       p.q[2] / sine, 2 * degrees * std::atan2(sine, double(p.q[3])));
  }

  int dim_;
  std::size_t body_;
  BodyPose last_;
  double angle_ = 0;  // [deg]
  std::string text_;
};

// A file for each body, <object>.<number>.json.
class Keyframes : public Sequence {
 public:
  explicit Keyframes(const ConversionPlan& plan) : plan_(plan) {
    for (const auto& [name, o] : plan.first)
      for (std::size_t b = 0; b < std::size_t(o.rows); ++b) tracks_[name].emplace_back(o, b);
  }

  std::string prepare(const CommittedFrame&, const WrittenFile&) const override { return {}; }
  void add(const CommittedFrame& frame, const WrittenFile& f, std::string) override {
    const FrameObject o = read_frame(plan_.run, f);
    for (BodyTrack& t : tracks_[object_of(f)]) t.add(o, frame.time);
  }
  void sync() override {}

  std::vector<WrittenFile> finish() override {
    std::vector<WrittenFile> written;
    for (const auto& [name, tracks] : tracks_) {
      make_folders(plan_.out / "cache" / name);
      for (std::size_t b = 0; b < tracks.size(); ++b) {
        const std::string path = fmt::format("cache/{0}/{0}.{1}.json", name, b);
        write_file(plan_.out / path, tracks[b].json());
        written.push_back({path, fs::file_size(plan_.out / path), hash_file(plan_.out / path)});
      }
    }
    return written;
  }

 private:
  const ConversionPlan& plan_;
  std::map<std::string, std::vector<BodyTrack>> tracks_;
};

}  // namespace

std::unique_ptr<Sequence> begin_keyframes(const ConversionPlan& plan, std::size_t) {
  return std::make_unique<Keyframes>(plan);
}

}  // namespace rtsim
