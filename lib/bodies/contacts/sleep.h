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
template <int D>
class Sleep {
 public:
  // `joined`: bodies that are of one island though they may not touch.
  Sleep(World&, const std::string& stage, const std::string& bodies, const SleepParams&,
        std::vector<VecT<Index, 2>> joined);

  // Finds contacts, and wakes whom they, or forces, reach. Before anything moves.
  void find(World&, const Step&, double margin, Collision<D>&);
  // At the end of a step [s] whose contacts are in their table.
  void settle(World&, double dt, const std::vector<std::uint8_t>& boundaries_rest);
  Index asleep(World&) const;

 private:
  Table& table(World& world) const { return world.table(bodies_); }
  rigid::Sleepers<D> sleepers(World&) const;
  void wake_pushed(World&);
  bool wake(World&, const std::vector<std::uint8_t>& called);
  std::vector<Index> islands(World&) const;
  void count_still(World&, double dt, const std::vector<std::uint8_t>& boundaries_rest);
  void stop(World&, const std::vector<std::uint8_t>& of_bodies);
  void write(World&, const std::vector<std::int32_t>& island, const std::vector<Real>& still);
  void move_contacts(World&, const std::string& from, const std::string& to,
                     const std::vector<std::uint8_t>& of_bodies);

  SleepParams p_;
  std::array<double, 3> gravity_;  // [m/s^2] of the step before
  std::string contacts_, asleep_, bodies_;
  std::vector<VecT<Index, 2>> joined_;
  Buffer<Real> reach_;  // [m] of shapes
  Buffer<std::uint8_t> called_, rests_;
};

}  // namespace rtsim
