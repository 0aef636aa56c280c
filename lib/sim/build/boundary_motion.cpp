#include "sim/build/boundary_motion.h"

#include "boundary/place_samples.h"
#include "stage/kernel_pose.h"

namespace rtsim {

namespace {

template <int D>
void place(World& world, const std::string& samples, const Pose& pose) {
  Table& t = world.table(samples);
  boundary::place_samples<D>(world.exec, to_kernel(pose), t.column<const Vec<D>>("local"),
                             t.column<Vec<D>>("position"), t.column<Vec<D>>("velocity"));
}

void write_pose(World& world, const std::string& table, const Pose& p) {
  const Vec3d rows[pose_rows] = {p.row[0],   p.row[1],           p.row[2], p.translation,
                                 p.velocity, p.angular_velocity, p.centre};
  world.exec.upload(world.table(table).column<Vec3d>("pose").data, rows, sizeof rows);
}

class BoundaryMotion final : public Stage {
 public:
  explicit BoundaryMotion(std::vector<MovingBoundary> moving) : moving_(std::move(moving)) {}

  void advance(World& world, const Step& step) override { refresh(world, step.end()); }

  void refresh(World& world, double time) override {
    for (const MovingBoundary& m : moving_) {
      const Pose pose = pose_at(m.motion, time);
      for (const std::string& samples : m.samples)
        world.dim == 2 ? place<2>(world, samples, pose) : place<3>(world, samples, pose);
      if (const std::string poses = pose_table(m.boundary); world.has_table(poses))
        write_pose(world, poses, pose);
    }
  }

 private:
  std::vector<MovingBoundary> moving_;
};

}  // namespace

std::unique_ptr<Stage> make_boundary_motion(std::vector<MovingBoundary> moving) {
  return std::make_unique<BoundaryMotion>(std::move(moving));
}

}  // namespace rtsim
