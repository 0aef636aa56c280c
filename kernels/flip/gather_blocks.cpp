#include <algorithm>
#include <vector>

#include "exec/parallel.h"
#include "flip/gather.h"
#include "mac/for_rows.h"

// On the CPU every particle gives to the faces around it, each once, instead of every face looking
// at all particles that could be near. Blocks of lines of cells have sums of their own, which go to
// the faces block by block: those of a colour are apart by more than they reach, and so the order
// of sums is that of colours and blocks, whatever the threads.
namespace rtsim::flip {

namespace {

// Cells along an axis in blocks, of which those of one parity do not meet, also round a seam: their
// number is even, or one.
struct Cut {
  Index cells, blocks;

  explicit Cut(Index n) : cells(n), blocks(std::max(Index(1), n / 8 * 2)) {}
  Index begin(Index block) const { return Index(Offset(block) * cells / blocks); }
  Index colours() const { return blocks > 1 ? 2 : 1; }
};

// What faces of a block get, and those one beyond on every side: eight numbers for each place, of
// the faces there, at the next along x, along y and along both, each its weight and momentum. So a
// face has four parts, and no two particles write places that overlap without being the same, which
// a processor would have to wait for.
template <int D>
struct Sums {
  struct alignas(lane_count * sizeof(Real)) Place {
    Real of[lane_count];
  };
  Index first[3], size[3];
  std::vector<Place>& places;

  Sums(const mac::Domain& d, int axis, const Index (&low)[3], const Index (&high)[3])
      : places(memory(axis)) {
    Index all = 1;
    for (int a = 0; a < 3; ++a) {
      const Index more = a < D ? 1 : 0;
      const Index begin = a == 0 ? 0 : low[a], end = a == 0 ? d.cells[0] : high[a];
      first[a] = begin - more, size[a] = end - begin + 2 * more;
      all *= size[a];
    }
    places.assign(std::size_t(all), Place{});
  }
  // A thread keeps its memory: what comes anew from the system is cleared by that, page by page.
  static std::vector<Place>& memory(int axis) {
    thread_local std::vector<Place> kept[D];
    return kept[axis];
  }
  Real* at(Index i, Index j, Index k) {
    return places[std::size_t((i - first[0]) +
                              size[0] * ((j - first[1]) + size[1] * (k - first[2])))]
        .of;
  }
};

using Eight = Lanes<Real>;
constexpr Real lanes_low_x[] = {1, 1, 0, 0, 1, 1, 0, 0}, lanes_high_x[] = {0, 0, 1, 1, 0, 0, 1, 1},
               lanes_low_y[] = {1, 1, 1, 1, 0, 0, 0, 0}, lanes_high_y[] = {0, 0, 0, 0, 1, 1, 1, 1},
               lanes_weight[] = {1, 0, 1, 0, 1, 0, 1, 0}, lanes_u[] = {0, 1, 0, 1, 0, 1, 0, 1};

// Eight particles in a line of cells, those beyond its end like the first.
template <int D, bool affine>
struct Carried {
  Index begin, count, j, k;
  Real u[D][lane_count], change[D][D][lane_count];  // [m/s], [m/s a cell]

  Carried(const Particles<D>& p, Real spacing, Index begin, Index end, Index j, Index k)
      : begin(begin), count(end - begin < lane_count ? end - begin : lane_count), j(j), k(k) {
    for (Index l = 0; l < lane_count; ++l) {
      const Index row = p.row[begin + (l < count ? l : 0)];
      for (int a = 0; a < D; ++a) {
        u[a][l] = p.velocity[row][a];
        if constexpr (affine)
          for (int b = 0; b < D; ++b) change[a][b][l] = spacing * p.gradient[row][a * D + b];
      }
    }
  }
};

// The place of the lower corner of the eight faces around each, in a block's sums, their weights
// along the axes, and the velocity at that corner [m/s]. What is not where its cell is gives as far
// as the cell reaches.
template <int D, bool affine>
struct Around {
  Real place[lane_count], low[D][lane_count], high[D][lane_count], u[lane_count];

