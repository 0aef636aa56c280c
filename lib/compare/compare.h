#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "convert/frame_range.h"

namespace rtsim {

struct CompareOptions {
  std::filesystem::path a, b;  // run folders, or their series.csv; a is the baseline
  Tolerances tolerances;
  std::vector<std::string> series, columns;  // patterns of names; none: all
  bool compare_series = true, compare_frames = true;
  FrameRange frames;
  int jobs = 1;  // frames at once
};

// Of runs a and b the logs and frames, by name. Rows of the series are matched by step; where the
// steps are of other times, b is interpolated to the times of a. Frames are matched by time, their
// rows by id. What only b has is no difference. Throws Error{bad_input} where one of them is no run
// or nothing fits the patterns, Error{io} for damaged files.
Comparison compare_runs(const CompareOptions&);

// Chaotic runs, whose single values mean nothing: a is a folder of runs that differ as they may, of
// three at least. At each time b may lie so many standard deviations of theirs from their mean, the
// uncertainty of the mean included, as often as all but a share of its rows.
struct Band {
  double width = 3;
  double outside = 0.01;
};
Comparison compare_with_band(const CompareOptions&, const Band&);

// Two runs whose events happen alike but not at the same times: rows of b are matched with those of
// a that lie at most `apart` seconds off, by dynamic time warping of each series.
Comparison compare_with_warp(const CompareOptions&, double apart);

}  // namespace rtsim
