#pragma once
#include "lanes/lanes.h"
#include "shallow_water/reconstruction.h"
#include "shallow_water/riemann.h"

// Finite volumes on a tile, line after line along z, for CPUs: each line of cells and each line of
// faces is worked on while it is in the first cache.
namespace rtsim::shallow_water {

constexpr Index reach = 2;  // cells that a rate of change looks at on either side
constexpr Index tile_x = 256, tile_z = 64, pad = 16, pitch = tile_x + 2 * pad;

using Row = Real[pitch];  // cell i of the tile is at pad + i
using Wide = Lanes<Real>;

// A line of cells with what follows from its state: surface w, velocity, wave speed c.
struct alignas(64) Line {
  Row h, qx, qz, w, u, v, c;

  Fields<Wide> fields(Index i) const {
    return {Wide::load(h + i), Wide::load(w + i), Wide::load(u + i), Wide::load(v + i)};
  }
};

struct alignas(64) Rate {
  Row h, qx, qz;  // times the spacing

  void set(Index i, Wide a, Wide b, Wide c) { a.store(h + i), b.store(qx + i), c.store(qz + i); }
};

struct alignas(64) Sides {
  Row h, w, n, t;

  void set(Index i, Wide a, Wide b, Wide c, Wide d) {
    a.store(h + i), b.store(w + i), c.store(n + i), d.store(t + i);
  }
  void set_x(Index i, const Fields<Wide>& q) { set(i, q.h, q.w, q.u, q.v); }
  void set_z(Index i, const Fields<Wide>& q) { set(i, q.h, q.w, q.v, q.u); }
  Side<Wide> at(Index i, const Real* c) const {
    return {Wide::load(h + i), Wide::load(w + i), Wide::load(n + i), Wide::load(t + i),
            Wide::load(c + i)};
  }
};

struct alignas(64) Faces {
  Row mass, below, above, along;
};

// Where the next line is read and written. It is asked for while this one is worked on, a little at
// a time: all at once, or not at all, memory and processor wait for each other by turns.
struct Ahead {
  const Real* read[4];
  const Real* written[3];  // cell i of the tile is at i

  void ask_read(Index i) const {
    for (const Real* p : read) __builtin_prefetch(p + i, 0);
  }
  void ask_written(Index i) const {
    for (const Real* p : written) __builtin_prefetch(p + i, 1);
  }
};

// Lines go in one after the other; `reach` lines later their rates of change come out.
class Sweep {
 public:
  Sweep(Index cells, Real factor, Real g) : end_(pad + cells + 1), f_(factor), g_(g) {}

  Line& next() { return line(count_); }
  const Line& done() const { return line(count_ - 3); }  // the line that rate() belongs to

  // The line in next() is complete. Returns whether rate() is one from here on.
  bool push(const Ahead& ahead) {
    if (count_ >= 2) {
      reconstruct(line(count_ - 2), line(count_ - 1), line(count_), ahead);
      across_z(line(count_ - 2), line(count_ - 1), ahead);
      across_x(line(count_ - 1));
    }
    return ++count_ > 2 * reach;
  }
  const Rate& rate() const { return rate_; }

 private:
  Line& line(Index k) { return lines_[k % 3]; }
  const Line& line(Index k) const { return lines_[k % 3]; }
  Sides& above() { return upper_[count_ % 2]; }
  const Sides& below() const { return upper_[(count_ + 1) % 2]; }

  // The sides of line b's faces, half a step on. In a loop of its own: with the fluxes it is one
  // chain of operations that is longer than what a processor looks ahead.
  void reconstruct(const Line& a, const Line& b, const Line& c, const Ahead& ahead) {
    for (Index i = pad - lane_count; i < end_; i += lane_count) {
      ahead.ask_read(i - pad);
      const Fields<Wide> here = b.fields(i);
      const Fields<Wide> x = limited_steps(b.fields(i - 1), here, b.fields(i + 1)),
                         z = limited_steps(a.fields(i), here, c.fields(i)),
                         q = half_a_step_on(here, x, z, Wide(f_), Wide(g_));
      low_.set_x(i, at_face(q, x, Wide(-half_cell))),
          high_.set_x(i, at_face(q, x, Wide(half_cell)));
      lower_.set_z(i, at_face(q, z, Wide(-half_cell))),
          above().set_z(i, at_face(q, z, Wide(half_cell)));
      const Wide w = weight(q, Wide(g_));
      (w * x.w).store(slope_x_ + i), (w * z.w).store(slope_z_ + i);
    }
  }

  // Goes over the faces between the lines a and b: then all that line a has is known.
  void across_z(const Line& a, const Line& b, const Ahead& ahead) {
    for (Index i = pad; i < end_ - 1; i += lane_count) {
      ahead.ask_written(i - pad);
      const Flux<Wide> f = hll(below().at(i, a.c), lower_.at(i, b.c), Wide(g_));
      rate_.set(i, Wide::load(begun_.h + i) - f.mass, Wide::load(begun_.qx + i) - f.along,
                Wide::load(begun_.qz + i) - f.below);
      begun_.set(i, f.mass, f.along + Wide::load(slope_x_ + i), f.above + Wide::load(slope_z_ + i));
    }
  }

  // Adds what goes through the faces within line b.
  void across_x(const Line& b) {
    const Wide g = g_;
    for (Index i = pad; i < end_; i += lane_count) {
      const Flux<Wide> f = hll(high_.at(i - 1, b.c), low_.at(i, b.c), g);
      f.mass.store(face_.mass + i), f.below.store(face_.below + i);
      f.above.store(face_.above + i), f.along.store(face_.along + i);
    }
    const auto difference = [](const Real* low, const Real* high) {
      return Wide::load(low) - Wide::load(high + 1);
    };
    for (Index i = pad; i < end_ - 1; i += lane_count)
      begun_.set(i, Wide::load(begun_.h + i) + difference(face_.mass + i, face_.mass + i),
                 Wide::load(begun_.qx + i) + difference(face_.above + i, face_.below + i),
                 Wide::load(begun_.qz + i) + difference(face_.along + i, face_.along + i));
  }

  Index end_, count_ = 0;
  Real f_, g_;
  Line lines_[3] = {};
  Sides low_ = {}, high_ = {}, lower_ = {}, upper_[2] = {};
  alignas(64) Row slope_x_ = {}, slope_z_ = {};  // what the surface's slope does to the momentum
  Faces face_ = {};
  Rate begun_ = {}, rate_ = {};
};

}  // namespace rtsim::shallow_water
