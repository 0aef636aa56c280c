#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sph/wall_shape.h"
#include "world/world.h"

namespace rtsim {

// The surfaces of a fluid's closed boundaries of samples, which no row passes, however far apart
// the samples lie: see kernels/sph/wall_shape.h. Bodies, open meshes and what deforms are kept by
// their samples alone.
template <int D>
class WallShapes {
 public:
  WallShapes(World&, const std::vector<std::string>& boundaries, double spacing);
  ~WallShapes();

  // Whether they are all boundaries of samples that there are.
  bool all() const { return all_; }

  // The fluid is where it was `ahead` seconds before the walls' own time.
  void place(World&, double ahead);
  void keep_out(const Exec&, double dt, const sph::NearWalls&, Span<const Row4> rows,
                Span<Row4> motion) const;
  void keep_shifts_out(const Exec&, double dt, const sph::NearWalls&, Span<const Row4> rows,
                       Span<const Vec<D>> velocity, Span<Row4> shift) const;

  // Rows inside any of them, at the walls' own time.
  Index count_inside(World&, Span<const Vec<D>> position) const;

 private:
  struct Placed;
  sph::WallShape shape(const Placed&, const boundary::Pose&, double ahead) const;

  double thickness_;  // [m]
  double ahead_ = 0;  // [s]
  bool all_ = true;
  std::vector<std::unique_ptr<Placed>> shapes_;
};

}  // namespace rtsim
