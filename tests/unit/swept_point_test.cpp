#include "contact/swept_point.h"

#include <catch2/catch.hpp>

#include "boundaries/contact_solid.h"

using namespace rtsim;
using namespace rtsim::contact;

namespace {

// Ground below y = 0 and a thread along z whose top is at `top`.
std::vector<ShapePart> ground_with_thread(double top) {
  const double radius = 1e-3, y = top - radius;
  return {{ShapePart::Kind::plane, {}, {{0, 1, 0}}},
          {ShapePart::Kind::capsule, {{0, y, -1}}, {{0, y, 1}}, radius},
          {ShapePart::Kind::least}};
}

}  // namespace

// A point that lies at the thickness over the ground, with its way along it, may come as near as
// half the thickness. Where it passes the thread by just that, it is near it without moving towards
// it.
TEST_CASE("swept_point: a way past an edge at half the thickness ends, and at no less of it") {
  const Real thickness = Real(0.1), slack = slack_at({{-1, thickness, 0}}, thickness);
  for (int k = 0; k < 2000; ++k) {
    const Real above = Real(0.5) * thickness + slack * (1 - Real(1e-4) * Real(k % 100) / 100);
    World world{Exec::cpu(1), 3};
    const ContactSolid solid(world, ground_with_thread(double(thickness - above)));
    const Vec<3> from{{Real(-1) - Real(0.0003) * Real(k), thickness, 0}}, way{{2, 0, 0}};
    const Swept s =
        sweep(solid.view(), {thickness, Real(0.3), thickness, false}, thickness, from, from + way);
    CHECK(nearest(solid.view(), s.end).distance > Real(0.49) * thickness);
    CHECK(std::isfinite(norm(s.change)));
  }
}
