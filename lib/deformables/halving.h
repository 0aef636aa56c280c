#pragma once
#include <functional>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "stage/stage.h"

namespace rtsim {

// What a mesh and the bodies that it touches have together [J].
struct EnergySum {
  double kinetic = 0, elastic = 0, potential = 0;
  double all() const { return kinetic + elastic + potential; }
};

// Takes a step again with half the substep where that was too long for a solve that is linearised
// once; the next step begins with what did. The state table `<stage>.state` keeps how many halvings
// that were.
class Halving {
 public:
  // Energy of a scheme that damps never grows; that of one that keeps it swings a little.
  enum class Energy { falls, swings };
  // While stages are made.
  Halving(World&, const std::string& stage, Energy = Energy::falls);

  // What a step of so many substeps came to. It may end early where it is too much.
  enum class Came { to_too_much, to_enough, to_little };
  using Take = std::function<Came(int substeps, bool last)>;
  // With the columns of points as they are at the beginning; `take` changes them. Of the last try,
  // too much will do.
  void advance(World&, int substeps, const std::vector<Span<Vec<3>>>& points, const Take&);

  // Energy that a substep gave nobody knows whence, of the whole step: whether it is more than a
  // thousandth of what was there, and than what contact does not see. A substep that moves what
  // touches far makes it, for a sheet that is flat does not resist it until it is stretched. Where
  // energy swings it is what there is more than when it was lowest, and may be a hundredth.
  // Besides, places round: an elastic energy E by 2 sqrt(R E) + R, that of their rounding being R.
  void begin(double unseen, double rounding = 0) {
    made_ = risen_, unseen_ = unseen, rounding_ = rounding, made_energy_ = false;
  }
  void look(const EnergySum& before, const EnergySum& after, double fed);
  bool made_energy() const { return made_energy_; }
  static std::string warning(const std::string& mesh, int substeps);

 private:
  static constexpr std::int32_t most = 6;
  std::string state_;
  Energy energy_;
  std::vector<Buffer<Vec<3>>> start_;                        // points, when the step begins
  double made_ = 0, unseen_ = 0, rounding_ = 0, risen_ = 0;  // [J], risen_ at the step's start
  bool made_energy_ = false;
};

}  // namespace rtsim
