#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/conjugate_gradients.h"
#include "block_cg/levels.h"

// Conjugate gradients (base/conjugate_gradients.h) for A x = b, with a 3 x 3 block for each pair of
// points, A symmetric and positive, where some rows are not free to change, or not
// along some directions (Baraff & Witkin 1998, section 5.3): these keep the x that they came with,
// the paper's z. Its filter S takes those directions out of the residual, of every product and of
// the preconditioned residual. As residuals and products then only meet filtered vectors in inner
// products, it is enough that the preconditioner filters on both sides, P = S P S. It does so anew
// each time: blocks that are filtered only once, when they are inverted, keep a rounding error
// along those directions, whose residuals stay large while the others shrink, until the solve moves
// points along directions in which they are held. The residual r = b - A x that remains along those
// directions is minus the impulse of the constraint.
//
// It stops by the error itself and not by the residual, which is no measure of it: of a soft mode
// whose eigenvalue is a ten thousandth of the stiffest one, a residual of a thousandth may be an
// error of ten. Step j brings x nearer, in the norm |x|_A^2 = x . A x of the energy, by alpha_j r .
// P r (ibid., theorem 6:1), so that
//   |x_k - x_0|_A^2 = sum_{j < k} alpha_j r_j . P r_j.
// The remaining error e has A e = r. A is the inertia m of each point plus a positive matrix, and
// so
//   |e|_A^2 = r . A^-1 r <= sum |S r|^2 / m,
// a bound that takes no guess. In steps of velocities both are energies [J]: kinetic, and elastic
// of the way over the step.
//   Where the solve balances a load that other stages gave as velocities, the change of velocity is
// large and the velocities at the end are small. An error that is small beside the change would
// then be all the motion there is, and keep soft modes from equilibrium; so the error is to be
// small beside the velocities at the end, too.
namespace rtsim::block_cg {

// Scratch of a solve, a row for each point, and zeros up to a multiple of eight.
struct Vectors {
  Span<Row4> r, p, q;
  Span<const Sym3Slot> inverse_diagonal;  // S D^-1 S, eight rows a slot
  Span<const Real> inertia;               // m, 0 only where S is
  Levels levels;                          // the rest of the preconditioner, and S
};

struct Limits {
  double tolerance;  // of |e|_A over |x - x_0|_A, or over |v|_A at the end where that is less
  int iterations;
  double found = 0;  // |x - x_0|_A^2 of solves before, of which this one goes on
  // |v|_A^2 of the velocities v that x comes to; it may write to q.
  std::function<double()> at_end = {};
};

struct Result {
  int iterations;
  double error;  // a bound of the relative error of Limits::tolerance at the end
  double found;  // |x - x_0|_A^2
};

struct Squares {
  double rz = 0, bound = 0;  // r . P r, sum |S r|^2 / m
};
// r = b - q
void find_residual(const Exec&, const Vectors&, Span<const Row4> b);
// x += alpha p, r -= alpha q
void advance(const Exec&, const Vectors&, Real alpha, Span<Row4> x);
// q = P r
Squares precondition(const Exec&, const Vectors&);
// The mean residual as a direction: p = S u with the unit vector u along sum S r. Returns p . r,
// the length of that sum, or 0 where a point is held.
double project_mean(const Exec&, const Vectors&);
// p = q + beta p
void update_direction(const Exec&, const Vectors&, Real beta);

// A system may have unknowns that are not points, as the velocities of bodies that hold some of the
// points. The x of held rows then follows the bodies, and the residual r along held directions acts
// on the bodies. This is the system without such unknowns.
struct NoOtherUnknowns {
  void find_residual(Span<const Row4>) {}  // from the residual of the points
  // Adds to q the motion of held points that follows the other unknowns' part of P r. The bound is
  // that of the inertia of the other unknowns.
  Squares precondition(Span<const Row4>, Span<Row4>) { return {}; }
  void update_direction(double) {}      // p = P r + beta p of the other unknowns
  double product() const { return 0; }  // p . A p of the other unknowns
  void advance(double) {}               // x += alpha p and r -= alpha A p of the other unknowns
};

// One step along the mean residual, where no point is held: the sum of the residuals, which is
// momentum that the solve would lose or make, is zero afterwards. With held points momentum is not
// kept anyway, and such a step would change which of them stick.
template <class Multiply>
void correct_mean(const Exec& ex, const Multiply& multiply, const Vectors& s, Span<Row4> x) {
  const double pr = project_mean(ex, s);
  if (!(pr > 0)) return;
  const double pq = multiply(s.p, s.q);
  if (pq > 0) advance(ex, s, Real(pr / pq), x);
}

// Of one solve.
template <class Multiply, class Others>
class Descent {
 public:
  Descent(const Exec& ex, const Multiply& multiply, const Vectors& s, const Limits& limits,
          Span<Row4> x, Others& others)
      : ex_(ex), multiply_(multiply), s_(s), limits_(limits), x_(x), others_(others) {
    precondition();
  }

  bool near() {
    const double part = limits_.tolerance * limits_.tolerance;
    if (now_.bound > part * base()) return false;
    if (!limits_.at_end || now_.bound == 0) return true;
    constexpr double rounding =
        std::numeric_limits<Real>::epsilon();  // of v, over what was asked for
    at_end_ = std::max(limits_.at_end(), rounding * rounding / part * found_);
    if (now_.bound <= part * base()) return true;
    precondition();  // anew, as q is something else now
    return false;
  }
  double residual_product() const { return now_.rz; }
  void update_direction(double beta) {
    block_cg::update_direction(ex_, s_, Real(beta)), others_.update_direction(beta);
  }
  double multiply() { return multiply_(s_.p, s_.q) + others_.product(); }
  void advance(double alpha) {
    block_cg::advance(ex_, s_, Real(alpha), x_), others_.advance(alpha);
    found_ += alpha * now_.rz;
    precondition();
  }

  Result result(int iterations) const {
    return {iterations, now_.bound == 0 ? 0 : std::sqrt(now_.bound / base()), found_};
  }

 private:
  void precondition() {
    const Squares points = block_cg::precondition(ex_, s_), more = others_.precondition(s_.r, s_.q);
    now_ = {points.rz + more.rz, points.bound + more.bound};
  }
  double base() const { return std::min(found_, at_end_); }  // what the error is to be small beside

  const Exec& ex_;
  const Multiply& multiply_;
  const Vectors& s_;
  const Limits& limits_;
  Span<Row4> x_;
  Others& others_;
  Squares now_;
  double found_ = limits_.found, at_end_ = std::numeric_limits<double>::infinity();
};

// multiply(p, q): q = A p, and returns p . q. Starts from the x that is there.
template <class Multiply, class Others = NoOtherUnknowns>
Result solve(const Exec& ex, const Multiply& multiply, Span<const Row4> b, const Vectors& s,
             const Limits& limits, Span<Row4> x, Others&& others = {}) {
  multiply(x, s.q);
  find_residual(ex, s, b), others.find_residual(s.r);
  Descent descent(ex, multiply, s, limits, x, others);
  const CgEnd end = conjugate_gradients(descent, limits.iterations);
  correct_mean(ex, multiply, s, x);
  return descent.result(end.steps);
}

}  // namespace rtsim::block_cg
