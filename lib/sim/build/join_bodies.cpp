#include "sim/build/join_bodies.h"

#include <fmt/format.h>

#include "bodies/joints/make_joints.h"
#include "bodies/make_bodies.h"

namespace rtsim {

namespace {

// Bodies that could not be made are missed by joints for no other reason.
void add_joints(const BodiesSpec& spec, const std::string& pointer, MadeBodies& made,
                Problems& problems) {
  if (made.set.shapes.size() < spec.list.size()) return;
  for (std::size_t i = 0; i < spec.joints.size(); ++i)
    for (const JointProblem& wrong : make_joints(spec.joints[i], made))
      problems.add(fmt::format("{}/joints/{}/{}", pointer, i, wrong.key), wrong.message);
}

}  // namespace

void join_bodies(World& world, const Placed& p, std::uint64_t nth, Problems& problems,
                 std::vector<std::string>& notes) {
  MadeBodies made;
  const BodiesSpec& spec = *p.spec->as<BodiesSpec>();
  for (std::size_t i = 0; i < spec.list.size(); ++i)
    problems.guard(fmt::format("{}/bodies/{}", p.pointer, i), [&] {
      made.notes.clear();
      make_bodies(spec.list[i], spec.density, world.dim, world.seed, (nth << 32) + i, made);
      for (const std::string& note : made.notes)
        notes.push_back(fmt::format("{}/bodies/{} {}", p.pointer, i, note));
    });
  add_joints(spec, p.pointer, made, problems);
  for (Object& o : world.objects)
    if (o.name == p.spec->name) o.bodies = std::make_shared<const BodySet>(made.set);
  add_bodies(world, p.spec->name, made.set, made.bodies);
}

}  // namespace rtsim
