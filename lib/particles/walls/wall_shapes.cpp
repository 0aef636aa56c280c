#include "particles/walls/wall_shapes.h"

#include "boundaries/contact_solid.h"
#include "shapes/shape.h"
#include "stage/boundary_pose.h"

namespace rtsim {

// Boundaries that stand still are one solid, those that move one each.
template <int D>
struct WallShapes<D>::Placed {
  std::string moving;  // or none
  ContactSolid solid;
  boundary::Pose pose{};
};

// Rows at rest stay half a spacing off; those that are pressed harder may come as near as a
// twentieth, and leave no more than that of a concave edge empty.
template <int D>
WallShapes<D>::WallShapes(World& world, const std::vector<std::string>& boundaries, double spacing)
    : thickness_(0.05 * spacing) {
  std::vector<std::string> still;
  for (const std::string& b : boundaries) {
    const Object& o = world.object(b);
    if (o.kind != Kind::boundary || !o.shape || !o.shape->closed() || o.deformation) {
      all_ = false;
    } else if (o.moving) {
      request_pose(world, b);
      shapes_.push_back(std::make_unique<Placed>(Placed{b, ContactSolid(world, std::vector{b})}));
    } else {
      still.push_back(b);
    }
  }
  // Last, so that nothing that moves pushes rows into what does not.
  if (!still.empty())
    shapes_.push_back(std::make_unique<Placed>(Placed{"", ContactSolid(world, still)}));
}

template <int D>
WallShapes<D>::~WallShapes() = default;

template <int D>
void WallShapes<D>::place(World& world, double ahead) {
  ahead_ = ahead;
  for (auto& s : shapes_)
    if (!s->moving.empty()) s->pose = pose_of(world, s->moving);
}

template <int D>
void WallShapes<D>::keep_out(const Exec& ex, double dt, const sph::NearWalls& near,
                             Span<const Row4> rows, Span<Row4> motion) const {
  for (const auto& s : shapes_)
    sph::keep_out_of_shape<D>(ex, Real(dt), shape(*s, s->pose, ahead_), near, rows, motion);
}

template <int D>
void WallShapes<D>::keep_shifts_out(const Exec& ex, double dt, const sph::NearWalls& near,
                                    Span<const Row4> rows, Span<const Vec<D>> velocity,
                                    Span<Row4> shift) const {
  for (const auto& s : shapes_)
    sph::keep_shifts_out_of_shape<D>(ex, Real(dt), shape(*s, s->pose, ahead_ + dt), near, rows,
                                     velocity, shift);
}

template <int D>
Index WallShapes<D>::count_inside(World& world, Span<const Vec<D>> position) const {
  Index sum = 0;
  for (const auto& s : shapes_) {
    const boundary::Pose now = s->moving.empty() ? boundary::Pose{} : pose_of(world, s->moving);
    sum += sph::count_inside<D>(world.exec, shape(*s, now, 0), position);
  }
  return sum;
}

template <int D>
sph::WallShape WallShapes<D>::shape(const Placed& s, const boundary::Pose& pose,
                                    double ahead) const {
  return {s.solid.view(), pose, Real(ahead), Real(thickness_)};
}

template class WallShapes<2>;
template class WallShapes<3>;

}  // namespace rtsim
