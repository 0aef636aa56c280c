#include "contact/slide.h"

#include <array>
#include <catch2/catch.hpp>

using namespace rtsim;
using namespace rtsim::contact;

namespace {

Part part(Part::Kind kind) {
  Part p{};
  p.kind = kind;
  p.scale = 1;
  for (int k = 0; k < 3; ++k) p.rotation[k][k] = 1;
  return p;
}

// Ground below y = 0 and a thread along z whose top is at `top`.
std::array<Part, 3> ground_with_thread(Real top) {
  Part ground = part(Part::Kind::plane), thread = part(Part::Kind::capsule);
  ground.b = {{0, 1, 0}};
  thread.radius = Real(1e-3);
  thread.a = {{0, top - thread.radius, -1}};
  thread.b = {{0, top - thread.radius, 1}};
  return {ground, thread, part(Part::Kind::least)};
}

}  // namespace

// A point that lies at the thickness over the ground, with its way along it, may come as near as
// half the thickness. Where it passes the thread by just that, it is near it without moving towards
// it.
TEST_CASE("slide: a way past an edge at half the thickness ends, and at no less of it") {
  const Real thickness = Real(0.1), slack = slack_at({{-1, thickness, 0}}, thickness);
  for (int k = 0; k < 2000; ++k) {
    const Real above = Real(0.5) * thickness + slack * (1 - Real(1e-4) * Real(k % 100) / 100);
    const auto parts = ground_with_thread(thickness - above);
    const Solid solid{{parts.data(), 3}, {}, {}};
    const Vec<3> from{{Real(-1) - Real(0.0003) * Real(k), thickness, 0}}, way{{2, 0, 0}};
    const Slide s = slide(solid, {thickness, Real(0.3), thickness, false}, from, from + way);
    CHECK(nearest(solid, s.end).distance > Real(0.49) * thickness);
    CHECK(std::isfinite(norm(s.change)));
  }
}
