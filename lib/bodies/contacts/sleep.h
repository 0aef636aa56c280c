#pragma once
#include <array>
#include <string>
#include <vector>

#include "bodies/contacts/collision.h"
#include "rigid/motion/measures.h"
#include "world/world.h"

namespace rtsim {

struct SleepParams {
  double after;  // [s] that all of an island must have been still
  double speed;  // [m/s] below which a body is, at its farthest point
};

// Islands of bodies that touch and have been still fall asleep: they do not move, and nothing is
// computed between them, until something that is awake comes near, a force acts on one of them, or
// what they touch begins to move, or gravity changes; then all of the island wakes with the
// impulses that its contacts had. The table of the bodies has their times of stillness and their
// islands (the first of their rows, or -1), `<stage>.asleep` the contacts within.
//
// A step costs what is awake: all that it does to bodies goes through `rows`, which are listed anew
// only when somebody falls asleep or wakes.
template <int D>
class Sleep {
 public:
  // `joined`: bodies that are of one island though they may not touch. `behind`: rows of boundaries
  // that follow the bodies' where these are solved.
  Sleep(World&, const std::string& stage, const std::string& bodies, const SleepParams&,
        std::vector<VecT<Index, 2>> joined, Index behind);

  // Before the first step, and after a checkpoint is read.
  void refresh(World&);
  // Finds contacts, and wakes whom they, or forces, reach. Before anything moves.
  void find(World&, const Step&, double margin, Collision<D>&);
  // At the end of a step [s] whose contacts are in their table.
  void settle(World&, double dt, const std::vector<std::uint8_t>& boundaries_rest);
  // Of [0, n): who is awake, or was when this step or the last one began.
  rigid::Rows rows(Index n) const { return {n, true, kept_eights_.span()}; }
  Index asleep() const { return asleep_; }

 private:
  Table& table(World& world) const { return world.table(bodies_); }
  rigid::Sleepers<D> sleepers(World&) const;
  void list_rows();
  void wake_pushed(World&);
  bool wake(World&, const std::vector<Index>& called);
  std::vector<Index> islands(World&) const;
  void count_still(World&, double dt, const std::vector<std::uint8_t>& boundaries_rest);
  void stop(World&, const std::vector<std::uint8_t>& of_bodies);
  void write(World&, const std::vector<Real>& still);
  void move_contacts(World&, const std::string& from, const std::string& to,
                     const std::vector<std::uint8_t>& of_bodies);

  SleepParams p_;
  std::array<double, 3> gravity_;  // [m/s^2] of the step before
  std::string contacts_, inner_contacts_, bodies_;
  std::vector<VecT<Index, 2>> joined_;
  Buffer<Real> reach_;  // [m] of shapes
  Buffer<std::uint8_t> called_, rests_;

  std::vector<std::int32_t> island_;  // as in the table
  Index asleep_ = 0;
  Index behind_;
  bool changed_ = true;                     // islands, since rows were listed
  std::vector<std::uint8_t> awake_, were_;  // of eights: now, and when the step before began
  std::vector<Index> eights_;
  Buffer<Index> kept_eights_;
};

}  // namespace rtsim
