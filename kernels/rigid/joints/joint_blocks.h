#pragma once
#include "base/types.h"

// Dense N x N matrices in rows, of which the joints' equations are made.
namespace rtsim::rigid {

template <int N>
struct Block {
  double at[N][N];
};

template <int N>
struct BlockColumn {
  double at[N];
};

template <int N>
RTSIM_HD void clear(Block<N>& a) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) a.at[i][j] = 0;
}

// A symmetric matrix that is definite, positive or negative, in place, by L D L^T without pivots:
// Golub & Van Loan, "Matrix Computations", 4th ed., section 4.1.2.
template <int N>
RTSIM_HD void invert(Block<N>& a) {
  double l[N][N], d[N], per[N];
  for (int j = 0; j < N; ++j) {
    d[j] = a.at[j][j];
    for (int k = 0; k < j; ++k) d[j] -= l[j][k] * l[j][k] * d[k];
    per[j] = 1 / d[j];
    for (int i = j + 1; i < N; ++i) {
      double s = a.at[i][j];
      for (int k = 0; k < j; ++k) s -= l[i][k] * l[j][k] * d[k];
      l[i][j] = s * per[j];
    }
  }
  for (int c = 0; c < N; ++c) {
    double x[N];
    x[c] = 1;
    for (int i = c + 1; i < N; ++i) {
      x[i] = 0;
      for (int k = c; k < i; ++k) x[i] -= l[i][k] * x[k];
    }
    for (int i = N - 1; i >= c; --i) {
      x[i] *= per[i];
      for (int k = i + 1; k < N; ++k) x[i] -= l[k][i] * x[k];
      a.at[i][c] = a.at[c][i] = x[i];
    }
  }
}

// a b^T, for symmetric a.
template <int N>
RTSIM_HD Block<N> times_transposed(const Block<N>& a, const Block<N>& b) {
  Block<N> r;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double s = 0;
      for (int k = 0; k < N; ++k) s += a.at[i][k] * b.at[j][k];
      r.at[i][j] = s;
    }
  return r;
}

// c -= a b.
template <int N>
RTSIM_HD void take_product(const Block<N>& a, const Block<N>& b, Block<N>& c) {
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < N; ++k) {
      const double f = a.at[i][k];
      for (int j = 0; j < N; ++j) c.at[i][j] -= f * b.at[k][j];
    }
}

template <int N>
RTSIM_HD BlockColumn<N> product(const Block<N>& a, const BlockColumn<N>& x) {
  BlockColumn<N> r;
  for (int i = 0; i < N; ++i) {
    r.at[i] = 0;
    for (int k = 0; k < N; ++k) r.at[i] += a.at[i][k] * x.at[k];
  }
  return r;
}

// y -= a x, and y -= a^T x.
template <int N>
RTSIM_HD void take_product(const Block<N>& a, const BlockColumn<N>& x, BlockColumn<N>& y) {
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < N; ++k) y.at[i] -= a.at[i][k] * x.at[k];
}
template <int N>
RTSIM_HD void take_transposed(const Block<N>& a, const BlockColumn<N>& x, BlockColumn<N>& y) {
  for (int k = 0; k < N; ++k)
    for (int i = 0; i < N; ++i) y.at[i] -= a.at[k][i] * x.at[k];
}

}  // namespace rtsim::rigid
