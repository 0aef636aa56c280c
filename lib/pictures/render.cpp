#include "pictures/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/nearest.h"
#include "cache/frame_reader.h"
#include "pictures/legend.h"
#include "pictures/numbers.h"
#include "pictures/object_picture.h"

namespace rtsim {

Renderer::Renderer(const RenderOptions& o, std::vector<CommittedFrame> frames)
    : o_(o), frames_(std::move(frames)) {
  std::set<std::string> names;
  for (const CommittedFrame& f : frames_)
    for (const WrittenFile& w : f.files)
      if (is_hdf5(w)) names.insert(object_of(w));
  names_.assign(names.begin(), names.end());
  for (const std::string& name : o_.objects)
    if (!names.contains(name) && !std::ranges::count(o_.boundaries, name, &DrawnBoundary::name))
      throw Error(ExitCode::bad_input,
                  fmt::format("{} has no HDF5 frames of '{}'; it has those of: {}", o_.run.string(),
                              name, fmt::join(names_, ", ")));
  if (!o_.objects.empty())
    std::erase_if(o_.boundaries, [&](const DrawnBoundary& b) {
      return std::ranges::find(o_.objects, b.name) == o_.objects.end();
    });
  if (names_.empty())
    throw Error(ExitCode::bad_input, o_.run.string() + " has no HDF5 frames to draw");
  // Balls of a pixel or two make patterns: small pictures are drawn as wide as others and averaged.
  finer_ = std::clamp(RenderOptions().width / std::max(o_.width, 1), 1, 4);
  // A dozen show how far a run goes; of longer ones what flies furthest may leave the picture.
  const std::size_t step = std::max<std::size_t>(1, frames_.size() / 12);
  low_ = 1e300, high_ = -1e300;
  for (std::size_t k = 0; k + 1 < frames_.size(); k += step)
    for (const Thing& t : read(frames_[k])) look(t);
  kept_ = read(frames_.back()), kept_frame_ = frames_.back().frame;
  for (const Thing& t : kept_) look(t);
  if (view_.empty())
    throw NothingToSee(ExitCode::bad_input, "there is nothing to see in these frames");
  look_at_boundaries();
  if (low_ > high_) low_ = 0, high_ = 1;  // nothing is coloured
  if (o_.low) low_ = *o_.low;
  if (o_.high) high_ = *o_.high;
  if (low_ > high_)
    throw Error(ExitCode::usage, fmt::format("the colours go from {:.6g} to {:.6g}; give --low and "
                                             "--high so that the first is less",
                                             low_, high_));
  if (!o_.colour.empty() && !coloured_)
    throw Error(ExitCode::bad_input, "--colour: nothing that is drawn has a column " + o_.colour +
                                         did_you_mean(o_.colour, columns()));
  if (!o_.vectors.empty() && !has_vectors_)
    throw Error(ExitCode::bad_input, "--vectors: nothing that is drawn has vectors " + o_.vectors +
                                         did_you_mean(o_.vectors, columns()));
}

std::vector<std::string> Renderer::columns() const {
  std::vector<std::string> names;
  for (const Thing& t : kept_)
    for (const FrameColumn& c : t.object.columns) names.push_back(c.name);
  return names;
}

std::vector<Renderer::Thing> Renderer::read(const CommittedFrame& f) const {
  std::vector<Thing> things;
  for (const WrittenFile& w : f.files) {
    const std::string name = object_of(w);
    const bool asked = std::ranges::find(o_.objects, name) != o_.objects.end();
    if (!is_hdf5(w) || (!o_.objects.empty() && !asked)) continue;
    FrameObject object = read_frame(o_.run, w, [&](const FrameObject& all, const std::string& c) {
      return is_drawn(all, c, o_.colour) || c == o_.vectors;
    });
    // Samples of a tank would hide what it holds in space; it is drawn as its shape.
    if (object.kind == Kind::boundary && object.dim == 3 && !asked) continue;
    const auto number = std::ranges::find(names_, name) - names_.begin();
    things.push_back({std::move(object), int(number)});
  }
  return things;
}

void Renderer::look(const Thing& t) {
  dim_ = t.object.dim;
  dark_ = dark_ || is_volume(t.object);
  add_to(view_, t.object);
  const std::string column = colour_column(t.object, o_.colour);
  const FrameColumn* vectors = find_column(t.object, o_.vectors);
  has_vectors_ = has_vectors_ || (vectors && vectors->type.components > 1);
  coloured_ = coloured_ || column == o_.colour;
  if (column.empty()) return;
  const Extremes e = extremes_of(t.object, column);
  low_ = std::min(low_, e.low), high_ = std::max(high_, e.high);
  if (is_volume(t.object))
    hint_ = high_ > 0 ? ""
                      : fmt::format(
                            "{} of '{}' is nowhere above 0, so nothing of it is seen; "
                            "--colour names another column",
                            column, t.object.name);
  if (!is_volume(t.object)) legend_ = e.label;
}

Picture Renderer::picture(const CommittedFrame& f, int threads) const {
  const bool kept = f.frame == kept_frame_;
  const std::vector<Thing> read_now = kept ? std::vector<Thing>() : read(f);
  const std::vector<Thing>& things = kept ? kept_ : read_now;
  Raster r(finer_ * o_.width, finer_ * o_.height, background());
  r.threads = threads, r.finer = finer_;
  const Camera camera(o_.camera, view_, dim_, r.width, r.height);
  const Colours colours{o_.colour, low_, high_};
  if (!still_colour_.empty()) r.colour = still_colour_, r.depth = still_depth_;
  const auto draw = [&](bool grids) {
    for (const Thing& t : things)
      if (!is_volume(t.object) && (t.object.kind == Kind::grid) == grids)
        draw_object(r, camera, t.object, t.number, colours);
  };
  draw(true);  // solids lie over the cells of a plane, and under what moves there
  draw_boundaries(r, camera, true, f.time);
  draw(false);
  if (dim_ == 3) darken_edges(r);
  for (const DrawnBoundary& b : o_.boundaries)
    if (b.hollow && dim_ == 3) draw_edges(r, camera, b, f.time);
  for (const Thing& t : things)
    if (is_volume(t.object)) draw_object(r, camera, t.object, t.number, colours);
  if (!o_.vectors.empty())
    for (const Thing& t : things) draw_arrows(r, camera, t.object, o_.vectors);
  Picture p = coarser(picture_of(r), finer_);
  draw_legend(p, {f.time, legend_, low_, high_, background()});
  draw_scale(p, Camera(o_.camera, view_, dim_, o_.width, o_.height), dim_, background());
  return p;
}

void Renderer::widen_colours(double low, double high) {
  low_ = std::min(low_, low), high_ = std::max(high_, high);
}

void Renderer::look_at_boundaries() {
  add_to(view_, o_.boundaries, {frames_.front().time, frames_.back().time});
  if (dim_ == 2 || o_.boundaries.empty()) return;
  Raster r(finer_ * o_.width, finer_ * o_.height, background());
  r.threads = int(std::thread::hardware_concurrency()), r.finer = finer_;
  draw_boundaries(r, Camera(o_.camera, view_, dim_, r.width, r.height), false, 0);
  still_colour_ = std::move(r.colour), still_depth_ = std::move(r.depth);
}

// Those of the plane lie over grids, so they are drawn with what moves.
void Renderer::draw_boundaries(Raster& r, const Camera& camera, bool moving, double time) const {
  for (const DrawnBoundary& b : o_.boundaries)
    if ((dim_ == 2 || b.moving()) == moving) draw_boundary(r, camera, view_, b, dim_, time);
}

Vec3f Renderer::background() const {
  return dark_ ? Vec3f{{0.16f, 0.22f, 0.32f}} : Vec3f{{0.97f, 0.97f, 0.98f}};
}

}  // namespace rtsim
