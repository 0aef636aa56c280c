#include "pictures/render.h"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/nearest.h"
#include "cache/frame_reader.h"
#include "pictures/colours.h"
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
    if (!names.contains(name))
      throw Error(ExitCode::bad_input,
                  fmt::format("{} has no HDF5 frames of '{}'; it has those of: {}", o_.run.string(),
                              name, fmt::join(names_, ", ")));
  if (names_.empty())
    throw Error(ExitCode::bad_input, o_.run.string() + " has no HDF5 frames to draw");
  // A dozen show how far a run goes; of longer ones what flies furthest may leave the picture.
  const std::size_t step = std::max<std::size_t>(1, frames_.size() / 12);
  low_ = 1e300, high_ = -1e300;
  for (std::size_t k = 0; k + 1 < frames_.size(); k += step)
    for (const Thing& t : read(frames_[k])) look(t);
  kept_ = read(frames_.back()), kept_frame_ = frames_.back().frame;
  for (const Thing& t : kept_) look(t);
  if (view_.empty())
    throw NothingToSee(ExitCode::bad_input, "there is nothing to see in these frames");
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
    // A tank drawn in space would hide what it holds.
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
  Raster r(o_.width, o_.height, background());
  r.threads = threads;
  const Camera camera(o_.camera, view_, dim_, o_.width, o_.height);
  const Colours colours{o_.colour, low_, high_};
  for (const Thing& t : things)
    if (!is_volume(t.object)) draw_object(r, camera, t.object, t.number, colours);
  if (dim_ == 3) darken_edges(r);
  for (const Thing& t : things)
    if (is_volume(t.object)) draw_object(r, camera, t.object, t.number, colours);
  if (!o_.vectors.empty())
    for (const Thing& t : things) draw_arrows(r, camera, t.object, o_.vectors);
  Picture p = picture_of(r);
  draw_legend(p, f.time);
  return p;
}

Vec3f Renderer::background() const {
  return dark_ ? Vec3f{{0.16f, 0.22f, 0.32f}} : Vec3f{{0.97f, 0.97f, 0.98f}};
}

// The time, and a bar of the colours with what they mean.
void Renderer::draw_legend(Picture& p, double time) const {
  draw_on(p, [&](cairo_t* c) {
    const double size = std::max(11.0, p.height / 48.0);
    cairo_set_font_size(c, size);
    const auto write = [&](double x, double y, const std::string& text) {
      const double ink = dark_ ? 0.95 : 0.1;
      cairo_set_source_rgb(c, ink, ink, ink);
      cairo_move_to(c, x, y);
      cairo_show_text(c, text.c_str());
    };
    // What is drawn shows through a little.
    const auto ground = [&](double x, double y, double w, double h) {
      const Vec3f sky = background();
      cairo_set_source_rgba(c, double(sky[0]), double(sky[1]), double(sky[2]), 0.8);
      cairo_rectangle(c, x, y, w, h);
      cairo_fill(c);
    };
    const std::string now = fmt::format("t = {:.4g} s", time);
    cairo_text_extents_t e;
    cairo_text_extents(c, now.c_str(), &e);
    ground(0.5 * size, 0.5 * size, e.x_advance + size, 1.9 * size);
    write(size, 1.8 * size, now);
    if (legend_.empty()) return;
    const double width = 0.25 * p.width, left = p.width - width - size, top = 2.2 * size;
    ground(left - 0.5 * size, 0.5 * size, width + size, 4.2 * size);
    for (int k = 0; k < 64; ++k) {
      const Vec3f colour = map_colour((float(k) + 0.5f) / 64);
      cairo_set_source_rgb(c, double(colour[0]), double(colour[1]), double(colour[2]));
      cairo_rectangle(c, left + width * k / 64, top, width / 64 + 1, 0.8 * size);
      cairo_fill(c);
    }
    write(left, 1.8 * size, legend_);
    write(left, top + 2 * size, fmt::format("{:.3g}", low_));
    const std::string high = fmt::format("{:.3g}", high_);
    cairo_text_extents(c, high.c_str(), &e);
    write(left + width - e.x_advance, top + 2 * size, high);
  });
}

}  // namespace rtsim
