#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "shapes/sample.h"
#include "skin/shares.h"
#include "world/world.h"

namespace rtsim {

// Samples of a mesh as fluids see it, where it starts: of tets and of closed triangles half a
// spacing inside of their surface, `layers` deep, as those of bodies are; of open sheets on them,
// with fluid on both sides; of lines along them.
std::vector<SurfaceSample> samples_of_mesh(World&, const std::string& mesh, double spacing,
                                           int layers);
// Its surface where it starts; none of a mesh without triangles.
std::unique_ptr<Shape> surface_of_mesh(World&, const std::string& mesh);

// Adds the table sample_table(mesh, fluid). A sample keeps its place in the cell that it lies in,
// so it follows the cell's points: columns `corners` and `weights` of four of these, and `offset`
// along the normal of the triangle that the first three make [m]. Positions and velocities are
// state, as those of bodies' samples.
void add_mesh_samples(World&, const std::string& mesh, const std::string& fluid,
                      const std::vector<SurfaceSample>&);

// The samples and the points that carry them.
class MeshSamples {
 public:
  MeshSamples(World&, const std::string& mesh, const std::string& fluid);

  // Puts them where the mesh is.
  void place(World&) const;
  skin::Shares shares() const { return {bindings_.span(), first_.span(), slots_.span()}; }

 private:
  std::string mesh_, table_;
  Buffer<skin::Binding> bindings_;
  Buffer<Index> first_, slots_;
};

}  // namespace rtsim
