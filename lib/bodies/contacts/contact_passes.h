#pragma once
#include <string>

#include "rigid/contacts/contact_stiffness.h"
#include "world/world.h"

namespace rtsim {

// How often the contacts of one stage are solved in a substep while they may overlap. The table
// `<stage>.settling` has how long they still look for their loads [s].
class ContactPasses {
 public:
  ContactPasses(World&, const std::string& stage);

  // For a step of dt [s]; `fresh`: none of its contacts was there in the last one. `load`: the
  // greatest x, kernels/rigid/contact_stiffness.h.
  void begin(World&, double dt, const rigid::Stiffness&, bool fresh, Index contacts, double load);
  // In the first substep, and in each later one.
  int first() const { return first_; }
  int each() const { return each_; }

 private:
  std::string table_;
  int first_ = 1, each_ = 1;
};

}  // namespace rtsim
