#include <catch2/catch.hpp>

#include "rigid/body.h"
#include "support/contact_reference.h"
#include "support/rigid_floor.h"

using namespace rtsim;

namespace {

using Boxes = std::vector<ReferencePile::Box>;

// Small piles, of which some parts stand and others tip or slide.
const std::vector<Boxes> piles = {
    {{0, 0.5, 0.5, 0.5}},
    // One on two, and one on that which tips over its edge.
    {{0, 0.5, 0.5, 0.5}, {1.4, 0.5, 0.5, 0.5}, {0.7, 1.25, 1, 0.25}, {1.75, 2, 0.4, 0.5}},
    // A plank over one box, loaded at one end.
    {{0, 0.5, 0.5, 0.5}, {0.3, 1.1, 1.5, 0.1}, {-0.9, 1.5, 0.2, 0.3}},
    // A narrow tower off its base.
    {{0, 0.5, 0.5, 0.5}, {0.45, 1.5, 0.4, 0.5}, {0.7, 2.5, 0.4, 0.5}},
};

void compare(const Boxes& boxes, double tilt, double mu) {
  ReferencePile reference{boxes, {}};
  reference.solve(g * std::sin(tilt), -g * std::cos(tilt), mu);
  std::string bodies;
  for (const auto& b : boxes)
    bodies += fmt::format(R"({}{{"shape": {{"box": {{"min": [{}, {}], "max": [{}, {}]}}}}}})",
                          bodies.empty() ? "" : ", ", b.x - b.half_width, b.y - b.half_height,
                          b.x + b.half_width, b.y + b.half_height);
  // What moves does so by less than 1 mm in the 15 steps. 200 substeps are as many sweeps of the
  // solver: ten steps to find the impulses, then five whose change of velocities is compared.
  const double dt = 1e-3, span = 5 * dt;
  Floor r(2, bodies, fmt::format(R"(, "substeps": 200, "friction": {})", mu), dt, tilt);
  r.advance(10);
  const auto v = r.all("velocity");
  const auto w = r.world().table("b").download<rigid::Angular<2>>("angular_velocity");
  r.advance(5);
  const auto later = r.all("velocity");
  const auto turns = r.world().table("b").download<rigid::Angular<2>>("angular_velocity");
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    CAPTURE(boxes.size(), k, tilt, mu, r.measure("b.contacts"), reference.contacts.size());
    for (int a = 0; a < 2; ++a)
      CHECK((later[k][a] - v[k][a]) / span ==
            Approx(reference.boxes[k].velocity[a]).margin(0.01 * g));
    CHECK(double(turns[k][0] - w[k][0]) / span ==
          Approx(reference.boxes[k].velocity[2]).margin(0.01 * g));
  }
}

}  // namespace

TEST_CASE("rigid_reference: piles without friction start as the complementarity problem says") {
  for (const Boxes& boxes : piles) compare(boxes, 0, 0);
}

TEST_CASE("rigid_reference: piles with friction start on an incline as Gauss and Seidel say") {
  for (const Boxes& boxes : piles)
    for (const double mu : {0.2, 0.6}) compare(boxes, 0.35, mu);
}
