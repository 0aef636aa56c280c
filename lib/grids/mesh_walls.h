#pragma once
#include <span>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "mac/surface_faces.h"
#include "meshes/cell_mesh.h"
#include "world/world.h"

namespace rtsim {

class Solids;

// The part `share` of a face of the grid that moves with a mesh, along the face's axis with
//   u = sum_i weight_i u_i over the points i that it lies on.
struct MeshFace {
  struct Point {
    Index point;
    double weight;
  };
  Index axis, row;  // of the faces
  Index low, high;  // the cells below and above; -1: none, or none with an open face
  Index mesh;
  bool of_sheet;
  double share;
  // Of a sheet: where it crosses the way from the middle of the low cell to that of the high one,
  // 0 to 1, and whether its normal points up the axis.
  double way;
  bool up;
  std::vector<Point> points;
};

// The deforming meshes among the walls of a flow on a staggered grid: sheets, which close the faces
// between two cells whose middles they part (Robinson-Mosher, Shinar, Gretarsson, Su & Fedkiw,
// "Two-way Coupling of Fluids to Rigid and Deformable Solids and Shells", SIGGRAPH 2008), and
// solids, tets or closed triangles, which close faces as far as their inside reaches
// (grids/solids.h). Sides of the domain are left out. A face moves with the mean of the points of
// the mesh that lines through it meet, which lie closer together than those points, so that each
// bears its part. Points of all meshes are numbered through. A table `<mesh>.seen@<grid>` keeps
// where they were seen last, which is not where they went afterwards.
class MeshWalls {
 public:
  struct Mesh {
    std::string name;
    bool solid;
    Index first, count;  // its points
    int lines;           // that cross a face, a side of it
    Index points_end() const { return first + count; }
  };

  MeshWalls(World&, const std::string& grid, const std::vector<std::string>& objects,
            double spacing);

  bool empty() const { return meshes_.empty(); }
  const std::vector<Mesh>& meshes() const { return meshes_; }
  static bool is_solid(World&, const std::string& mesh);
  std::string seen_table(const std::string& mesh) const { return mesh + ".seen@" + grid_; }

  // Where points are to be seen [m], with velocities [m/s].
  void place(World&, const std::vector<Vec3d>& position, const std::vector<Vec3d>& velocity);
  void set_velocity(World&, const std::vector<Vec3d>& velocity);
  // As they were last.
  void recall(World&);

  // After solids had closed what they do of faces: sheets close what is left open.
  void close(World&, const mac::Domain&, const Solids&, const mac::SolidNodes&, const mac::Walls&);
  // After it is known which cells have an open face (mac::solid_layers).
  void find_open_cells(const Exec&, Span<const std::uint8_t> layer);
  // The velocity of faces that meshes close, with these of the points.
  void move(const Exec&, const mac::Domain&, const mac::Walls&,
            const std::vector<Vec3d>& velocity) const;

  // In the order of axes and rows.
  const std::vector<MeshFace>& faces() const { return faces_; }
  const std::vector<Vec3d>& velocity() const { return velocity_; }  // as placed
  // Cells, in rising order, whose middle a sheet went over between the last two close().
  Span<const Index> passed() const { return passed_.span(); }

 private:
  // The side of a sheet that the middle of a cell beside it is on.
  struct Side {
    Index mesh, cell;
    double distance;  // [cells]
    bool above;
  };
  void see(World&, const char* column, const std::vector<Vec3d>&) const;
  void add_sheet(World&, const mac::Domain&, const mac::SolidNodes&, Index mesh);
  void add_crossings(const mac::Domain&, Index mesh, std::span<const mac::SheetCrossing>);
  void add_solid(const Exec&, const mac::Domain&, const Solids&, const mac::SolidNodes&,
                 const mac::Walls&, Index mesh);
  void keep_sides();
  void share_among(const Exec&, const mac::Walls&);
  std::vector<mac::FaceValue> values(const std::vector<Vec3d>& velocity) const;

  std::string grid_;
  std::vector<Mesh> meshes_;
  std::vector<Vec3d> velocity_;
  std::vector<MeshFace> faces_;
  std::vector<double> rest_flow_;   // of each face, what other walls move through it [m/s]
  std::vector<double> rest_share_;  // and their part of it
  std::vector<Side> sides_;
  Buffer<Index> passed_;
};

}  // namespace rtsim
