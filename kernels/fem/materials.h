#pragma once
#include "fem/svd.h"

// Elastic materials, alike in all directions, of a deformation F with G = F - I, J = det F: energy
// of a volume at rest Psi [Pa], stress P = dPsi/dF [Pa], and the second slopes of Psi. mu and
// lambda are Lame's constants [Pa], of small strains E / (2 (1 + nu)) and E nu / ((1 + nu)(1 - 2
// nu)).
//
// Second slopes: with F = U diag(s) V^T and Psi a function of the stretches s, they fall apart
// along U M V^T into (Smith, de Goes & Kim, "Analytic Eigensystems for Isotropic Distortion
// Energies", TOG 2019; Stomakhin et al., "Energetically Consistent Invertible Elasticity", SCA
// 2012)
//   scaling  M diagonal:              A_ij = d2Psi / ds_i ds_j
//   flip     M = e_i e_j^T + e_j e_i^T:  (Psi_i - Psi_j) / (s_i - s_j)
//   twist    M = e_i e_j^T - e_j e_i^T:  (Psi_i + Psi_j) / (s_i + s_j)
// so that leaving out what is negative makes them positive, exactly.
namespace rtsim::fem {

template <class T>
struct Lame {
  T mu, lambda;
};

// What an element of a material does.
template <class T>
struct Response {
  T energy;        // Psi
  Mat3<T> stress;  // P
};

// Second slopes by the axes of U and V. Of the axes i and j, k is the third.
template <class T>
struct PrincipalTangent {
  Mat3<T> u, v;
  Mat3<T> a;           // scaling
  VecT<T, 3> same;     // (flip + twist) / 2 at k: of (i, j) with itself
  VecT<T, 3> crossed;  // (flip - twist) / 2 at k: of (i, j) with (j, i)
};

template <class T>
struct TwistAndFlip {
  VecT<T, 3> twist, flip;
};

// Makes the matrix positive, where it is not.
template <class T>
RTSIM_HD Mat3<T> positive(Mat3<T> m) {
  const Mat3<T> v = diagonalise(m);
  Mat3<T> scaled = v;
  for (int k = 0; k < 3; ++k)
    for (int a = 0; a < 3; ++a) scaled.row[a][k] = max(m.row[k][k], T(0)) * v.row[a][k];
  return product_transposed(scaled, v);
}

template <class T>
RTSIM_HD PrincipalTangent<T> tangent_of(const Svd<T>& f, const Mat3<T>& a, TwistAndFlip<T> t,
                                        bool project) {
  if (project)
    for (int k = 0; k < 3; ++k)
      t.twist[k] = max(t.twist[k], T(0)), t.flip[k] = max(t.flip[k], T(0));
  const T half(Real(0.5));
  return {f.u, f.v, a, half * (t.flip + t.twist), half * (t.flip - t.twist)};
}

// d s_k + off-diagonal all, of stretches
template <class T>
RTSIM_HD Mat3<T> scaling(const VecT<T, 3>& own, T all) {
  Mat3<T> a;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.row[i][j] = i == j ? all + own[i] : all;
  return a;
}

// mu e : e + lambda/2 tr^2 e
template <class T>
RTSIM_HD T quadratic_energy(const Lame<T>& k, const Mat3<T>& e) {
  const T t = trace(e);
  return fma(k.mu, contraction(e, e), T(Real(0.5)) * k.lambda * t * t);
}
// Its slope by e: 2 mu e + lambda tr(e) I
template <class T>
RTSIM_HD Mat3<T> quadratic_stress(const Lame<T>& k, const Mat3<T>& e) {
  return shifted((k.mu + k.mu) * e, k.lambda * trace(e));
}

// Small strains, e = (G + G^T) / 2. Swells where it turns: by 1/cos of the angle.
struct Linear {
  template <class T>
  RTSIM_HD static Response<T> respond(const Lame<T>& k, const Mat3<T>& F) {
    const Mat3<T> e = symmetric_part(shifted(F, T(-1)));
    return {quadratic_energy(k, e), quadratic_stress(k, e)};
  }
  template <class T>
  RTSIM_HD static PrincipalTangent<T> tangent(const Lame<T>& k, const Mat3<T>&, bool) {
    const Mat3<T> one = diagonal(T(1));
    const VecT<T, 3> mu{{k.mu, k.mu, k.mu}};
    return {one, one, scaling(mu + mu, k.lambda), mu, mu};
  }
};

// The same strains as the element sees them itself, F = R S: e = S - I (Müller & Gross,
// "Interactive Virtual Materials", Graphics Interface 2004: warped stiffness). With the R of the
// polar decomposition the force R K0 (R^T x - x0) is the slope of this energy, and its second slope
// is that of the stretches, to which the turning of R belongs.
struct Corotational {
  template <class T>
  RTSIM_HD static Response<T> respond(const Lame<T>& k, const Mat3<T>& F) {
    const Mat3<T> R = rotation(svd(F));
    const Mat3<T> e = shifted(symmetric_part(transposed_product(R, F)), T(-1));
    return {quadratic_energy(k, e), product(R, quadratic_stress(k, e))};
  }
  template <class T>
  RTSIM_HD static PrincipalTangent<T> tangent(const Lame<T>& k, const Mat3<T>& F, bool project) {
    const Svd<T> f = svd(F);
    const T mu2 = k.mu + k.mu, t = f.s[0] + f.s[1] + f.s[2];
    const T swelling = k.lambda * (t - T(3));
    TwistAndFlip<T> by;
    for (int a = 0; a < 3; ++a) {
      const T sum = t - f.s[a];  // where it is 0 there is no R
      by.flip[a] = mu2;
      by.twist[a] = (mu2 * (sum - T(2)) + swelling + swelling) / max(sum, T(Real(1e-3)));
    }
    return tangent_of(f, scaling(VecT<T, 3>{{mu2, mu2, mu2}}, k.lambda), by, project);
  }
};

// The same with R by Gram-Schmidt of F's columns (Müller, Stam, James & Thürey, "Real Time
// Physics", SIGGRAPH 2008, 4.59-61), and R K0 R^T for the second slope, as if R did not turn. The x
// axis of R is F's, so that it depends on how a body lies; R^T F is not symmetric, so that forces R
// (K0 ...) are no slope and have a moment.
struct GramSchmidt {
  template <class T>
  RTSIM_HD static Mat3<T> axes(const Mat3<T>& F) {
    const Mat3<T> a = transposed(F);
    const VecT<T, 3> x = detail::normalised(a.row[0]),
                     y = detail::normalised(fma(T(0) - inner(x, a.row[1]), x, a.row[1]));
    return transposed(Mat3<T>{x, y, cross(x, y)});
  }
  template <class T>
  RTSIM_HD static Response<T> respond(const Lame<T>& k, const Mat3<T>& F) {
    const Mat3<T> R = axes(F);
    const Mat3<T> e = shifted(symmetric_part(transposed_product(R, F)), T(-1));
    return {quadratic_energy(k, e), product(R, quadratic_stress(k, e))};
  }
  template <class T>
  RTSIM_HD static PrincipalTangent<T> tangent(const Lame<T>& k, const Mat3<T>& F, bool project) {
    PrincipalTangent<T> t = Linear::tangent(k, F, project);
    t.u = axes(F);
    return t;
  }
};

// Corotational with a strain e_p besides, without trace, that is there at rest: e = S - I - e_p
// (O'Brien, Bargteil & Hodgins, "Graphical Modeling and Animation of Ductile Fracture", SIGGRAPH
// 2002; Müller & Gross 2004, there as a load R K0 e_p, which has a moment). With s = dPsi/de along
// the axes of S, the slope of Psi(S(F)) is
//   P = U T V^T,  T_ij = s_ij 2 s_i / (s_i + s_j),
// s_i the stretches: from F = R S, S_ij changes by (s_i H_ij + s_j H_ji) / (s_i + s_j) where R^T F
// changes by H. The second slope leaves out what s has off those axes.
struct Plastic {
  template <class T>
  RTSIM_HD static Mat3<T> strain(const Svd<T>& f, const Mat3<T>& plastic) {
    Mat3<T> e = T(-1) * product(transposed_product(f.v, plastic), f.v);
    for (int a = 0; a < 3; ++a) e.row[a][a] = e.row[a][a] + (f.s[a] - T(1));
    return e;
  }
  template <class T>
  RTSIM_HD static T sum_of(const VecT<T, 3>& s, int i, int j) {
    return max(s[i] + s[j], T(Real(1e-3)));
  }
  template <class T>
  RTSIM_HD static Response<T> respond(const Lame<T>& k, const Mat3<T>& F, const Mat3<T>& plastic) {
    const Svd<T> f = svd(F);
    const Mat3<T> e = strain(f, plastic);
    Mat3<T> t = quadratic_stress(k, e);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (i != j) t.row[i][j] = t.row[i][j] * (f.s[i] + f.s[i]) / sum_of(f.s, i, j);
    return {quadratic_energy(k, e), product_transposed(product(f.u, t), f.v)};
  }
  template <class T>
  RTSIM_HD static PrincipalTangent<T> tangent(const Lame<T>& k, const Mat3<T>& F,
                                              const Mat3<T>& plastic, bool project) {
    const Svd<T> f = svd(F);
    const Mat3<T> s = quadratic_stress(k, strain(f, plastic));
    const T mu2 = k.mu + k.mu;
    TwistAndFlip<T> by;
    for (int a = 0; a < 3; ++a) {
      const int i = (a + 1) % 3, j = (a + 2) % 3;
      by.flip[a] = mu2, by.twist[a] = (s.row[i][i] + s.row[j][j]) / sum_of(f.s, i, j);
    }
    return tangent_of(f, scaling(VecT<T, 3>{{mu2, mu2, mu2}}, k.lambda), by, project);
  }
};

// Saint Venant & Kirchhoff: Green's strain, E = (F^T F - I) / 2. Gives way where it is pressed to
// less than 1/sqrt(3) of its length, and passes through itself.
struct Stvk {
  // (G + G^T + G^T G) / 2: of small strains no difference of squares
  template <class T>
  RTSIM_HD static Mat3<T> strain(const Mat3<T>& F) {
    const Mat3<T> G = shifted(F, T(-1));
    return T(Real(0.5)) * (G + transposed(G) + transposed_product(G, G));
  }
  template <class T>
  RTSIM_HD static Response<T> respond(const Lame<T>& k, const Mat3<T>& F) {
    const Mat3<T> E = strain(F);
    return {quadratic_energy(k, E), product(F, quadratic_stress(k, E))};
  }
  template <class T>
  RTSIM_HD static PrincipalTangent<T> tangent(const Lame<T>& k, const Mat3<T>& F, bool project) {
    const Svd<T> f = svd(F);
    VecT<T, 3> squares, e;
    const T half(Real(0.5));
    for (int a = 0; a < 3; ++a) squares[a] = f.s[a] * f.s[a], e[a] = half * (squares[a] - T(1));
    const T swelling = k.lambda * (e[0] + e[1] + e[2]), mu2 = k.mu + k.mu;
    TwistAndFlip<T> by;
    Mat3<T> a;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      const T sum = squares[j] + squares[l] - T(1), both = f.s[j] * f.s[l];
      by.flip[i] = fma(k.mu, sum + both, swelling), by.twist[i] = fma(k.mu, sum - both, swelling);
      a.row[i][i] = fma(k.lambda + mu2, squares[i], fma(mu2, e[i], swelling));
      a.row[j][l] = a.row[l][j] = k.lambda * both;
    }
    return tangent_of(f, project ? positive(a) : a, by, project);
  }
};

