#pragma once
#include "advection/trace.h"
#include "smoke/smoke.h"

// A flow whose velocity is in the middles of cells, as Stam, "Stable Fluids", SIGGRAPH 1999, has
// it.
namespace rtsim::smoke {

// Components of the velocity with a margin, to value (0, 0, 0).
struct CentreVelocity {
  const Real* u[3] = {nullptr, nullptr, nullptr};
};

// out = the field where the flow was, by the midpoint of the way back; `flow` says how far.
void trace_back(const Exec&, const mac::Domain&, const advection::Flow& flow, const CentreVelocity&,
                const Real* field, Span<Real> out);

// u += dt a, of fields with margins.
void add_centre_buoyancy(const Exec&, const mac::Domain&, const Buoyancy&, Real dt,
                         const Real* density, const Real* temperature, const mac::Velocity&);

// Faces have the mean of the cells beside them, so that mac::divergence of them is
//   div u = sum over axes a of (u_a(+1) - u_a(-1)) / (2 h).
void face_means(const Exec&, const mac::Domain&, const CentreVelocity&, const mac::Velocity& faces);
// u += the mean of what the two faces of a cell have: with -(dt / rho) grad p there, its central
// difference.
void add_face_means(const Exec&, const mac::Domain&, const mac::Velocity& faces,
                    const mac::Velocity&);

// The curl by central differences [1/s], with its magnitude; 2D: the last part alone. To fields
// with a margin, as smoke::confinement_force takes them.
void find_centre_vorticity(const Exec&, const mac::Domain&, const CentreVelocity&, const Swirl&);
// u_axis += dt a
void add_centre_confinement(const Exec&, const mac::Domain&, Real dt, const Swirl&,
                            const mac::Velocity&);

// Rows of vectors from rows of components.
template <int D>
void join(const Exec&, const mac::Velocity&, Span<Vec<D>> out);
// Rows of a field with a margin.
void take_rows(const Exec&, const mac::Domain&, const Real* field, Span<Real> out);

// Sums over the cells, as mac::FlowSums has them.
struct CentreSums {
  double speed2 = 0;
  double velocity[3] = {0, 0, 0};
  double angular_momentum[3] = {0, 0, 0};
};
CentreSums centre_sums(const Exec&, const mac::Domain&, const mac::Velocity&);

}  // namespace rtsim::smoke
