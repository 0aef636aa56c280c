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
  BoundaryMotion(World& world, std::vector<MovingBoundary> moving, double dt) : dt_(dt) {
    for (MovingBoundary& m : moving)
      if (m.deformation)
        deforming_.emplace_back(world, m.boundary, m.motion, m.deformation, m.samples);
      else
        rigid_.push_back(std::move(m));
  }

  void advance(World& world, const Step& step) override { put(world, step.end(), step.dt); }
  // A run that goes on finds what the step before left, velocities of the way in it included.
  void refresh(World& world, double time) override { put(world, time, time > 0 ? dt_ : 0); }

 private:
  void put(World& world, double time, double dt) {
    for (const MovingBoundary& m : rigid_) move(world, m, time);
    for (DeformingBoundary& d : deforming_) d.put(world, time, dt);
  }

  static void move(World& world, const MovingBoundary& m, double time) {
    const Pose pose = pose_at(m.motion, time);
    for (const SampledFor& s : m.samples)
      world.dim == 2 ? place<2>(world, s.table, pose) : place<3>(world, s.table, pose);
    if (const std::string poses = pose_table(m.boundary); world.has_table(poses))
      write_pose(world, poses, pose);
  }

  std::vector<MovingBoundary> rigid_;
  std::deque<DeformingBoundary> deforming_;
  double dt_;  // [s]
};

}  // namespace

std::unique_ptr<Stage> make_boundary_motion(World& world, std::vector<MovingBoundary> moving,
                                            double dt) {
  return std::make_unique<BoundaryMotion>(world, std::move(moving), dt);
}

}  // namespace rtsim
