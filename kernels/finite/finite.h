#pragma once
#include "exec/exec.h"
#include "exec/span.h"

// The watch for values that are not finite.
namespace rtsim::finite {

// The lowest index whose value is NaN or infinite, or -1.
template <class T>
Index first_not_finite(const Exec&, Span<const T> values);

}  // namespace rtsim::finite
