#include "bodies/joints/joint_spec.h"

#include <fmt/format.h>

#include <cctype>

namespace rtsim {

using rigid::JointKind;

namespace {

constexpr Option kinds[] = {
    {"ball", int(JointKind::ball), "one point in common; 3D only, in 2D take \"hinge\""},
    {"hinge", int(JointKind::hinge), "turns about an axis alone"},
    {"slider", int(JointKind::slider), "shifts along an axis alone"},
    {"fixed", int(JointKind::fixed), "welded"},
    {"distance", int(JointKind::distance), "a bar, rope or spring from `at` on a to `to` on b"}};

void check_pair(Describe& d, const char* key, const std::vector<double>& v) {
  if (v.empty()) return;
  if (v.size() != 2)
    d.fault(key, "must be two numbers, [least, most]");
  else if (v[0] > v[1])
    d.fault(key, "must be [least, most]; the first is above the second");
}

bool has_axis(const JointSpec& j, int dim) {
  if (j.kind == JointKind::slider) return true;
  return dim == 3 && (j.kind == JointKind::hinge ||
                      (j.kind == JointKind::ball && (j.cone || !j.twist.empty())));
}

void check_kind(Describe& d, const JointSpec& j) {
  const bool free =
      j.kind == JointKind::hinge || j.kind == JointKind::slider || j.kind == JointKind::distance;
  if (d.dim() == 2 && j.kind == JointKind::ball)
    d.fault("kind", "\"ball\" is for 3D scenes; in the plane a pin is a \"hinge\"");
  if (!free && !j.limits.empty())
    d.fault("limits", j.kind == JointKind::ball
                          ? "is not for a \"ball\"; that has \"cone\" and "
                            "\"twist\""
                          : "is not for \"fixed\", which leaves nothing free");
  if (!free && j.motor) d.fault("motor", "is for \"hinge\", \"slider\" and \"distance\"");
  if (j.spring && j.kind == JointKind::fixed)
    d.fault("spring", "is not for \"fixed\"; that is stiff");
  if (j.kind != JointKind::ball && j.cone) d.fault("cone", "is for \"ball\"");
  if (j.kind != JointKind::ball && !j.twist.empty()) d.fault("twist", "is for \"ball\"");
  if (j.motor && j.spring) d.fault("motor", "give \"motor\" or \"spring\", not both");
  if (j.spring && j.spring->rest && j.kind == JointKind::ball)
    d.fault("spring", "of a \"ball\" rests where the joint starts; leave \"rest\" out");
}

void check_places(Describe& d, const JointSpec& j) {
  if (!d.given("at")) d.fault("at", "missing; say where the joint is when the run starts, in m");
  if (has_axis(j, d.dim()) && dot(j.axis, j.axis) == 0)
    d.fault("axis", "missing or zero; give the direction of the joint's axis");
  const Vec3d between = j.to - j.at;
  if (j.kind == JointKind::distance && dot(between, between) == 0)
    d.fault("to", "must be apart from \"at\", as a distance has a direction; give the place on b");
  check_pair(d, "limits", j.limits), check_pair(d, "twist", j.twist);
  if (!j.twist.empty() && j.cone && *j.cone > widest_twisting)
    d.fault("cone", fmt::format("must be at most {} rad where \"twist\" is given, as no turn about "
                                "the axis is known where the two axes are opposite",
                                widest_twisting));
  if (j.twist.size() == 2 && (j.twist[0] < -3.1 || j.twist[1] > 3.1))
    d.fault("twist", "must be within -3.1 and 3.1 rad");
  if (j.kind == JointKind::distance && j.limits.size() == 2 && j.limits[0] < 0)
    d.fault("limits", "of a distance must not be negative");
}

}  // namespace

static void describe(Describe& d, JointMotorSpec& m) {
  d.required("speed", m.speed, "rad/s, m/s", any(),
             "That it drives at, of b against a; 0 brakes: dry friction.");
  d.required("strength", m.strength, "N m, N", above(0), "At most; of a hinge a torque.");
}

static void describe(Describe& d, JointSpringSpec& s) {
  d("stiffness", s.stiffness, "N m/rad, N/m", at_least(0),
    "Of a hinge and a ball against turning.");
  d("damping", s.damping, "N m s/rad, N s/m", at_least(0), "Torque or force to speed.");
  d("rest", s.rest, "rad, m", any(),
    "The angle, shift or distance where it pulls no more. Default: that at the start.");
  if (d.given("stiffness") || d.given("damping")) return;
  if (d.dim() != 0) d.fault("", "give \"stiffness\", \"damping\" or both");
}

void describe(Describe& d, JointSpec& j) {
  d("name", j.name,
    "Letters, digits, _ and -. A joint that has one has series: its angle, shift or length; the "
    "`force` that holds its points together; and its `drive`, what motor, spring and limits do "
    "along the former; both are means over a step.");
  for (const char c : j.name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') {
      d.fault("name", "must consist of letters, digits, _ and -, as it names series");
      break;
    }
  const bool known = d.choice("kind", j.kind, kinds, "What it leaves free:", Need::required);
  d.required("a", j.a,
             "The name of a body of this object. One that has copies gets a joint for each: with "
             "the same copy of b, with the one body b, or, where b has the same name, with the "
             "next copy, as in a chain. \"links[2]\" is the third copy of links, \"links[-1]\" "
             "the last.");
  d("b", j.b,
    "The other body, whose motion against a angles, shifts and speeds are; none: the world, and "
    "they are a's against it.");
  d.vector("at", j.at, "m",
           "Where the joint is at the start: of the first pair, others are shifted with a's copy, "
           "or with b's where a has none.");
  d.vector("to", j.to, "m", "Of a distance: the place on b at the start.");
  d.vector("axis", j.axis, "",
           "At the start: of a hinge in 3D, a slider, and a ball's cone and twist.");
  d("limits", j.limits, "rad, m", any(),
    "[least, most] angle of a hinge or shift of a slider since the start, counted over whole "
    "turns, or distance; none: free, but a distance without limits, motor and spring stays.");
  d("cone", j.cone, "rad", between(0, 3.1),
    "Of a ball: b's axis leaves a's by no more. Default: free, or 2.8 where \"twist\" is given.");
  d("twist", j.twist, "rad", any(), "Of a ball: [least, most] turn about the axis.");
  d.nested("motor", j.motor, "Drives what is free, as fast as its strength lets it.");
  d.nested("spring", j.spring, "Pulls what is free back.");
  d("collide", j.collide, "Whether the two bodies touch each other besides.");
  if (d.dim() == 0) return;
  if (known) check_kind(d, j);
  check_places(d, j);
}

}  // namespace rtsim
