#pragma once
#include "rigid/contacts/push.h"

// Rows of columns, one (T: a number) or eight that follow one another, for laws that serve both.
namespace rtsim::rigid {

template <class T, int N>
RTSIM_HD VecT<T, N> wide(const VecT<Real, N>& v) {
  VecT<T, N> r;
  for (int k = 0; k < N; ++k) r[k] = T(v[k]);
  return r;
}

// `stride`: from one row's numbers to the next's.
template <int N>
RTSIM_HD void load_line(const Real* from, Index, VecT<Real, N>& to) {
  for (int k = 0; k < N; ++k) to[k] = from[k];
}
template <int N>
void load_line(const Real* from, Index stride, VecT<Lanes<Real>, N>& to) {
  Real lines[N][lane_count];
  for (Index l = 0; l < lane_count; ++l)
    for (int k = 0; k < N; ++k) lines[k][l] = from[l * stride + k];
  for (int k = 0; k < N; ++k) to[k] = Lanes<Real>::load(lines[k]);
}
template <int N>
RTSIM_HD void store_line(Real* to, Index, const VecT<Real, N>& from) {
  for (int k = 0; k < N; ++k) to[k] = from[k];
}
template <int N>
void store_line(Real* to, Index stride, const VecT<Lanes<Real>, N>& from) {
  Real lines[N][lane_count];
  for (int k = 0; k < N; ++k) from[k].store(lines[k]);
  for (Index l = 0; l < lane_count; ++l)
    for (int k = 0; k < N; ++k) to[l * stride + k] = lines[k][l];
}

// Of rows from i on.
template <class T, int N>
RTSIM_HD VecT<T, N> in_line(Span<const VecT<Real, N>> column, Index i) {
  VecT<T, N> r;
  load_line(column[i].c, N, r);
  return r;
}
template <class T, int N>
RTSIM_HD VecT<T, N> in_line(Span<VecT<Real, N>> column, Index i) {
  return in_line<T>(Span<const VecT<Real, N>>{column}, i);
}
template <class T, int N>
RTSIM_HD void put_line(Span<VecT<Real, N>> column, Index i, const VecT<T, N>& v) {
  store_line(column[i].c, N, v);
}

template <class T, int D>
RTSIM_HD Push<D, T> push_of(const Push<D>* pushes, Index i) {
  constexpr Index stride = sizeof(Push<D>) / sizeof(Real);
  Push<D, T> p;
  load_line(pushes[i].velocity.c, stride, p.velocity);
  load_line(pushes[i].angular.c, stride, p.angular);
  load_line(pushes[i].since.velocity.c, stride, p.since.velocity);
  load_line(pushes[i].since.angular.c, stride, p.since.angular);
  return p;
}
template <class T, int D>
RTSIM_HD void put_push(Push<D>* pushes, Index i, const Push<D, T>& p) {
  constexpr Index stride = sizeof(Push<D>) / sizeof(Real);
  store_line(pushes[i].velocity.c, stride, p.velocity);
  store_line(pushes[i].angular.c, stride, p.angular);
  store_line(pushes[i].since.velocity.c, stride, p.since.velocity);
  store_line(pushes[i].since.angular.c, stride, p.since.angular);
}

// First rows of solver bodies from i on.
struct SolverBodyRows {
  Index first[lane_count];
};
template <int D>
RTSIM_HD SolverBodyRows solver_body_rows_of(Index i) {
  SolverBodyRows r;
  for (Index l = 0; l < lane_count; ++l) r.first[l] = solver_body_rows<D> * (i + l);
  return r;
}

}  // namespace rtsim::rigid
