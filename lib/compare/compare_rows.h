#pragma once
#include "cache/frame.h"
#include "compare/compare.h"

namespace rtsim {

// What came of one object at one time.
struct ComparedObject {
  std::vector<Compared> columns;
  std::vector<std::string> faults, notes;
};

// Rows are matched by id where there is one, else by number. Of vectors each component may differ
// by the tolerance of the whole: relative to the larger norm. Columns that are `alike` in a and b,
// row by row, may be empty.
ComparedObject compare_rows(const FrameObject& a, const FrameObject& b, long frame,
                            const CompareOptions&, const std::vector<std::string>& alike = {});

}  // namespace rtsim
