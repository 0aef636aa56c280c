#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cache/commits.h"
#include "world/world.h"

namespace rtsim {

// The particles of a liquid as the frames of a finished run have them. Between two frames there are
// those that both have, by their ids: on the cubic that leaves and arrives with the velocities of
// the frames, which a fall follows exactly, with the velocity in between.
class LiquidFrames {
 public:
  // `file`: frames.jsonl of a run. Throws Error{bad_input} where its frames are no such particles.
  LiquidFrames(const std::string& file, World&, const std::string& object);

  // The rows of the object become those of a time [s]; behind the last frame they are its own.
  void show(World&, double time);
  double end() const { return frames_.back().time; }  // [s]

 private:
  struct Rows {
    std::size_t frame = no_frame;
    std::vector<Real> position, velocity;  // `dim` numbers a row
    std::vector<std::uint32_t> id;
  };
  struct Frame {
    double time;
    WrittenFile file;
  };
  static constexpr std::size_t no_frame = std::size_t(-1);

  const Rows& rows_of(std::size_t frame);
  Rows between(const Rows& a, const Rows& b, double time) const;
  void upload(World&, const Rows&) const;

  std::filesystem::path run_;
  std::string object_;
  int dim_;
  std::vector<Frame> frames_;
  Rows read_[2];  // the last even and the last odd frame that were read
};

}  // namespace rtsim
