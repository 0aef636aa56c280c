#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "boundaries/deforming_surface.h"
#include "grid/solids.h"
#include "grids/mesh_walls.h"
#include "shapes/rotation.h"
#include "world/world.h"

namespace rtsim {

grid::GridView grid_view(const GridShape&);

// Of a boundary. Throws Error{bad_input} for one without an inside.
const Shape& solid_shape(const Object& boundary);
// The same of an open mesh, whose holes are closed (shapes/mended_solid.h); `what` says how.
std::unique_ptr<Shape> mended_shape(const Object& boundary, std::string& what);
// Cells of a lattice's spacing evenly around the surface of a solid in its own frame, a band wide.
// Throws Error{bad_input} for one that is infinite.
GridShape grid_around(const Shape& solid, const std::string& name, const GridShape& lattice,
                      double band);

// What a body does within a step: how fast it is, [m/s] at its centre and [rad/s], and how far it
// has gone since the step's start [m], [rad].
struct SolidMotion {
  Vec3d velocity, angular;
  Vec3d way, turn = {};
};

// The solids that a grid meets, boundaries and bodies, as the signed distance of the nearest one at
// the centres of the cells of `lattice` (cells, faces or nodes of the grid). Shapes are read once,
// while stages are made; those that move are kept as maps in their own frames, and read anew by
// update().
class Solids {
 public:
  // A boundary, one of the bodies of an object, or a deforming mesh that has an inside.
  struct Member {
    std::string name;   // as series have it
    bool named = true;  // by the scene
    std::string object;
    Index body = -1;  // its row; -1: a boundary or a mesh
    bool mesh = false;
  };

  // `band` [m]: distances are exact up to there. The holes of open meshes are closed. Throws
  // Error{bad_input} for boundaries without an inside. Of bodies a table named `seen` keeps where
  // they were seen last, which is not where they went afterwards. `fineness`: of their maps, in
  // cells a cell of the lattice. Solid meshes stand where `meshes` has them; sheets are none.
  Solids(World&, const std::vector<std::string>& objects, const GridShape& lattice, double band,
         const std::string& seen, int fineness = 1, const MeshWalls* meshes = nullptr);

  bool empty() const { return members_.empty(); }
  bool moving() const { return !placed_.empty() || !deforming_.empty(); }

  // After the boundaries moved: distances and poses so many seconds before the end of the step, by
  // the velocities there. Bodies have yet to move: they are so many seconds further than predict()
  // had them, or than they are.
  void update(World&, double before_end, double ahead);
  // As the last step left them: before the first step, and after a checkpoint is read.
  void recall(World&);
  // Of all members, for the updates to come; boundaries' are not read. Empty: bodies' own.
  void predict(std::vector<SolidMotion> motions) { predicted_ = std::move(motions); }
  // Bodies where they are with other velocities. Distances stay.
  void set_motion(World&, const std::vector<SolidMotion>&);

  Span<const Real> distance() const { return distance_.span(); }              // [m], < 0 inside
  Span<const grid::SolidId> nearest() const { return nearest_.span(); }       // into poses()
  Span<const boundary::Pose> poses() const { return poses_.span(); }          // of all members
  Span<const grid::SolidMap> body_maps() const { return body_maps_.span(); }  // empty: boundaries
  // [m/s] of the nearest one's surface, on top of its pose; empty where none deforms.
  Span<const Vec<3>> deforming() const { return surface_velocity_.span(); }
  const std::vector<Member>& members() const { return members_; }
  Vec3d centre(std::size_t member) const { return widen(host_poses_[member].centre); }  // [m]
  SolidMotion motion(std::size_t member) const {  // as the flow has it
    const boundary::Pose& p = host_poses_[member];
    return {widen(p.velocity), widen(p.angular_velocity), {}, {}};
  }
  // The part of a body that lies in a box, and where its middle is [m].
  struct Part {
    double share;
    Vec3d middle;
  };
  Part part_in(std::size_t member, const GridShape& box) const;
  // The member that a mesh is, and its surface.
  std::pair<std::size_t, const DeformingSurface*> surface_of(const std::string& mesh) const;
  // What was done to meshes with holes, or nothing.
  const std::string& mended() const { return mended_; }

 private:
  struct Map {
    GridShape grid;
    Buffer<Real> distance;
    Rotation turn;              // from the body's frame to the map's, and
    Vec3d centre;               // where the body's origin is there
    std::vector<Vec3d> inside;  // places in it, spread evenly, in the map's frame [m]
  };
  struct Placed {
    std::size_t member, map;
  };
  struct Deforming {
    std::size_t member;
    DeformingSurface surface;
  };

  void add_mesh(World&, const std::string& mesh, const std::string& table);
  void add_boundary(World&, const Object&, double band, std::vector<Real>& distance,
                    std::vector<grid::SolidId>& nearest);
  template <int D>
  void add_bodies(World&, const Object&, double band, int fineness);
  void make_body_maps();
  void find_poses(World&, double before_end, double ahead);
  void keep_poses(World&);
  void find_distances();
  void place_solids();
  void find_surfaces(World&, double before_end);
  void take_nearer(const Deforming&);

  Exec ex_;
  std::vector<Member> members_;
  std::string mended_, seen_;
  GridShape lattice_;
  std::vector<Map> maps_;       // of shapes that move
  std::vector<Placed> placed_;  // members that have one
  std::vector<Deforming> deforming_;
  Buffer<Vec<3>> surface_velocity_;
  Buffer<std::int8_t> winding_;
  double band_;
  bool bodies_ = false;
  std::vector<SolidMotion> predicted_;
  std::vector<boundary::Pose> host_poses_;
  Buffer<Real> still_, distance_;
  Buffer<grid::SolidId> still_nearest_, nearest_;
  Buffer<boundary::Pose> poses_;
  Buffer<grid::SolidMap> body_maps_;
  Buffer<grid::PlacedSolid> solids_;  // where they stand, and those of blocks of the lattice
  Buffer<Index> in_blocks_;           // grid::Blocks, first and then of
};

}  // namespace rtsim
