#pragma once
#include <string>
#include <vector>

#include "grids/mesh_walls.h"
#include "grids/poisson.h"
#include "grids/solids.h"
#include "mac/mac.h"
#include "mac/wall_force.h"

namespace rtsim {

// Where a flow on a staggered grid can go: the ends of its domain and the boundaries inside it, as
// the open share of every face and the velocity of what closes it. All can be rebuilt from the
// scene and the poses of boundaries that move, but for the friction of the last step, which only
// the series has. Where no meshes are among them, faces and cells follow the boundaries when they
// are asked for: a step that sees bodies go on and come to rest elsewhere finds them once.
class GridWalls {
 public:
  // `cut_cells` false: faces are open or closed, as the cells beside them lie inside or outside.
  // `by_volume`: bodies close faces so (mac::SolidNodes).
  GridWalls(World&, const std::string& grid, const std::vector<std::string>& boundary,
            const GridShape&, const mac::Domain&, bool cut_cells, bool by_volume = false);

  bool solids() const { return !solids_.empty() || !meshes_.empty(); }
  bool moving() const { return solids_.moving() || !meshes_.empty(); }

  // After the boundaries moved, as Solids::update() has it. Whether anything changed; throws
  // Error{bad_input} where no cell is left open.
  bool update(World&, double before_end, double ahead);
  // As the last step left them: before the first step, and after a checkpoint is read.
  bool recall(World&);
  // See Solids.
  void predict(std::vector<SolidMotion> motions) { solids_.predict(std::move(motions)); }
  void set_motion(World&, const std::vector<SolidMotion>&);
  // Of the points of meshes: where they are to be seen from the next update on, and as they move
  // now, with faces that stay.
  void place_meshes(World&, const std::vector<Vec3d>& position, const std::vector<Vec3d>& velocity);
  void move_meshes(World&, const std::vector<Vec3d>& velocity);

  mac::Walls faces() {
    find_faces();
    return found();
  }
  PoissonDomain pressure_domain() const;
  // Of the nearest boundary, at the nodes of the cells [m], < 0 inside; empty: no solids.
  Span<const Real> distance() const { return solids() ? solids_.distance() : Span<const Real>{}; }
  // 0 in cells with an open face, else how far from the next one (mac/mac.h).
  Span<const std::uint8_t> layer() const {
    find_faces();
    return layer_.span();
  }
  // How much of each cell is fluid (mac/mac.h); empty where there are no solids.
  Span<const Real> share() const;
  // The boundaries in the grid at the start that hold none of its nodes: it does not see them.
  const std::vector<std::string>& unresolved() const { return unresolved_; }
  const std::string& mended() const { return solids_.mended(); }
  // With the velocity that viscosity leaves: what the pressure makes of it afterwards slips along
  // walls. `viscosity`: dynamic [Pa s].
  void find_friction(double viscosity, const mac::Velocity&);
  // As another law has it, of each solid.
  void set_friction(std::vector<mac::Wrench> f) { friction_ = std::move(f); }
  bool knows_friction() const { return !friction_.empty(); }
  const std::vector<mac::Wrench>& friction() const { return friction_; }  // on each solid
  // What the fluid does to each boundary, in the order of solids, with the friction found last;
  // nothing to bodies.
  std::vector<mac::Wrench> wrenches(Span<const Real> pressure);
  // What a liquid below `distance`, of a weight per volume, does to the sides of the grid.
  mac::Force on_sides(Span<const Real> distance, const Vec3d& weight, Span<const Real> pressure);
  // Whether walls of one cell stand in the grid at the start.
  bool thin() const { return thin_; }

  const Solids& all() const { return solids_; }
  const MeshWalls& meshes() const { return meshes_; }
  mac::SolidNodes nodes() const;

 private:
  bool rebuild(World&);
  mac::Walls found() const {
    return {{open_[0].span(), open_[1].span(), open_[2].span()},
            {velocity_[0].span(), velocity_[1].span(), velocity_[2].span()},
            {clearance_[0].span(), clearance_[1].span(), clearance_[2].span()}};
  }
  void find_faces() const;
  void find_cells() const;
  void look_at_start();

  Exec ex_;
  GridShape shape_;
  mac::Domain domain_;
  bool cut_cells_, by_volume_, ready_ = false, thin_ = false;
  MeshWalls meshes_;
  Solids solids_;
  // Of where boundaries stand, but for what is marked.
  mutable std::vector<Buffer<Real>> open_, velocity_, clearance_;  // by axis
  mutable Buffer<std::uint8_t> layer_, scratch_;
  mutable Buffer<Real> share_;
  mutable bool faces_to_find_ = false, shares_to_find_ = false;
  std::vector<mac::Wrench> friction_;
  std::vector<std::string> unresolved_;
};

}  // namespace rtsim
