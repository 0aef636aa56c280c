#pragma once
#include <vector>

#include "bodies/pressed_groups.h"
#include "rigid/pressed.h"
#include "world/world.h"

namespace rtsim {

// Of the contacts of a stage those that are solved together: kernels/rigid/pressed.h.
template <int D>
class PressedContacts {
 public:
  explicit PressedContacts(const Exec&);

  // Finds them among contacts, which may be those of the last step, and stiffens them. `slots`: a
  // contact for each lane of each block, or -1.
  void choose(const Exec&, const rigid::Stiffness&, const std::vector<ContactKey>&, bool same,
              const std::vector<Index>& slots, const std::vector<bool>& moves,
              Span<const Row4> movers, Span<rigid::ContactBlock<D>>);
  // Bodies whose contacts are in no group.
  void leave_out(std::vector<std::uint8_t> bodies) { alone_ = std::move(bodies); }
  bool none() const { return slots_.size() == 0; }
  void solve(const Exec&, const rigid::ContactLaw&, bool weighs,
             Span<const rigid::LaneMaterials<D>> own, Span<rigid::ContactBlock<D>>,
             Span<Row4> movers);

 private:
  rigid::Pressed<D> view();
  PressedGroups find(const Exec&, Real least, const std::vector<ContactKey>&,
                     const std::vector<Index>& slots, const std::vector<bool>& moves,
                     Span<const Row4> movers, Span<const rigid::ContactBlock<D>>);
  void upload(const PressedGroups&);

  std::vector<std::uint8_t> alone_;
  std::vector<Real> least_;
  Buffer<Index> first_slot_, slots_, first_body_;
  Buffer<std::int64_t> first_number_;
  Buffer<Real> growth_;
  Buffer<VecT<Real, 2>> loads_;
  Buffer<rigid::PressedBody<D>> bodies_;
  Buffer<rigid::PressedRow<D>> rows_;
  Buffer<double> numbers_;
};

}  // namespace rtsim
