#pragma once
#include <cstdint>

#include "neighbours/cell_grid.h"

namespace rtsim::sph_forces {

// A closed surface pulls its drop nowhere: the integral of kappa n over it is zero. Sums over rows
// are that but to their error, so what is left of the impulses of each drop is taken out again,
// from all its rows alike. Drops are rows in cells that touch, so that two nearer than a support
// count as one. A drop whose surface meets a wall is pulled by it, and stays as it is.
//
// The first row of a cell stands for the cell: its label is the least row that it is joined to.

// Sums in fixed point, which come to the same in any order.
struct DropSum {
  std::int64_t impulse[3];  // in quanta
  std::int64_t rows;        // `held` and more where a wall holds the drop
  static constexpr std::int64_t held = std::int64_t(1) << 40;
};

inline RTSIM_HD void add_to(std::int64_t& sum, std::int64_t more) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(more));
#else
  __atomic_fetch_add(&sum, more, __ATOMIC_RELAXED);
#endif
}

struct FirstLabel {
  CellRows cells;
  Span<Index> label;
  RTSIM_HD void operator()(Index i) const {
    label[i] = cells.first[cells.grid.cell(cells.rows[i])] == i ? i : -1;
  }
};

// The least label around, and the one that it has itself: paths halve at every turn.
struct NextLabel {
  CellRows cells;
  Span<const Index> label;
  Span<Index> next;
  RTSIM_HD void operator()(Index i) const {
    if (label[i] < 0) return;
    const CellGrid& g = cells.grid;
    const Row4 p = cells.rows[i];
    const Real at[3] = {p.x, p.y, p.z}, size = 1 / g.inv_size;
    // From the bounds of the cell, so that of two cells either both see each other or none does.
    Real low[3], high[3];
    for (int a = 0; a < 3; ++a) {
      low[a] = g.low[a] + Real(g.along(a, at[a])) * size, high[a] = low[a] + size;
      const Real end = g.box.low[a] + g.box.length[a];
      if (g.box.length[a] > 0 && high[a] > end) high[a] = end;
    }
    Index least = label[i];
    for_runs(cells, low, high, Real(0.999) * size, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j)
        if (label[j] >= 0 && label[j] < least) least = label[j];
    });
    next[i] = label[least];
  }
};

struct LabelMoved {
  Span<const Index> label, next;
  RTSIM_HD Index operator()(Index i) const { return label[i] != next[i] ? 1 : 0; }
};

// impulse rows (x, y, z, .): what a wall is near has a fourth number above 0.
struct ImpulseLength {
  Span<const Row4> impulse;
  RTSIM_HD double operator()(Index i) const {
    const Row4& a = impulse[i];
    return std::abs(double(a.x)) + std::abs(double(a.y)) + std::abs(double(a.z));
  }
};

struct SumDrops {
  CellRows cells;
  Span<const Index> label;
  Span<const Row4> impulse;
  double inv_quantum;
  Span<DropSum> sums;

  RTSIM_HD void operator()(Index i) const {
    if (label[i] < 0) return;
    const Index end = cells.first[cells.grid.cell(cells.rows[i]) + 1];
    double x = 0, y = 0, z = 0;
    bool held = false;
    for (Index j = i; j < end; ++j) {
      const Row4& a = impulse[j];
      x += double(a.x), y += double(a.y), z += double(a.z), held = held || a.w > 0;
    }
    DropSum& to = sums[label[i]];
    add_to(to.impulse[0], std::int64_t(x * inv_quantum));
    add_to(to.impulse[1], std::int64_t(y * inv_quantum));
    add_to(to.impulse[2], std::int64_t(z * inv_quantum));
    add_to(to.rows, end - i + (held ? DropSum::held : 0));
  }
};

// v += impulse less the mean of its drop.
struct AddBalanced {
  CellRows cells;
  Span<const Index> label;
  Span<const DropSum> sums;
  Span<const Row4> impulse;
  double quantum;
  Span<Row4> motion;

  RTSIM_HD void operator()(Index i) const {
    const DropSum& s = sums[label[cells.first[cells.grid.cell(cells.rows[i])]]];
    const double c = s.rows < DropSum::held ? -quantum / double(s.rows) : 0;
    const Row4& a = impulse[i];
    Row4& v = motion[i];
    v.x = Real(double(v.x) + (double(a.x) + c * double(s.impulse[0])));
    v.y = Real(double(v.y) + (double(a.y) + c * double(s.impulse[1])));
    v.z = Real(double(v.z) + (double(a.z) + c * double(s.impulse[2])));
  }
};

}  // namespace rtsim::sph_forces
