#include "couplers/couple_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "bodies/fluid_push.h"
#include "meshes/adjacency.h"
#include "meshes/loads_of_held.h"
#include "skin/shares.h"

namespace rtsim {

namespace {

// Samples of a sheet are a spacing apart at the start; a lattice keeps fluid from gaps of up to
// sqrt 2 spacings (kernels/sph/keep_inside.h).
const double widest = std::sqrt(2.0);

// What the fluid gave to the points of a mesh, forces F_i times its step, is a change of their
// velocities at the start of the mesh's own step, or in each substep of it
// (deformables/steady_pushes.h). What held points get goes to who holds them.
class CoupleMesh final : public Stage {
 public:
  CoupleMesh(const CoupleParams& p, World& world)
      : p_(p),
        push_(found(p, world)),
        strong_(p.coupling == Coupling::strong && push_.offers_strong(world)) {
    if (strong_) push_.accept_strong(world);
    if (world.has_table(sample_table(p.solid.name, p.fluid.name)) &&
        !world.has_table(tet_table(p.solid.name)))
      triangles_ = corners_of<3>(world, triangle_table(p.solid.name));
    rest_length_ = lengths(world);
  }

  void advance(World& world, const Step& step) override {
    Table& points = world.table(p_.solid.name);
    std::vector<Vec<3>> before;
    if (push_.steady(world)) before = points.download<Vec<3>>("velocity");
    skin::kick(world.exec, Real(step.dt),
               world.table(force_table(p_.solid.name, p_.fluid.name)).column<const Vec3d>("force"),
               points.column<const Real>("inverse_mass"), points.column<Vec<3>>("velocity"),
               loads_of_held(world, p_.solid.name));
    if (strong_) push_.expect(world, expected(points, world, step.dt));
    // Its solver gives it from there, throughout the step.
    if (!before.empty())
      world.exec.upload(points.column<Vec<3>>("velocity").data, before.data(),
                        before.size() * sizeof before[0]);
    if (step.framed) stretch_ = std::max(stretch_, greatest_stretch(world));
  }

  std::string warning(World&) const override {
    if (!(stretch_ > widest)) return {};
    return fmt::format(
        "'{}' is stretched to {:.3g} times its length, and its samples with it: '{}' may seep "
        "through; make it stiffer, or take a larger spacing for the fluid",
        p_.solid.name, stretch_, p_.fluid.name);
  }

  // As that of bodies the push is passed on once.
  std::vector<ColumnUse> uses() const override {
    return {{force_table(p_.solid.name, p_.fluid.name), "force", Access::write},
            {p_.solid.name, "velocity", Access::add}};
  }

 private:
  static FluidPush<3> found(const CoupleParams& p, World& world) {
    if (const auto push = FluidPush<3>::find(world, p.solid.name, p.fluid.name)) return *push;
    throw Error(ExitCode::bad_input,
                fmt::format("nothing says how '{}' pushes the mesh '{}'; put the stage of a "
                            "fluid that meshes are coupled to in front of this one, and name '{}' "
                            "in its \"boundary\"",
                            p.fluid.name, p.solid.name, p.solid.name));
  }

  // What gravity alone makes of the points until the end of the step.
  static FluidPush<3>::Motion expected(Table& points, const World& world, double dt) {
    FluidPush<3>::Motion m{points.download<Vec<3>>("velocity"), {}};
    const auto w = points.download<Real>("inverse_mass");
    const Vec<3> fall = Real(dt) * world.gravity_vector<3>();
    for (std::size_t i = 0; i < w.size(); ++i)
      if (w[i] > 0) m.velocity[i] = m.velocity[i] + fall;
    return m;
  }

  // Of the triangles' edges: what lies between two samples grows with them, whichever way.
  std::vector<double> lengths(World& world) const {
    std::vector<double> all;
    if (triangles_.empty()) return all;
    const auto x = world.table(p_.solid.name).download<Vec<3>>("position");
    const auto at = [&](CellMesh::Corner c) { return widen(x[std::size_t(c)]); };
    for (const auto& t : triangles_)
      for (std::size_t k = 0; k < 3; ++k) all.push_back(norm(at(t[(k + 1) % 3]) - at(t[k])));
    return all;
  }
  double greatest_stretch(World& world) const {
    double most = 0;
    const std::vector<double> now = lengths(world);
    for (std::size_t e = 0; e < now.size(); ++e)
      if (rest_length_[e] > 0) most = std::max(most, now[e] / rest_length_[e]);
    return most;
  }

  CoupleParams p_;
  FluidPush<3> push_;
  bool strong_;
  std::vector<CellMesh::Triangle> triangles_;  // of a mesh of samples that has no tets
  std::vector<double> rest_length_;            // of their edges [m]
  double stretch_ = 0;                         // so far, of frames
};

}  // namespace

std::unique_ptr<Stage> make_couple_mesh(const CoupleParams& p, World& world) {
  return std::make_unique<CoupleMesh>(p, world);
}

}  // namespace rtsim
