#pragma once
#include <Eigen/Geometry>
#include <vector>

#include "modal/oscillator.h"
#include "solvers/modal/mode_shapes.h"

namespace rtsim {

// What changes of a mesh that moves by its modes. A mesh that is held has its base where the frame
// is, which turns by nothing; one that is free flies with it.
struct ModalState {
  Eigen::VectorXd q, p;             // [m sqrt(kg)], [m sqrt(kg) / s]
  Eigen::Vector3d place, momentum;  // [m], [kg m/s]; of a base M times its velocity
  Eigen::Quaterniond orientation;
  Eigen::Vector3d angular_momentum;  // about the place [kg m^2/s]
};

// Constant within a step.
struct ModalForces {
  Eigen::VectorXd modes;          // of each, over its mass of 1
  Eigen::Vector3d force, torque;  // [N], [N m] about the place; of a free mesh
};

// A floating frame (Shabana, "Dynamics of Multibody Systems", ch. 5), with the modes of the free
// mesh, which have neither momentum nor, at rest, angular momentum. With the angular momentum L,
// Pi = R^T L, the inertia J(q) of the bent mesh and B(q) = sum_i q_i sum_k m_k phi_ik x phi_jk
//   q' = p - B^T W,  W = (J - B B^T)^-1 (Pi - B p),
//   H = P^2 / 2M + |p|^2 / 2 + sum w^2 q^2 / 2 + W . (J - B B^T) W / 2.
// A step is half a step of the first three, which is exact, a whole one of the last by the implicit
// midpoint rule, and half of the first again (Strang): symmetric, of second order; P and L change
// by forces alone, whatever the step. Its energy swings by the square of the step times the spin,
// but where a mode comes round by about a whole number of half turns in a step: there spin makes it
// grow, step by step. Such steps are taken in parts.
class ModalMotion {
 public:
  ModalMotion(const RestMesh&, const ModeShapes&, std::vector<double> damping_ratio);

  Index modes() const { return Index(omega_.size()); }
  double mass() const { return mass_; }                      // [kg] of all points
  const Eigen::Vector3d& centre() const { return centre_; }  // of mass, at rest [m]
  bool free() const { return free_; }
  const Eigen::VectorXd& omega() const { return omega_; }

  ModalState at_rest() const;
  ModalForces no_forces() const;
  // Sums of m phi: what pulls modes where all points are accelerated alike.
  const Eigen::MatrixXd& weights() const { return weights_; }  // 3 x modes

  void advance(ModalState&, const ModalForces&, double dt);
  // Of a free mesh in so many equal parts; then also returns what forces fed to inner_energy [J].
  void take_parts(int parts);
  double advance_and_feed(ModalState&, const ModalForces&, double dt);

  Eigen::Vector3d spin(const ModalState&) const;   // W, in the frame's axes [rad/s]
  Eigen::VectorXd rates(const ModalState&) const;  // q'
  Eigen::Vector3d velocity(const ModalState& s) const { return s.momentum / mass_; }
  double kinetic_energy(const ModalState&) const;  // [J]
  double elastic_energy(const ModalState&) const;
  double inner_energy(const ModalState&) const;  // of all but the flight of a free mesh

  // By impulses, or whatever changes momenta at once.
  ModalState kicked(ModalState, const ModalForces& impulses) const;

  // Of impulses at the end of a step: what they add to rates where modes resist along within it,
  // and where the state comes to with such changes of momenta.
  Eigen::VectorXd end_rates(const Eigen::VectorXd& impulses, double dt) const;
  ModalState moved(const ModalState&, const ModalForces& changes, double dt) const;

  // What a force of 1 that is constant in a step adds to the way of each mode in it [s^2].
  Eigen::VectorXd ways(double dt);
  // Of the frame, in the world's axes; zero where it is held.
  Eigen::Matrix3d inverse_inertia(const ModalState&) const;

 private:
  void swing(ModalState&, const ModalForces&, double h,
             const std::vector<modal::Propagator>&) const;
  void turn(ModalState&, double h) const;
  void prepare(double dt);
  void advance_part(ModalState&, const ModalForces&, double h) const;
  double spin_energy(const ModalState&) const;
  double inner_work(const ModalForces&, const ModalState& from, const ModalState& to,
                    double h) const;
  Eigen::Matrix3d inertia(const Eigen::VectorXd& q) const;
  Eigen::MatrixXd coupling(const Eigen::VectorXd& q) const;  // B, 3 x modes
  Eigen::Vector3d spin_of(const Eigen::Vector3d& pi, const Eigen::VectorXd& q,
                          const Eigen::VectorXd& p) const;
  Eigen::Matrix3d inverse(const Eigen::Matrix3d&) const;

  bool free_, flat_;
  Eigen::VectorXd omega_;
  std::vector<double> damping_ratio_;
  double mass_ = 0;
  Eigen::Vector3d centre_;
  Eigen::MatrixXd weights_;
  // Sums of m X X^T, of m X phi_j^T, and of m phi_i phi_j^T: [axis][axis] of modes.
  Eigen::Matrix3d rest_sum_;
  std::vector<Eigen::Matrix3d> first_sum_;
  Eigen::MatrixXd second_sum_[3][3], gyration_[3];
  int parts_ = 1;
  double prepared_ = 0;  // [s]
  std::vector<modal::Propagator> whole_, half_;
};

}  // namespace rtsim
