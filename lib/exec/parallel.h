#pragma once
#ifndef RTSIM_KERNEL_TU
#error "exec/parallel.h is for kernel files only; host code calls the launchers in kernels/**/*.h"
#endif

#include "exec/buffer.h"
#include "exec/cuda.h"
#include "exec/profile.h"
#ifdef __CUDACC__
#include "exec/device_launch.h"
#endif

namespace rtsim {

constexpr Index grain = 1024;

// kernel(i) for every i in [0, n). Kernels are named structs, not lambdas: nvcc routes a
// __host__ __device__ lambda through a function pointer on the host.
template <class Kernel>
void parallel_for(const Exec& ex, const char* label, Index n, const Kernel& kernel) {
  if (n <= 0) return;
  const Launch launch(ex, label, n);
#ifdef __CUDACC__
  if (ex.backend() == Backend::cuda) return detail::launch_for_each(label, n, kernel);
#endif
  ex.for_chunks(
      n, grain,
      [](const void* context, Index begin, Index end) {
        const Kernel k = *static_cast<const Kernel*>(context);
        for (Index i = begin; i < end; ++i) k(i);
      },
      &kernel);
}

// Bodies whose threads work on a tile together, through memory that they share:
//   struct Body {
//     struct Shared {...};  // begins with anything
//     static constexpr int phases; static constexpr Index threads;  // of a tile
//     void operator()(int phase, Index tile, Index thread, Shared&) const;
//   };
// No thread of a tile begins a phase before all have ended the one before.
template <class Body>
void parallel_tiles(const Exec& ex, const char* label, Index tiles, Index rows, const Body& body) {
  if (tiles <= 0) return;
  const Launch launch(ex, label, rows);
#ifdef __CUDACC__
  if (ex.backend() == Backend::cuda) return detail::launch_for_tiles(label, tiles, body);
#endif
  ex.for_tasks(
      tiles,
      [](const void* p, Index tile, Index) {
        const Body& b = *static_cast<const Body*>(p);
        typename Body::Shared shared;
        for (int phase = 0; phase < Body::phases; ++phase)
          for (Index thread = 0; thread < Body::threads; ++thread) b(phase, tile, thread, shared);
      },
      &body);
}

// CPU-shaped bodies only (SIMD over rows, packed neighbours): body(begin, end) for consecutive
// chunks of `rows_per_chunk` rows, spread over the threads.
template <class Body>
void parallel_chunks(const Exec& ex, const char* label, Index n, Index rows_per_chunk,
                     const Body& body) {
  if (n <= 0) return;
  const Launch launch(ex, label, n);
  struct Context {
    const Body& body;
    Index n, rows;
  } const context{body, n, rows_per_chunk};
  ex.for_tasks((n + rows_per_chunk - 1) / rows_per_chunk,
               [](const void* p, Index task, Index) {
                 const Context& c = *static_cast<const Context*>(p);
                 const Index begin = task * c.rows;
                 c.body(begin, c.n - begin < c.rows ? c.n : begin + c.rows);
               },
               &context);
}

// Reductions fold in an order that depends on n alone, never on threads, so they repeat bit for
// bit: lane l of a tile takes elements l, l + lanes, ... in order, the lanes fold as a binary tree,
// and the tile results fold the same way.
namespace detail {

constexpr Index host_lanes = 8, host_tile = 4096;

template <class T, class Kernel, class Op>
T fold_tile(Index begin, Index end, const T& identity, const Kernel& kernel, Op op) {
  T acc[host_lanes];
  for (T& a : acc) a = identity;
  Index i = begin;
  for (; i + host_lanes <= end; i += host_lanes)
    for (Index l = 0; l < host_lanes; ++l) acc[l] = op(acc[l], kernel(i + l));
  for (Index l = 0; i + l < end; ++l) acc[l] = op(acc[l], kernel(i + l));
  for (Index half = host_lanes / 2; half > 0; half /= 2)
    for (Index l = 0; l < half; ++l) acc[l] = op(acc[l], acc[l + half]);
  return acc[0];
}

template <class T>
struct Load {
  const T* from;
  RTSIM_HD T operator()(Index i) const { return from[i]; }
};

template <class T, class Kernel, class Op>
T fold_host(const Exec& ex, Index n, const T& identity, const Kernel& kernel, Op op) {
  if (n <= host_tile) return fold_tile(0, n, identity, kernel, op);
  std::vector<T> partial(std::size_t(n + host_tile - 1) / host_tile, identity);
  struct Context {
    const T& identity;
    const Kernel& kernel;
    Op op;
    T* out;
  } const context{identity, kernel, op, partial.data()};
  ex.for_chunks(
      n, host_tile,
      [](const void* p, Index begin, Index end) {
        const Context& c = *static_cast<const Context*>(p);
        c.out[begin / host_tile] = fold_tile(begin, end, c.identity, c.kernel, c.op);
      },
      &context);
  return fold_host(ex, Index(partial.size()), identity, Load<T>{partial.data()}, op);
}

#ifdef __CUDACC__
template <class T, class Kernel, class Op>
T fold_device(const Exec& ex, const char* label, Index n, const T& identity, const Kernel& kernel,
              Op op) {
  const Index tile = device_tile(n), tiles = (n + tile - 1) / tile;
  Buffer<T> partial(ex, std::size_t(tiles));
  launch_fold_tiles(label, n, tile, identity, kernel, op, partial.data());
  if (tiles == 1) return partial.download()[0];
  return fold_device(ex, label, tiles, identity, Load<T>{partial.data()}, op);
}
#endif

}  // namespace detail

template <class T, class Kernel, class Op>
T reduce(const Exec& ex, const char* label, Index n, const T& identity, const Kernel& kernel,
         Op op) {
  if (n <= 0) return identity;
  const Launch launch(ex, label, n);
#ifdef __CUDACC__
  if (ex.backend() == Backend::cuda) return detail::fold_device(ex, label, n, identity, kernel, op);
#endif
  return detail::fold_host(ex, n, identity, kernel, op);
}

struct Plus {
  template <class T>
  RTSIM_HD T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  RTSIM_HD T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

}  // namespace rtsim
