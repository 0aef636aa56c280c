#pragma once
#include <string>
#include <vector>

#include "flip/sheets.h"
#include "grids/flow_meshes.h"

namespace rtsim {

// The sheets among the walls of a liquid, which its particles do not pass: each stays on the side
// that it is on, whatever moves it or them. Does nothing where there are none.
class SheetsInLiquid {
 public:
  SheetsInLiquid(World&, const MeshWalls&, const flip::Place<3>&);

  bool empty() const { return sheets_.empty(); }
  // Triangles that are whole, with points where the step before left them.
  void begin(World&, const MeshWalls&);
  // Sheets go on to where the points of all meshes are now [m], and particles from `from` [cells]
  // to where the table has them; null: they stand still.
  std::vector<flip::SheetHit> go(const std::vector<Vec3d>& position, const Real* const (&from)[3],
                                 const flip::State<3>& particles);
  // After begin() and go(): throws Diverged where sheets did not go where the liquid expected them.
  void check(const std::vector<flip::SheetHit>&, const std::string& fluid, Index particles) const;
  // What a hit means to the points of all meshes.
  FlowMeshes::Hit hit_of(const flip::SheetHit&) const;

 private:
  Vec3d cells(const Vec3d& x) const;
  void find_cells();

  Exec ex_;
  flip::Place<3> place_;
  std::vector<MeshWalls::Mesh> sheets_;
  std::vector<Vec3d> begin_, end_;  // of the points of all sheets [cells]
  std::vector<contact::Corners3> triangles_;
  std::vector<Index> point_;  // of each point of a sheet, its number among those of all meshes
  std::vector<Index> first_, in_cell_;
  Buffer<Vec3d> begin_there_, end_there_;
  Buffer<contact::Corners3> triangles_there_;
  Buffer<Index> first_there_, in_cell_there_;
};

}  // namespace rtsim
