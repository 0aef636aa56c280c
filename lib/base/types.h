#pragma once
#include <cstdint>

#ifdef __CUDACC__
#define RTSIM_HD __host__ __device__
#else
#define RTSIM_HD
#endif

namespace rtsim {

// One alias decides the precision of all state; the `double` preset builds rtsim_d.
#ifdef RTSIM_DOUBLE
using Real = double;
#else
using Real = float;
#endif
using Index = std::int32_t;   // rows of a table
using Offset = std::int64_t;  // flattened offsets: 19 x 512^3 does not fit an Index

}  // namespace rtsim
