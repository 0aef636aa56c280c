#pragma once
#include "exec/exec.h"
#include "exec/span.h"

namespace rtsim {

// order[k] = the row that comes k-th when rows are sorted by key; equal keys keep their order
// (stable). Keys lie in [0, bins). Scratch is taken and returned inside.
void sort_by_key(const Exec&, const char* label, Span<const std::uint32_t> keys, std::uint32_t bins,
                 Span<Index> order);

// As sort_by_key, and first[b] = how many rows have a key below b, for b in [0, bins]: the rows of
// bin b are order[first[b]] .. order[first[b + 1] - 1].
void bin_by_key(const Exec&, const char* label, Span<const std::uint32_t> keys, std::uint32_t bins,
                Span<Index> order, Span<Index> first);

// out[i] = the sum of in[0] .. in[i - 1]; returns the sum of all. `in` and `out` may be the same.
Index exclusive_scan(const Exec&, const char* label, Span<const Index> in, Span<Index> out);

// to[k] = from[order[k]] for rows of `stride` bytes.
void gather_rows(const Exec&, const char* label, void* to, const void* from,
                 Span<const Index> order, std::size_t stride);

}  // namespace rtsim