// Stable neo-Hookean (Smith, de Goes & Kim, "Stable Neo-Hookean Flesh Simulation", TOG 2018, eq.
// 14),
//   Psi = mu/2 (I_C - 3) + lambda/2 (J - alpha)^2 - mu/2 log(I_C + 1),  alpha = 1 + 3/4 mu/lambda,
// I_C = |F|^2, with mu = 4/3 of Lame's and lambda = lambda + 5/6 mu of Lame's, so that small
// strains agree. At rest at F = I, and finite for any F. By the invariants t, m, d of Green's
// strain (its trace, the sum of its principal minors of two rows, its determinant), less what it is
// at rest:
//   x = (I_C - 3) / 4 = t / 2,  J - 1 = (2 t + 4 m + 8 d) / (1 + J),
//   Psi = mu/2 (x - log(1 + x)) + 3/4 mu (t - (J - 1)) + lambda/2 (J - 1)^2,
//   t - (J - 1) = (t (J - 1) - 4 m - 8 d) / (1 + J),
// of second order in the strain term by term, however the element has turned.
struct NeoHookean {
  template <class T>
  RTSIM_HD static Lame<T> shifted_constants(const Lame<T>& k) {
    return {T(Real(4) / 3) * k.mu, fma(T(Real(5) / 6), k.mu, k.lambda)};
  }
  template <class T>
  RTSIM_HD static Response<T> respond(const Lame<T>& lame, const Mat3<T>& F) {
    const Lame<T> k = shifted_constants(lame);
    const Mat3<T> E = Stvk::strain(F);
    const T half(Real(0.5)), three_quarters(Real(0.75)), t = trace(E), x = half * t;
    const T minors = half * (t * t - contraction(E, E)),
            more = T(4) * (minors + determinant(E) + determinant(E));
    const T J = determinant(F), sum = max(T(1) + J, T(1));
    const T swelling = select_less(T(0), J, (t + t + more) / sum, J - T(1));  // J - 1
    const T gap = select_less(T(0), J, (t * swelling - more) / sum, t - swelling);
    const T energy = half * (k.mu * LogGap<T>::of(x) + k.lambda * swelling * swelling) +
                     three_quarters * k.mu * gap;
    // 1 - 1 / (I_C + 1) = (3 + 4 x) / (4 + 4 x)
    const T c = k.mu * (three_quarters + x) / (T(1) + x);
    const T e = k.lambda * swelling - three_quarters * k.mu;
    return {energy, without_moment(c * F + e * cofactor(F), F, T(1) / (T(1) + x))};
  }
  // P F^T is symmetric but for rounding, here of mu and not of the stress: a moment that turns
  // stiff bodies. `near` F is about the inverse of F^T.
  template <class T>
  RTSIM_HD static Mat3<T> without_moment(const Mat3<T>& P, const Mat3<T>& F, T near) {
    const Mat3<T> m = product_transposed(P, F);
    return P + (T(Real(0.5)) * near) * product(transposed(m) + T(-1) * m, F);
  }
  template <class T>
  RTSIM_HD static PrincipalTangent<T> tangent(const Lame<T>& lame, const Mat3<T>& F, bool project) {
    const Lame<T> k = shifted_constants(lame);
    const Svd<T> f = svd(F);
    const VecT<T, 3>& s = f.s;
    const T more = T(1) + inner(s, s), c = k.mu - k.mu / more;
    const T e = k.lambda * (s[0] * s[1] * s[2] - T(1)) - T(Real(0.75)) * k.mu;
    const T g = (k.mu + k.mu) / (more * more);
    TwistAndFlip<T> by;
    Mat3<T> a;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      by.twist[i] = fma(e, s[i], c), by.flip[i] = c - e * s[i];
      const T J_i = s[j] * s[l], J_j = s[l] * s[i], J_l = s[i] * s[j];
      a.row[i][i] = c + g * s[i] * s[i] + k.lambda * J_i * J_i;
      a.row[j][l] = a.row[l][j] = g * s[j] * s[l] + k.lambda * J_j * J_l + e * s[i];
    }
    return tangent_of(f, project ? positive(a) : a, by, project);
  }
};

}  // namespace rtsim::fem
