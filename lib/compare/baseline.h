#pragma once
#include <string>

#include "compare/compare.h"

namespace rtsim {

// Puts run b in place of the baseline a: its logs, scene and manifest, and, where frames were
// compared, the frames. A line of `baseline.jsonl` says when, by whom, from which run and build,
// why, and what differed; older lines stay. The old baseline goes only once the new one is whole.
// Throws Error{output_exists} where a holds something else than a run or a baseline.
void update_baseline(const CompareOptions&, const Comparison&, const std::string& why,
                     const std::string& when, const std::string& who);

}  // namespace rtsim
