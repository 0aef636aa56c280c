#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/vec.h"
#include "bodies/joints/joint_start.h"
#include "world/material.h"

namespace rtsim {

struct BodySpec;

// What bodies touch with: the points within `radius` of the hull of `points`.
struct ConvexPart {
  enum class Kind {
    sphere,    // `points`: its centre
    capsule,   // the ends of its axis
    cylinder,  // the ends of its axis; flat, so that `radius` is across it alone
    box,       // its 8 corners, in bits x, y, z; in the plane its 4, as a hull's
    hull       // its corners
  };
  Kind kind;
  std::vector<Vec3d> points;  // [m]
  std::vector<std::vector<int>>
      faces;          // of boxes and hulls: corners counter-clockwise from outside;
                      // in the plane none, and corners go round counter-clockwise
  double radius = 0;  // [m]
};

// A body's geometry, in its own frame: the origin at the centre of mass, the axes along the
// principal ones of inertia. In the plane z = 0.
struct BodyShape {
  std::vector<ConvexPart> parts;
  std::vector<Vec3d> vertices;                // [m], of its surface as frames show it
  std::vector<std::array<int, 3>> triangles;  // of the surface; in the plane of the area
  double volume = 0;                          // [m^D]
  Vec3d moments;  // of inertia over mass [m^2]; in the plane the last, about z
  std::optional<Material> material = {};  // its axis in this frame
  std::shared_ptr<const BodySpec> made_of = {};
};

// All that the bodies of one object are made of.
struct BodySet {
  std::vector<BodyShape> shapes;
  struct Named {
    std::string name;
    int first, count;  // rows at the start
  };
  std::vector<Named> names;  // of those that have one
  std::vector<JointStart> joints;
};

}  // namespace rtsim
