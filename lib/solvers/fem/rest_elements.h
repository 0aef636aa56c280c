#pragma once
#include <string>
#include <vector>

#include "fem/element.h"
#include "meshes/cell_mesh.h"
#include "world/world.h"

namespace rtsim {

// Four nodes or ten in the order of kernels; of triangles those that are not there are corner 0
// again.
using ElementNodes = std::vector<CellMesh::Corner>;
inline bool is_flat(const ElementNodes& e) { return e[3] == e[0]; }
inline bool has_node(const ElementNodes& e, std::size_t k) { return k == 0 || e[k] != e[0]; }
inline std::size_t corner_count(const ElementNodes& e) { return is_flat(e) ? 3 : 4; }

// Of second order where the mesh has such, else of its tetrahedra or triangles.
std::vector<ElementNodes> elements_of(World&, const std::string& mesh);

// The elements of a mesh where its points are now, in double.
struct RestElements {
  std::vector<ElementNodes> nodes;
  std::vector<fem::ElementRest<double>> rest;
  bool flat = false;  // triangles, as plane strain
};
// Throws Error{bad_input} where there are neither tetrahedra nor triangles in a plane of one z, and
// for elements that are flat or inside out.
RestElements rest_elements(World&, const std::string& mesh);

// Throws Error{bad_input} where elements are linear, and so nearly incompressible that they show
// nothing but how stiff that makes them against bending.
void refuse_locked(const RestElements&, double poissons_ratio);

// Calls add(n, m, K_nm) for all pairs of nodes n < m of an element, with its stiffness against
// small strains [N/m]. That of a node with itself is minus the sum of those with the others.
template <class Add>
void for_stiffness(const ElementNodes& e, const fem::ElementRest<double>& rest,
                   const fem::Lame<double>& lame, const Add& add) {
  const auto of = [&]<class Nodes>(Nodes) {
    fem::ElementHere<double> here{};
    here.rest = rest, here.lame = lame, here.flat = is_flat(e), here.through = is_flat(e) ? 1 : 0;
    Mat3<double> pairs[Nodes::pairs];
    fem::element_tangents<fem::Linear, Nodes>(here, 1., true, pairs);
    std::size_t p = 0;
    for (std::size_t n = 0; n < e.size(); ++n)
      for (std::size_t m = n + 1; m < e.size(); ++m, ++p)
        if (has_node(e, n) && has_node(e, m)) add(n, m, pairs[p]);
  };
  if (e.size() == 4)
    of(fem::FourNodes{});
  else
    of(fem::TenNodes{});
}

}  // namespace rtsim
