#pragma once
#include "attach/reactions.h"
#include "exec/buffer.h"
#include "world/world.h"

namespace rtsim {

// What holds points of a mesh pushes them by impulses, as their solver finds: its column `reaction`
// [N s] of a step, which "attach" adds up, and `load` [N s], of what others pushed held points with
// since the solver's last step. A mesh has both where a stage in front of the solver holds points.
class Reactions {
 public:
  // While stages are made.
  Reactions(World&, const std::string& mesh);
  bool wanted() const { return !mesh_.empty(); }

  // Of a step, or where it is taken anew.
  void begin();
  // `scale` times `push` is what pushed held points in a substep, with all that acts for a time on
  // them besides [N s].
  void add(const attach::HeldPoints&, Span<const Row4> push, double scale = 1,
           const attach::Loads& = {});
  // The work of what was added last, of points with velocities [J].
  double work() const { return work_; }
  // The same where a substep has several solves, of which the last counts.
  void keep(Span<const Row4> push, double scale);
  void add_kept(const attach::HeldPoints&, const attach::Loads&);
  void end(World&);

 private:
  Exec ex_;
  std::string mesh_;
  Buffer<Row4> kept_;
  double scale_ = 1, work_ = 0;
  Buffer<Vec<3>> sum_;
};

}  // namespace rtsim
