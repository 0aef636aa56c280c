#pragma once
#include <optional>
#include <string>
#include <vector>

#include "exec/exec.h"
#include "mac/lattice.h"
#include "param/describe.h"
#include "stage/stage.h"
#include "world/grid.h"

namespace rtsim {

// A place where the series look at a flow on a grid, or two whose pressures are held against each
// other.
struct ProbePlace {
  Vec3d at;  // [m]
};
struct GridProbe {
  std::string name;
  Vec3d at;  // [m]
  std::optional<ProbePlace> against;
};
void describe(Describe&, ProbePlace&);
void describe(Describe&, GridProbe&);

// What is linear between the values of a lattice takes so much of those around a place.
struct ProbeCorner {
  Index at[3];
  double weight;
};
// `lattice`: mac::centres or the faces across an axis. Throws Error{bad_input} for places outside
// of the grid.
std::vector<ProbeCorner> corners_around(const GridShape&, int lattice, const std::string& probe,
                                        const Vec3d& at);

// Pressure and velocity of a flow on a staggered grid.
class GridProbes {
 public:
  GridProbes(const GridShape&, const std::vector<GridProbe>&);

  // Of cells whose `layer` is 0 (mac::solid_layers; empty: all); as series <grid>.<probe>.pressure
  // and .velocity.
  void measure(const Exec&, const std::string& grid, const mac::Layout&,
               Span<const std::uint8_t> layer, Span<const Real> pressure, const mac::Faces&,
               std::vector<Measurement>&) const;

 private:
  using Corners = std::vector<ProbeCorner>;
  struct Places {
    std::string name;
    Corners here, against;  // among the centres; `against` empty: none
    Corners faces[3];
  };
  double pressure_at(const Exec&, const Corners&, Span<const std::uint8_t> layer,
                     Span<const Real> pressure) const;

  GridShape grid_;
  std::vector<Places> places_;
};

}  // namespace rtsim
