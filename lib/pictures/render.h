#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cache/commits.h"
#include "cache/frame.h"
#include "convert/frame_range.h"
#include "pictures/camera.h"
#include "pictures/draw_boundaries.h"
#include "pictures/picture.h"

namespace rtsim {

struct RenderOptions {
  std::filesystem::path run;
  std::vector<std::string> objects;  // none: all
  std::vector<DrawnBoundary> boundaries;
  std::string colour;               // a column, or a component: "velocity.y"; none: what suits
  std::optional<double> low, high;  // of the colours; none: of the frames
  std::string vectors;              // a column drawn as arrows; none: none
  CameraSpec camera;
  int width = 960, height = 720;
};

// Frames are there, and empty.
struct NothingToSee : Error {
  using Error::Error;
};

// Pictures of a run's HDF5 frames, all from the same place and in the same colours.
class Renderer {
 public:
  // Looks at some of the frames for how large things become. Throws NothingToSee{bad_input} where
  // they are empty.
  Renderer(const RenderOptions&, std::vector<CommittedFrame> frames);

  const std::vector<CommittedFrame>& frames() const { return frames_; }
  // What one should know who sees nothing; mostly empty.
  const std::string& hint() const { return hint_; }
  // What the colours go from and to; may be widened, so that several runs have the same.
  double low() const { return low_; }
  double high() const { return high_; }
  void widen_colours(double low, double high);
  // May be called by several threads at once, each with so many of its own.
  Picture picture(const CommittedFrame&, int threads) const;

 private:
  struct Thing {
    FrameObject object;
    int number;  // among the run's
  };
  std::vector<Thing> read(const CommittedFrame&) const;
  void look(const Thing&);
  void look_at_boundaries();
  void draw_boundaries(Raster&, const Camera&, bool moving, double time) const;
  std::vector<std::string> columns() const;  // of what is drawn last
  Vec3f background() const;

  RenderOptions o_;
  std::vector<CommittedFrame> frames_;
  std::vector<std::string> names_;
  long kept_frame_ = -1;  // the last, which is drawn often alone
  std::vector<Thing> kept_;
  View view_;
  std::vector<Vec3f> still_colour_;  // boundaries in space that do not move, drawn once
  std::vector<float> still_depth_;
  int finer_ = 1;  // pixels drawn for each
  int dim_ = 3;
  bool dark_ = false;                            // the sky behind white smoke
  bool coloured_ = false, has_vectors_ = false;  // whether anything has the columns asked for
  std::string hint_;
  std::string legend_;  // what the colours show, with its unit; none: nothing
  double low_ = 0, high_ = 1;
};

}  // namespace rtsim
