#pragma once
#include "exec/exec.h"
#include "neighbours/cell_grid.h"

// Launchers of springs between particles: Clavet et al., SCA 2005, sec. 5.1 and 5.2. Every row
// keeps a run of springs, each with its partner's id and its rest length, and both ends of a spring
// keep it: what an end computes is the same to the last bit at the other.
namespace rtsim::sph_clavet {

struct SpringLaw {
  Real support;  // H [m]; longer springs break
  bool slack;    // new springs have the rest length H, as in the paper, else their pair's distance
  Real yield;    // gamma, part of the rest length that it may stretch or shrink unchanged
  Real plasticity;  // dt alpha
  Real stiffness;   // dt^2 k_spring
};

// Rows with their springs. Spans of one length, but for `row_of` (by id; -1: no such row) and the
// springs themselves.
struct SpringRows {
  CellRows rows;
  Span<const std::uint32_t> id;
  Span<const Index> row_of;
  Span<const Index> first, count;  // of row i: springs first .. first + count - 1
  Span<const std::uint32_t> partner;
  Span<const Real> rest_length;  // [m]
};

// row_of[id[i]] = i, and -1 for ids of no row.
void map_ids(const Exec&, Span<const std::uint32_t> id, Span<Index> row_of);

// How many springs each row has after those of near pairs were made, rest lengths gave way, and the
// too long ones broke.
void count_springs(const Exec&, const SpringLaw&, const SpringRows& old, Span<Index> count);
// The springs themselves, from `first` of each row.
void fill_springs(const Exec&, const SpringLaw&, const SpringRows& old, Span<const Index> first,
                  Span<std::uint32_t> partner, Span<Real> rest_length);

// shift_i -= sum D / 2, D = dt^2 k_spring (1 - L/H) (L - r) along x_j - x_i.
void pull_springs(const Exec&, const SpringLaw&, const SpringRows&, Span<Row4> shift);

}  // namespace rtsim::sph_clavet
