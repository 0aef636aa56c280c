#pragma once
#include <Eigen/Core>
#include <string>
#include <vector>

#include "solvers/fem/rest_elements.h"
#include "world/world.h"

namespace rtsim {

// A mesh at rest, in double: its elements, the masses of its points, and who of them is held.
struct RestMesh {
  std::string name;
  std::vector<Vec3d> place;  // [m]
  std::vector<double> mass;  // [kg]
  std::vector<bool> held;
  RestElements elements;

  int axes() const { return elements.flat ? 2 : 3; }  // triangles move in x and y
  bool free() const;                                  // no point is held
  Index free_points() const;
};

// Throws Error{bad_input} where there are no elements, where they are flat or inside out, where the
// mesh is in several pieces, and where held points let it turn.
RestMesh rest_mesh(World&, const std::string& mesh);

// How many modes to find.
struct ModeCount {
  int most;      // r
  double up_to;  // [rad/s]; those above are left out
};

// (K - w^2 M) phi = 0, of small strains, with phi^T M phi = 1: the lowest modes, in order, without
// the rigid ones of a mesh that is free. phi has three rows for each point, zero where points are
// held; its largest component is positive.
struct ModeShapes {
  std::vector<double> omega;  // w [rad/s]
  Eigen::MatrixXd phi;        // [1/sqrt(kg)]
};
ModeShapes mode_shapes(const RestMesh&, const fem::Lame<double>&, const ModeCount&);

// Half the curl of a mode at the points, the mean of the elements around by volume (Choi & Ko 2005,
// eq. 8): three rows for each point as phi has.
Eigen::MatrixXd shape_turns(const RestMesh&, const Eigen::MatrixXd& phi);

}  // namespace rtsim
