#pragma once
#include <vector>

#include "exec/buffer.h"
#include "poisson/poisson.h"

namespace rtsim {

// The weights of a level in memory.
struct LevelWeights {
  poisson::Level level;
  poisson::Plain plain;
  Buffer<Offset> offsets;
  Buffer<Real> rows;

  explicit LevelWeights(const Exec& ex) : offsets(ex), rows(ex) {}
};

// The same where the host can read it.
struct HostWeights {
  std::vector<Offset> offsets;
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

  // z = an approximate solution of A z = r, after first_sweep(r); returns the sum of r z.
  double precondition(Span<const Real> r, Span<Real> z);
  void first_sweep(Span<const Real> r) { first_sweep(levels_[0], r); }
  // poisson::advance() and the first sweep in one pass.
  double advance(Real alpha, Span<const Real> p, Span<double> x, Span<Real> r) {
    return poisson::advance_and_sweep(ex_, finest(), alpha, p, x, r, damping_,
                                      levels_[0].swept.span());
  }

 private:
  struct OneLevel {
    LevelWeights weights;
    Buffer<Real> b, x, swept;  // the finest has no b and x
    OneLevel(const Exec& ex) : weights(ex), b(ex), x(ex), swept(ex) {}
  };
  void first_sweep(OneLevel&, Span<const Real> b);
  void cycle(std::size_t level, Span<const Real> b);
  void restrict_to(std::size_t coarse, Span<const Real> b);
  void prolong_from(std::size_t coarse);
  void invert_coarsest();
  template <class Kinds, class Rows>
  void set_weights(LevelWeights&, int rows, const Kinds&, const Rows&);

  Exec ex_;
  Real damping_;
  std::vector<OneLevel> levels_;
  Buffer<Real> half_, quarter_;  // between two levels: coarse along x, and along x and y
  Buffer<Real> inverse_;         // of the coarsest level's matrix
  Buffer<std::uint8_t> split_;
};

}  // namespace rtsim
