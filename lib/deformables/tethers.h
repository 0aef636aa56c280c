#pragma once
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "lanes/row4.h"
#include "meshes/add_mesh.h"

namespace rtsim {

// What holds each point back: from first[i] to first[i + 1] a held point, and how far from it point
// i may be.
struct TetherList {
  std::vector<Index> first;
  std::vector<Index> held;
  std::vector<double> length;  // [m], over the mesh at rest
};

struct TetherMesh {
  std::vector<CellMesh::Edge> edges;
  std::vector<CellMesh::Triangle> triangles;
};

// Tethers of each free point to the nearest held point of each of the `most` nearest groups of held
// points; those that edges join are one group.
TetherList tethers_of(const std::vector<Vec3d>& rest, const TetherMesh&,
                      const std::vector<bool>& held, int most);

// Tethers to the points that are held at present: other stages take hold and let go.
class TetherSet {
 public:
  TetherSet(World&, const std::string& mesh, int most, const std::vector<Vec3d>& rest);

  void find(World&);  // at the beginning of a step
  void project(World&, Span<Row4> place) const;

 private:
  std::string mesh_;
  int most_;
  TetherMesh cells_;
  std::vector<Vec3d> rest_;         // places
  std::vector<Real> inverse_mass_;  // when they were found
  Index slots_ = 0;                 // of each point
  Buffer<Index> rows_;
  Buffer<Real> length_;
};

}  // namespace rtsim
