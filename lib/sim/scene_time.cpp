#include "sim/scene_time.h"

#include <fmt/format.h>

#include <charconv>
#include <climits>
#include <cmath>

#include "sim/scene_describe.h"

namespace rtsim {

namespace {

constexpr double whole_to = 1e-9;  // relative: a duration such as 0.3 s is 15 frames of 0.02 s

double frame_time(const TimeSpec& t) {
  return t.fps ? 1 / *t.fps : t.dt.value_or(0) * t.steps_per_frame;
}

double frames_in(const TimeSpec& t) {
  return t.fps ? *t.duration * *t.fps : *t.duration / frame_time(t);
}

bool is_whole(double frames) {
  return std::round(frames) >= 1 &&
         std::abs(frames - std::round(frames)) <= whole_to * std::round(frames);
}

std::string frames_text(double frames, double each) {
  return fmt::format("{:.12g} s ({} frame{})", frames * each, frames, frames == 1 ? "" : "s");
}

void check_duration(Describe& d, const TimeSpec& t) {
  const double frames = frames_in(t), each = frame_time(t);
  if (frames > INT_MAX)
    return d.fault("duration", fmt::format("is more than {} frames of {:.12g} s", INT_MAX, each));
  if (is_whole(frames)) return;
  const double below = std::floor(frames);
  std::string nearest = frames_text(below + 1, each);
  if (below >= 1) nearest = frames_text(below, each) + " or " + nearest;
  d.fault("duration", fmt::format("{} s is {:.6g} frames of {:.12g} s; use {}", *t.duration, frames,
                                  each, nearest));
}

}  // namespace

double TimeSpec::step_dt() const { return fps ? 1 / (*fps * steps_per_frame) : dt.value_or(0); }

long TimeSpec::frame_count() const {
  return frames ? *frames : duration ? std::lround(frames_in(*this)) : 0;
}

bool require_one(Describe& d, const char* a, const char* b) {
  const bool has_a = d.given(a), has_b = d.given(b);
  if (!has_a && !has_b) d.fault("", fmt::format("needs \"{}\" or \"{}\"", a, b));
  if (has_a && has_b) d.fault(b, fmt::format("give \"{}\" or \"{}\", not both", a, b));
  return has_a != has_b;
}

std::optional<double> parse_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) return {};
  return number;
}

void describe(Describe& d, TimeSpec& t) {
  d("fps", t.fps, "1/s", above(0), "Frames a second; the step is 1 / (fps * steps_per_frame).");
  d("dt", t.dt, "s", above(0), "The step, in place of fps.");
  d("steps_per_frame", t.steps_per_frame, "", at_least(1), "Steps between two frames.");
  d("frames", t.frames, "", at_least(1), "Frames after the first, which shows the start.");
  d("duration", t.duration, "s", above(0),
    "The end, in place of frames: a whole number of frames.");
  const bool one_step = require_one(d, "fps", "dt");
  const bool one_end = require_one(d, "frames", "duration");
  if (!one_step || (!t.fps && !t.dt)) return;
  if (!std::isnormal(t.step_dt()) || !std::isnormal(frame_time(t)))
    return d.fault(t.fps ? "fps" : "dt", fmt::format("gives a step of {} s", t.step_dt()));
  if (one_end && t.duration) check_duration(d, t);
}

}  // namespace rtsim
