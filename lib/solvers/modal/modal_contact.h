#pragma once
#include <vector>

#include "bodies/six_unknowns.h"
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

// A rigid body that points of the mesh push.
struct ModalCarrier {
  Eigen::Vector3d centre;  // of mass, as the step begins [m]
  Matrix6 mobility;        // what impulses and moments change of its velocities
};

// A point that meets a boundary or a body in a step: the force on it [N], constant within the step,
// and the impulse of the step [N s].
struct ModalContact {
  Index point;
  Eigen::Vector3d normal, surface_velocity;  // the latter as if the mesh did not push back
  double gap;                                // [m], to the thickness
  Index carrier = -1;                        // of a body that may be pushed, its number
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), impulse = Eigen::Vector3d::Zero();
};

// Contact of a step with points of modes and frame (after Hauser, Shen & O'Brien, "Interactive
// Deformation Using Modal Analysis with Constraints", Graphics Interface 2003, with forces of a
// step in place of impulses). Unknown are forces F that are constant in the step; on the way D of
// the point in it, less that of the surface,
//   n . D + gap >= 0,  n . F >= 0,  their product 0,  |F_t| <= mu n . F, against D_t.
// Where surfaces stand, F . D <= 0: contact gives no energy. A body of the velocity V and the
// inertia M goes through the step with V' = V - dt F / M, as in contact_bodies.h: the mesh gets
// F . V' dt, and the body gives F . (V + V')/2 dt, which is more. Then points that touch take the
// velocity of the surface: the least change of momenta that does so, which only takes energy.
class ModalContacts {
 public:
  ModalContacts(double friction, double recovery, double accuracy);

  // Advances `s` by dt under `forces` and those of the contacts, which it finds.
  ModalState solve(ModalMotion&, const ModalPoints&, const ModalState&, const ModalForces&,
                   double dt, const std::vector<ModalCarrier>&, std::vector<ModalContact>&);
  bool converged() const { return converged_; }

 private:
  void take_surface_velocities(ModalMotion&, const ModalPoints&, ModalState&, double dt,
                               const std::vector<ModalCarrier>&, std::vector<ModalContact>&) const;

  double friction_, recovery_, accuracy_;  // mu, [m/s], [m]
  bool converged_ = true;
};

}  // namespace rtsim
