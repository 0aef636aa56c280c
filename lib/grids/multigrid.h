#pragma once
#include <vector>

#include "exec/buffer.h"
#include "poisson/poisson.h"

namespace rtsim {

// Values of the cells of a level, with some zeros before and after them.
template <class T>
class CellValues {
 public:
  explicit CellValues(const Exec& ex, std::size_t size = 0) : values_(ex) { resize(size); }

  void resize(std::size_t size) {
    size_ = size;
    values_.resize(size + 2 * margin);
    values_.zero();
  }
  std::size_t size() const { return size_; }
  void zero() { values_.zero(); }
  void swap(CellValues& o) noexcept { values_.swap(o.values_), std::swap(size_, o.size_); }
  Span<T> span() { return {values_.data() + margin, Index(size_)}; }
  Span<const T> span() const { return {values_.data() + margin, Index(size_)}; }

 private:
  static constexpr std::size_t margin = 16;
  Buffer<T> values_;
  std::size_t size_ = 0;
};

// The weights of a level in memory.
struct LevelWeights {
  poisson::Level level;
  poisson::UniformWeights uniform;
  Buffer<Index> sets;
  Buffer<Real> rows;
  Buffer<poisson::Extent> extents;

  explicit LevelWeights(const Exec& ex) : sets(ex), rows(ex), extents(ex) {}
};

// The same where the host can read it.
struct HostWeights {
  std::vector<Index> sets;
  std::vector<Real> rows;
  poisson::Level level;

  HostWeights(const Exec&, const LevelWeights&);
};

// The pressure equation of a grid, and of ever coarser ones. The multigrid cycle is after
// McAdams, Sifakis & Teran, "A parallel multigrid Poisson solver for fluids simulation on large
// grids", SCA 2010, sec. 3, as a preconditioner of conjugate gradients: one V-cycle with a sweep of
// damped Jacobi before and one after each coarser level, linear transfers, and the inverse matrix
// for the few cells of the coarsest level.
class Multigrid {
 public:
  // `coarsen`: false for methods that use the finest level alone.
  Multigrid(const Exec&, const poisson::Faces& shape, bool coarsen);

  void prepare(const poisson::Faces&);
  const poisson::Level& finest() const { return levels_[0].weights.level; }
  const LevelWeights& weights() const { return levels_[0].weights; }

  // z = an approximate solution of A z = r, after smooth_from_zero(r); returns the sum of r z.
  double precondition(Span<const Real> r, Span<Real> z);
  void smooth_from_zero(Span<const Real> r) {
    poisson::smooth_from_zero(ex_, finest(), damping_, r, levels_[0].smoothed.span());
  }
  // poisson::advance() and smooth_from_zero() in one pass.
  double advance(Real alpha, Span<const Real> p, Span<double> x, Span<Real> r) {
    return poisson::advance_and_smooth(ex_, finest(), alpha, p, x, r, damping_,
                                       levels_[0].smoothed.span());
  }

 private:
  struct OneLevel {
    LevelWeights weights;
    CellValues<Real> b, x, smoothed;  // the finest has no b and x
    OneLevel(const Exec& ex) : weights(ex), b(ex), x(ex), smoothed(ex) {}
  };
  void cycle(std::size_t level, Span<const Real> b);
  template <class Kinds, class Rows>
  void set_weights(LevelWeights&, int rows, const Kinds&, const Rows&);

  Exec ex_;
  Real damping_;
  std::vector<OneLevel> levels_;
  Buffer<Real> half_;     // residuals restricted along x
  Buffer<Real> inverse_;  // of the coarsest level's matrix
  Buffer<std::uint8_t> split_;
};

}  // namespace rtsim
