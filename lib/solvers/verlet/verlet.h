#pragma once
#include <optional>

#include "deformables/contacts/contact.h"
#include "stage/stage_type.h"
#include "verlet/stick.h"

namespace rtsim {

// A stick besides those of the mesh's edges.
struct StickSpec {
  std::vector<double> points{0, 0};
  verlet::StickKind kind = verlet::rod;
  std::optional<double> length;  // [m]; none: as at the start
};

struct VerletParams {
  ObjectName mesh;
  std::vector<StickSpec> sticks;
  bool edges = true;
  double stiffness = 1;
  double drag = 0.6;  // [1/s]
  int iterations = 10;
  double tolerance = 1e-3;
  bool square_root = true;
  ContactParams contact;
};

void describe(Describe&, StickSpec&);
void describe(Describe&, VerletParams&);
double row_bytes(const VerletParams&, const GridShape&);

StageType verlet_type();

}  // namespace rtsim