  Around(const Particles<D>& p, int axis, const Carried<D, affine>& of, Index last,
         const Sums<D>& sums) {
    Eight at(Real(0)), own = Eight::load(of.u[axis]);
    for (int a = D - 1; a >= 0; --a) {
      const Eight x = Eight::load(p.x[a] + of.begin),
                  cell = a == 0 ? floor_of(least(Eight(Real(last)), greatest(Eight(Real(0)), x)))
                                : Eight(Real(a == 1 ? of.j : of.k)),
                  shifted = x - Eight(a == axis ? Real(0) : Real(0.5));
      const Eight corner =
                      a == axis ? cell : select_less(shifted, cell, cell - Eight(Real(1)), cell),
                  off = shifted - corner;
      at = at * Eight(Real(sums.size[a])) + (corner - Eight(Real(sums.first[a])));
      hat(off).store(low[a]), hat(off - Eight(Real(1))).store(high[a]);
      if constexpr (affine) own = own - Eight::load(of.change[axis][a]) * off;
    }
    at.store(place), own.store(u);
  }
};

// A face at offset o from that corner gets w_x w_y w_z (1, u + C o) of each particle.
template <int D, bool affine>
void give(const Particles<D>& p, int axis, const Carried<D, affine>& of, Index last,
          Sums<D>& sums) {
  const Eight low_x = Eight::load(lanes_low_x), high_x = Eight::load(lanes_high_x),
              low_y = Eight::load(lanes_low_y), high_y = Eight::load(lanes_high_y),
              of_weight = Eight::load(lanes_weight), of_u = Eight::load(lanes_u);
  const Around<D, affine> around(p, axis, of, last, sums);
  const auto& change = of.change[axis];
  for (Index l = 0; l < of.count; ++l) {
    const Eight w = (low_x * Eight(around.low[0][l]) + high_x * Eight(around.high[0][l])) *
                    (low_y * Eight(around.low[1][l]) + high_y * Eight(around.high[1][l]));
    Eight value(around.u[l]);
    if constexpr (affine)
      value = value + high_x * Eight(change[0][l]) + high_y * Eight(change[1][l]);
    value = of_weight + of_u * value;
    Real* const to = sums.places[std::size_t(around.place[l])].of;
    if constexpr (D == 2) {
      (Eight::load(to) + w * value).store(to);
    } else {
      Real* const next = to + lane_count * sums.size[0] * sums.size[1];
      (Eight::load(to) + w * Eight(around.low[2][l]) * value).store(to);
      if constexpr (affine) value = value + of_u * Eight(change[2][l]);
      (Eight::load(next) + w * Eight(around.high[2][l]) * value).store(next);
    }
  }
}

// f(row along an axis) for the one or two that a place has: round a seam, and both ends of it for
// faces across the axis.
template <class F>
void for_images(const mac::Domain& d, int lattice, int axis, Index at, const F& f) {
  const Index n = d.cells[axis];
  if (!d.periodic(axis)) {
    if (at >= 0 && at < d.count(lattice, axis)) f(at);
    return;
  }
  const Index round = at < 0 ? at + n : at >= n ? at - n : at;
  f(round);
  if (lattice == axis && round == 0) f(n);
}

// To a line of faces from the places of one of a block's lines: their parts for the faces there, or
// for those at the next line along y.
void add_line(const mac::Domain& d, int axis, const Real* from, Real* u, Real* weight) {
  const Index n = d.cells[0];
  const auto add = [&](const Real* of, Index to) { weight[to] += of[0], u[to] += of[1]; };
  const Index ends[] = {-1, 0, n};
  for (const Index at : ends)
    for_images(d, axis, 0, at, [&](Index to) {
      if (at < n) add(from + lane_count * at, to);
      if (at >= 0) add(from + lane_count * (at - 1) + 2, to);
    });
  for (Index i = 1; i < n; ++i)
    add(from + lane_count * i, i), add(from + lane_count * (i - 1) + 2, i);
}

template <int D>
void add_sums(const mac::Domain& d, int axis, Sums<D>& sums, Real* u, Real* weight) {
  const Index last_y = sums.first[1] + sums.size[1] - 1;
  for (Index k = sums.first[2]; k < sums.first[2] + sums.size[2]; ++k)
    for_images(d, axis, 2, k, [&](Index to_k) {
      for (Index j = sums.first[1]; j <= last_y; ++j)
        for_images(d, axis, 1, j, [&](Index to_j) {
          const Index line = d.row(axis, 0, to_j, to_k);
          if (j < last_y) add_line(d, axis, sums.at(0, j, k), u + line, weight + line);
          if (j > sums.first[1])
            add_line(d, axis, sums.at(0, j - 1, k) + lane_count / 2, u + line, weight + line);
        });
    });
}

template <int D, bool affine>
void gather_block(const mac::Domain& d, const Particles<D>& p, const Index (&low)[3],
                  const Index (&high)[3], const Gathered (&faces)[D]) {
  const auto line = [&](Index j, Index k) {
    return p.first + Offset(d.cells[0]) * (j + d.cells[1] * k);
  };
  bool empty = true;
  for (Index k = low[2]; k < high[2] && empty; ++k)
    empty = *line(low[1], k) == line(high[1] - 1, k)[d.cells[0]];
  if (empty) return;
  std::vector<Sums<D>> sums;
  for (int a = 0; a < D; ++a) sums.emplace_back(d, a, low, high);
  for (Index k = low[2]; k < high[2]; ++k)
    for (Index j = low[1]; j < high[1]; ++j) {
      const Index end = line(j, k)[d.cells[0]];
      for (Index row = *line(j, k); row < end; row += lane_count) {
        const Carried<D, affine> of(p, d.spacing, row, end, j, k);
        for (int a = 0; a < D; ++a) give(p, a, of, d.cells[0] - 1, sums[std::size_t(a)]);
      }
    }
  for (int a = 0; a < D; ++a)
    add_sums(d, a, sums[std::size_t(a)], faces[a].u.data, faces[a].weight.data);
}

struct Divide {
  mac::Domain domain;
  int axis;
  Gathered faces;

