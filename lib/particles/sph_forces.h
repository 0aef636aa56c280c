#pragma once
#include <optional>
#include <vector>

#include "particles/implicit_viscosity.h"
#include "particles/particle_shifting.h"

namespace rtsim {

struct CohesionParams {
  double strength = 1;                      // [m/s^2]
  std::optional<double> area_minimisation;  // [m/s^2]
  double adhesion = 0;                      // [m/s^2]
};
void describe(Describe&, CohesionParams&);

struct CapillaryParams {
  double surface_tension = 0.072;  // sigma [N/m^(D-2)]
};
void describe(Describe&, CapillaryParams&);

struct VorticityParams {
  double strength = 0.1;  // eps [m/s]
};
void describe(Describe&, VorticityParams&);

struct MicropolarParams {
  double transfer_viscosity = 0.1;  // nu_t, kinematic [m^2/s]
  double inverse_inertia = 0.5;     // 1 / Theta [1/m^2]
  double smoothing = 0.1;           // zeta
};
void describe(Describe&, MicropolarParams&);

struct DragParams {
  enum class Law { ball, drop };
  Law law = Law::ball;
  double air_density = 1.2;        // [kg/m^D]
  double drag_coefficient = 0.47;  // of a ball
  Vec3d wind{};                    // [m/s]
  double surface_tension = 0.072;  // [N/m]
  double liquid_viscosity = 1e-3;  // mu [Pa s]
  double air_viscosity = 1.8e-5;   // [Pa s]
};
void describe(Describe&, DragParams&);

// What may act in any particle fluid besides its pressure. Nothing unless given.
struct SphForcesParams {
  std::optional<ImplicitViscosityParams> implicit_viscosity;
  std::optional<CohesionParams> cohesion;
  std::optional<CapillaryParams> capillary;
  std::optional<VorticityParams> vorticity;
  std::optional<MicropolarParams> micropolar;
  std::optional<DragParams> drag;
  std::optional<ShiftingParams> shifting;  // no force: acts on places

  bool any() const {
    return implicit_viscosity || cohesion || capillary || vorticity || micropolar || drag;
  }
};
void describe(Describe&, SphForcesParams&);
// A pressure that accelerates by sum_j m (p_i / rho_i^2 + p_j / rho_j^2) grad W_ij, with the
// medium's kernel, balances this force row by row. Beside others drops want more viscosity.
void describe_capillary(Describe&, SphForcesParams&);
// For solvers whose steps shift particles.
void describe_shifting(Describe&, SphForcesParams&);

// Applies them one after the other, each to the velocities that the last one left, for neighbours,
// densities and walls as they stand: at the start of a step, before the solver's own forces.
template <int D>
class SphForces {
 public:
  using Spin = Vec<D == 2 ? 1 : 3>;

  // Adds the state column angular_velocity where the fluid is micropolar.
  SphForces(World&, const SphFluid<D>&, const SphForcesParams&);

  // Changes the motion rows (u, v, w, rho).
  void apply(World&, SphFluid<D>&, double dt);
  // Changes the column velocity, and the motion rows with it.
  void apply_to_column(World&, SphFluid<D>&, double dt);

  // Of a substep, as far as surfaces limit it [s].
  double stable_dt(const SphFluid<D>&) const;

  void measure(const std::string& fluid, std::vector<Measurement>&) const;
  // Adds what surfaces hold, and what the air and confined swirls may give.
  void add_to(Feed&, World&, const SphFluid<D>&) const;

 private:
  void cohere(const Exec&, SphFluid<D>&, double dt);
  void tighten(const Exec&, SphFluid<D>&, double dt);
  void confine(const Exec&, SphFluid<D>&, double dt);
  void spin(World&, SphFluid<D>&, double dt);
  void drag(const Exec&, SphFluid<D>&, double dt);
  void drag_of_drops(const Exec&, SphFluid<D>&, double dt);
  Span<Row4> scratch(const Exec&, SphFluid<D>&);

  SphForcesParams p_;
  std::optional<ImplicitViscosity<D>> viscosity_;
  Buffer<Row4> scratch_, smoothed_, surface_;
  sph_forces::Drops drops_;
};

}  // namespace rtsim
