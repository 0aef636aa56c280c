#pragma once
#include <vector>

#include "deformables/contacts/contact.h"
#include "solvers/modal/modal_motion.h"

namespace rtsim {

// Where points of the mesh are, and how they follow the modes: all in double, for few points.
class ModalPoints {
 public:
  // `turns` may be empty: no warping.
  ModalPoints(const RestMesh&, const Eigen::Vector3d& centre, const Eigen::MatrixXd& phi,
              const Eigen::MatrixXd& turns);

  Eigen::Vector3d place(const ModalState&, Index point) const;  // [m]
  // How a point's velocity follows the modes' rates, in the world's axes.
  Eigen::MatrixXd jacobian(const ModalState&, Index point) const;

 private:
  std::vector<Eigen::Vector3d> rest_;  // from the centre
  Eigen::MatrixXd phi_, turns_;
};

// A point that meets a boundary in a step, and the force on it [N], constant within the step.
struct ModalContact {
  Index point;
  Eigen::Vector3d normal, surface_velocity;
  double gap;  // [m], to the thickness
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
};

// Contact of a step with points of modes and frame (after Hauser, Shen & O'Brien, "Interactive
// Deformation Using Modal Analysis with Constraints", Graphics Interface 2003, with forces of a
// step in place of impulses). Unknown are forces F that are constant in the step; on the way D of
// the point in it, less that of the surface,
//   n . D + gap >= 0,  n . F >= 0,  their product 0,  |F_t| <= mu n . F, against D_t.
// Where surfaces stand, F . D <= 0: contact gives no energy. Then points that touch take the
// velocity of the surface: the least change of momenta that does so, which only takes energy.
class ModalContacts {
 public:
  ModalContacts(double friction, double recovery, double accuracy);

  // Advances `s` by dt under `forces` and those of the contacts, which it finds.
  ModalState solve(ModalMotion&, const ModalPoints&, const ModalState&, const ModalForces&,
                   double dt, std::vector<ModalContact>&);
  bool converged() const { return converged_; }

 private:
  void take_surface_velocities(ModalMotion&, const ModalPoints&, ModalState&,
                               const std::vector<ModalContact>&) const;

  double friction_, recovery_, accuracy_;  // mu, [m/s], [m]
  bool converged_ = true;
};

}  // namespace rtsim
