#pragma once

namespace rtsim {

struct CgEnd {
  int steps;
  bool near;       // or they were all that were allowed, or rounding has eaten the direction
  double product;  // r . P r at the last step, for a system that goes on along its direction
};

// Conjugate gradients for A x = b with a preconditioner P (Hestenes & Stiefel 1952), from the x
// that is there, with its residual r = b - A x. A system has, with vectors of its own,
//   bool near()                          whether x is near enough, by its own measure of the error
//   double residual_product()            r . P r
//   void update_direction(double beta)   p = P r + beta p
//   double multiply()                    q = A p; returns p . q
//   void advance(double alpha)           x += alpha p, r -= alpha q
// and finds P r in any of the first two, so that one which measures by r alone never finds it in
// vain. Its p starts as zeros, and then beta is 0, or from an earlier end with the `product` there.
template <class System>
CgEnd conjugate_gradients(System&& system, int most, double product = 0) {
  for (int steps = 0;; ++steps) {
    if (system.near()) return {steps, true, product};
    if (steps == most) return {steps, false, product};
    const double before = product;
    product = system.residual_product();
    system.update_direction(before > 0 ? product / before : 0);
    const double pq = system.multiply();
    if (!(pq > 0)) return {steps, false, product};
    system.advance(product / pq);
  }
}

}  // namespace rtsim
