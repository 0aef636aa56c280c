#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "flip/band.h"
#include "stage/stage.h"

namespace rtsim {

// The liquid that has no particles (kernels/flip/band.h): cells that are more than `width` cells
// below the surface and away from walls, sides that are open and places where particles are taken
// out. Its state is in the world: the column "deep" of the grid, the velocity on the faces around
// deep cells in tables of their own, and what follows. A substep goes so:
//   gather    faces around deep cells have their own velocity, others that of particles;
//   solve     gravity, pressure, viscosity and tension on all of them, as without a band;
//   move      particles follow the flow, and the velocity of faces around deep cells is carried
//             along it on the grid;
//   settle    liquid is where particles are and where it comes from deep cells. From that follow
//             the cells that are deep now: their particles go, and where liquid of deep cells comes
//             to others it becomes particles.
// A deep cell stands for as many particles as would tile it. What cells that become deep have more
// or less than that, and what moves by flowing round particles, is owed: particles that cells of
// the band get besides, or lose, as evenly as they go. So the sum of rows, of what deep cells stand
// for, and of what is owed changes by what is poured in and drained alone.
template <int D>
class NarrowBand {
 public:
  NarrowBand(World&, const std::string& stage, const std::string& fluid, const std::string& grid,
             const flip::Place<D>&, double spacing, int width);

  // Rows of the fluid's table in cells, as bin_by_key has them.
  struct Rows {
    Span<const Index> order, first;
  };

  bool begun(World&) const;
  void recall(World&);  // of a world that was read
  // Before a step: whether particles were put into deep cells. Then, with rows in cells and the
  // flow that carried() has, these and those around them become particles.
  bool disturbed(World&) const;
  void wake(World&, const Rows&, const flip::Move<D>& still, const Step&);

  // After a substep with the flow of `law`, of a greatest speed [m/s], or at the start with one
  // that stands still, where particles are now in cells.
  void settle(World&, const Rows&, const flip::Move<D>& law, double speed, const mac::Walls&,
              const Step&, int substep);

  const std::uint8_t* deep(World& w) const { return cells(w).data; }
  void take(World&, int axis, Span<Real> u, Span<std::uint8_t> known);
  Span<Real> carried(World&, int axis) const;  // [m/s], 0 away from deep cells
  double greatest_speed() const { return speed_; }
  // Of cells that particles do not tile: their crowding says nothing.
  void leave_out(Span<Real> right_hand_side) { flip::leave_out(ex_, around(), right_hand_side); }

  double tile() const { return tile_; }  // particles that a cell stands for
  Index deep_cells(World&) const;
  double owed(World& w) const { return get<double>(w, "owed"); }
  double rows_without(World& w) const { return tile_ * deep_cells(w) + owed(w); }
  flip::Sums sums(World&, Vec<D> gravity) const;  // of deep cells, in those of particles
  void measure(World&, std::vector<Measurement>&) const;

 private:
  Span<std::uint8_t> cells(World&) const;
  flip::Bytes around() { return around_.span(); }
  template <class T>
  T get(World& w, const char* column) const {
    return w.table(state_).template download<T>(column)[0];
  }
  template <class T>
  void set(World& w, const char* column, T value) const {
    ex_.upload(w.table(state_).template column<T>(column).data, &value, sizeof value);
  }
  void find_around(World&);
  void list(flip::Bytes wanted, flip::Bytes deep, Span<const Index> first);
  void find_speed(World&);
  Index find_deep(World&, const Rows&, const flip::Move<D>&, double speed, const mac::Walls&,
                  double end);
  void even_out(const Rows&, double owed);
  std::int64_t sow(World&, const flip::Move<D>&);
  Index take_out(World&, const Rows&);
  void book(World&, double owed, std::int64_t seeded, std::int64_t absorbed) const;

  Exec ex_;
  flip::Place<D> place_;
  std::string fluid_, grid_, state_;
  int width_;
  double tile_;
  std::uint64_t seed_;
  std::uint32_t key_;  // of its draws
  flip::Sites<D> sites_;
  double speed_ = 0;  // [m/s] of faces around deep cells
  Buffer<std::uint8_t> around_, next_, shallow_, origin_, scratch_;
  Buffer<std::uint64_t> seeds_;
  Buffer<Index> listed_, lines_, room_, change_, count_;
  Buffer<std::uint32_t> doomed_;
};

}  // namespace rtsim
