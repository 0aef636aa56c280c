#pragma once
#include <cmath>

#include "base/types.h"

// A damped oscillator under a force f per mass that is constant in a step of length h,
//   q'' + 2 c q' + w^2 q = f,   c = zeta w,
// goes in that step exactly from (q, v) to
//   q1 = q_s + A (q - q_s) + B v,   v1 = C (q - q_s) + D v,   q_s = f / w^2.
// With k^2 = w^2 - c^2: A = e^-ch (cos kh + c S), B = e^-ch S, C = -w^2 B, D = e^-ch (cos kh - c
// S), S = sin(kh) / k; of k^2 < 0 with cosh and sinh. Any h is right, and none is unstable.
namespace rtsim::modal {

struct Propagator {
  double a, b, c, d;
  double lag;  // (1 - A) / w^2 [s^2]: dq1 / df; dv1 / df is B
};

namespace detail {

// e^-ch cos(kh), e^-ch sin(kh) / (kh): of z = (kh)^2, which may be negative, and ch. Overdamped
// both are sums of e^-(c - K)h and e^-(c + K)h with c - K = w^2 / (c + K), so that neither
// overflows nor cancels.
struct Swing {
  double cosine, sinc;
};
RTSIM_HD inline Swing swing(double z, double ch, double wh2) {
  if (z > 1e-4) {
    const double kh = std::sqrt(z), decay = std::exp(-ch);
    return {decay * std::cos(kh), decay * std::sin(kh) / kh};
  }
  if (z < -1e-4) {
    const double kh = std::sqrt(-z);
    const double slow = std::exp(-wh2 / (ch + kh)), fast = std::exp(-(ch + kh));
    return {(slow + fast) / 2, (slow - fast) / (2 * kh)};
  }
  const double decay = std::exp(-ch);  // series in z: the next term is below 1e-19
  return {decay * (1 - z / 2 * (1 - z / 12 * (1 - z / 30 * (1 - z / 56)))),
          decay * (1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72))))};
}

}  // namespace detail

// w [rad/s] above 0, zeta its damping ratio, h [s].
RTSIM_HD inline Propagator propagator(double w, double zeta, double h) {
  const double wh = w * h, ch = zeta * wh, z = (1 - zeta) * (1 + zeta) * wh * wh;
  const detail::Swing s = detail::swing(z, ch, wh * wh);
  Propagator p;
  p.a = s.cosine + ch * s.sinc;
  p.b = h * s.sinc;
  p.c = -w * w * p.b;
  p.d = s.cosine - ch * s.sinc;
  // 1 - A undamped is 2 sin^2(wh / 2): no difference of equals for short steps.
  const double half = std::sin(wh / 2);
  p.lag = (zeta == 0 ? 2 * half * half : 1 - p.a) / (w * w);
  return p;
}

}  // namespace rtsim::modal
