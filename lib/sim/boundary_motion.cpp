#include "sim/boundary_motion.h"

#include "boundary/boundary.h"

namespace rtsim {

namespace {

boundary::Pose to_kernel(const Pose& p) {
  boundary::Pose k;
  for (int r = 0; r < 3; ++r) k.rotation[r] = narrow<3>(p.row[r]);
  k.translation = narrow<3>(p.translation);
  k.velocity = narrow<3>(p.velocity);
  k.angular_velocity = narrow<3>(p.angular_velocity);
  k.centre = narrow<3>(p.centre);
  return k;
}

template <int D>
void place(World& world, const MovingSamples& s, double time) {
  Table& t = world.table(s.table);
  boundary::place_samples<D>(world.exec, to_kernel(pose_at(s.motion, time)),
                             t.column<const Vec<D>>("local"), t.column<Vec<D>>("position"),
                             t.column<Vec<D>>("velocity"));
}

void write_pose(World& world, const std::string& table, const Pose& p) {
  const Vec3d rows[pose_rows] = {p.row[0],   p.row[1],           p.row[2], p.translation,
                                 p.velocity, p.angular_velocity, p.centre};
  world.exec.upload(world.table(table).column<Vec3d>("pose").data, rows, sizeof rows);
}

class BoundaryMotion final : public Stage {
 public:
  explicit BoundaryMotion(std::vector<MovingSamples> samples) : samples_(std::move(samples)) {}

  void advance(World& world, const Step& step) override { refresh(world, step.end()); }

  void refresh(World& world, double time) override {
    for (const MovingSamples& s : samples_) {
      if (world.dim == 2)
        place<2>(world, s, time);
      else
        place<3>(world, s, time);
      if (const std::string poses = pose_table(s.boundary); world.has_table(poses))
        write_pose(world, poses, pose_at(s.motion, time));
    }
  }

 private:
  std::vector<MovingSamples> samples_;
};

}  // namespace

std::unique_ptr<Stage> make_boundary_motion(std::vector<MovingSamples> samples) {
  return std::make_unique<BoundaryMotion>(std::move(samples));
}

}  // namespace rtsim
