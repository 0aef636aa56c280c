#pragma once
#include "exec/buffer.h"
#include "solvers/fem/fem.h"
#include "world/world.h"

namespace rtsim {

// Pressure on faces of a mesh, and what it is at a time.
class FemPressures {
 public:
  // Throws Error{bad_input} for a load that has no faces.
  FemPressures(const FemParams&, World&);

  bool any() const { return !loads_.empty(); }
  // On points [N], where they are, at a time; none where there is no pressure.
  Span<const Vec<3>> find(const Exec&, const fem::Points&, double time);
  Span<const Vec<3>> force() const { return force_.span(); }
  // Since then [J].
  double work(const Exec&, const fem::Points&) const;

 private:
  struct Load {
    double pressure;
    std::vector<std::pair<double, double>> history;
    std::size_t faces;  // how many, one load's behind the other's
  };
  std::vector<Load> loads_;
  std::vector<Real> on_faces_;
  Buffer<VecT<std::int32_t, 3>> corners_;
  Buffer<Index> first_, slots_;
  Buffer<Real> pressure_;
  Buffer<Vec<3>> force_, before_;
};

// The plastic strain of a mesh, in the table `<mesh>.plastic`: a row for each point of quadrature
// of each element, with the state column `strain`.
class FemPlastic {
 public:
  FemPlastic(const PlasticParams&, World&, const std::string& mesh, std::size_t points);

  Span<fem::Strain> strain(World&) const;
  // The strain of now, for steps that are taken again.
  void keep(World&);
  void bring_back(World&) const;
  // At the end of a substep.
  void flow(World&, fem::Elements, const fem::Places&, double h);
  double greatest() const { return greatest_; }

 private:
  PlasticParams p_;
  std::string table_;
  double greatest_ = 0;
  Buffer<fem::Strain> kept_;
};

}  // namespace rtsim