  void operator()(Index i, Index j, Index k) const {
    const Index r = domain.row(axis, i, j, k);
    const auto face = face_of(faces.weight[r], faces.u[r]);
    faces.u[r] = face.u, faces.known[r] = face.known;
  }
};

template <int D, bool affine>
void gather_all(const Exec& ex, const mac::Domain& d, const Particles<D>& p,
                const Gathered (&faces)[D]) {
  const Cut y(d.cells[1]), z(D == 3 ? d.cells[2] : 1);
  for (Index colour = 0; colour < y.colours() * z.colours(); ++colour) {
    const Index of_y = colour % y.colours(), of_z = colour / y.colours();
    const Index across = y.blocks / y.colours(), all = across * (z.blocks / z.colours());
    parallel_chunks(ex, "flip.gather", all, 1, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        const Index j = b % across * y.colours() + of_y, k = b / across * z.colours() + of_z;
        gather_block<D, affine>(d, p, {0, y.begin(j), z.begin(k)},
                                {0, y.begin(j + 1), z.begin(k + 1)}, faces);
      }
    });
  }
}

}  // namespace

template <int D>
void gather_blocks(const Exec& ex, const mac::Domain& d, const Particles<D>& p,
                   const Gathered (&faces)[D]) {
  for (const Gathered& f : faces)
    for (const Span<Real> sum : {f.u, f.weight})
      ex.zero(sum.data, std::size_t(sum.size) * sizeof(Real));
  if (p.gradient)
    gather_all<D, true>(ex, d, p, faces);
  else
    gather_all<D, false>(ex, d, p, faces);
  for (int a = 0; a < D; ++a) mac::for_rows(ex, "flip.gather", d, a, Divide{d, a, faces[a]});
}

template void gather_blocks<2>(const Exec&, const mac::Domain&, const Particles<2>&,
                               const Gathered (&)[2]);
template void gather_blocks<3>(const Exec&, const mac::Domain&, const Particles<3>&,
                               const Gathered (&)[3]);

}  // namespace rtsim::flip
