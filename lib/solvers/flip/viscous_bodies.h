#pragma once
#include <vector>

#include "bodies/six_unknowns.h"
#include "exec/buffer.h"
#include "flip/viscous_bodies.h"
#include "grids/body_motions.h"

namespace rtsim {

// What solids feel of a viscous flow; and bodies that yield to it, as unknowns of its equations
// (kernels/flip/viscous_bodies.h). There are few, so that what is theirs of conjugate gradients is
// done by the host.
class ViscousBodies {
 public:
  explicit ViscousBodies(const Exec&);

  // The solids of a flow whose rows are listed and assembled. `mass`: rho h^D. Sets flow.moved.
  void find(flip::ViscousFlow&, const mac::SolidNodes&, const BodyMotions&, const Solids&,
            const poisson::BodyTerms&, double mass, Span<const Real> diagonal,
            Span<const flip::EntrySlot>);

  // Of conjugate gradients, each beside that of the faces.
  flip::CgSums find_residual(const flip::ViscousFlow&, Span<const Real> u,
                             Span<const Real> pressure, const flip::Solution&);
  void spread(const flip::ViscousFlow&, const flip::Solution&);  // p to their faces, before A p
  double multiply(const flip::ViscousFlow&, const flip::Solution&);
  flip::CgSums advance(double alpha);
  void update_direction(double beta);
  // Cells beside them as they go by now.
  void go(const flip::ViscousFlow&, const flip::Solution&);

  // After a residual was found: what each solid felt [kg m/s], [kg m^2/s] about its centre.
  std::vector<poisson::Screw> felt(const flip::ViscousFlow&, Span<const Real> u,
                                   Span<const Real> pressure, const flip::Solution&);

 private:
  struct Body {
    std::size_t solid;
    Matrix6 mass = Matrix6::Zero(), inverse = Matrix6::Zero();  // of M, and of its own block
    Vector6 change = Vector6::Zero(), r = Vector6::Zero(), p = Vector6::Zero(), q = Vector6::Zero();
  };
  void sort_entries(std::size_t solids, const poisson::BodyTerms&,
                    const std::vector<Index>& solid_of_body);
  void find_bodies(const flip::ViscousFlow&, const BodyMotions&, double mass, Span<const Real>,
                   Span<const flip::EntrySlot>);
  void spread(const flip::ViscousFlow&, const flip::Solution&, Vector6 Body::*);
  std::vector<poisson::Screw> sums(const flip::ViscousFlow&, const Real* value, double sign);
  flip::CgSums rates() const;

  Exec ex_;
  bool yield_ = false;
  double mass_ = 0;
  std::vector<Body> bodies_;
  flip::SolidRows rows_;
  Buffer<flip::SolidFace> faces_;
  Buffer<Index> entries_, first_, solid_of_body_;
  Buffer<poisson::Screw> motion_, sums_;
  Buffer<flip::Block> blocks_;
  Buffer<Real> moved_;
};

}  // namespace rtsim
