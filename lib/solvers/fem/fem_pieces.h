#pragma once
#include "exec/buffer.h"
#include "fem/turning.h"
#include "solvers/fem/rest_elements.h"

namespace rtsim {

// The pieces of a mesh, and how they turn.
class FemPieces {
 public:
  FemPieces(const Exec&, std::size_t points, const std::vector<ElementNodes>&);

  // In a step of length h, after velocities v.
  Span<const fem::Turn> turns(const Exec&, const mass_spring::Points&, Span<const Vec<3>> v, Real h,
                              fem::Turning);
  Span<const Index> piece() const { return piece_.span(); }  // of points

 private:
  fem::Pieces view() const { return {order_.span(), runs_.span(), first_run_.span(), piece()}; }

  Buffer<Index> order_, first_run_, piece_;
  Buffer<fem::Pieces::Run> runs_;
  Buffer<fem::PieceSums> of_runs_;
  Buffer<fem::Turn> turns_;
};

}  // namespace rtsim
