#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "param/describe.h"
#include "stage/stage.h"

namespace rtsim {

// Edges of a mesh that break where they are stretched too far. The column `torn` of its edges is
// state; that of its triangles says which have lost an edge: those are no cloth any more, so that
// they feel neither wind nor contact and no frame shows them. Points stay as they are.
class Tearing {
 public:
  // While stages are made: edges are as long as at rest. Breaks beyond |x1 - x0| = (1 + limit) L.
  Tearing(World&, const std::string& mesh, double limit);

  // At the end of a step: whether any edge broke.
  bool tear(World&);
  // Which triangles have lost an edge.
  void refresh(World&);

  void measure(World&, std::vector<Measurement>&) const;

 private:
  std::string mesh_;
  Real limit_;
  std::vector<std::array<std::size_t, 3>> sides_;  // the edges of each triangle
  Buffer<Real> length_, strain_;
  Buffer<Index> first_, slots_;
};

void describe_tear_strain(Describe&, std::optional<double>&);

// How many edges of meshes are torn; none of one that does not tear.
Index torn_edges(World&, const std::vector<std::string>& meshes);

}  // namespace rtsim
