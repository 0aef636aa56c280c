#pragma once
#include <string>
#include <vector>

#include "particles/sph_fluid.h"
#include "rigid/contacts/response.h"

namespace rtsim {

// The bodies that stand in a fluid as its solver predicts them within a step: pushed by the
// pressure found so far, by gravity, and by what else acted on them in both of the last two steps,
// such as the ground. Where the stage `couple` accepted that (bodies/fluid_push.h).
template <int D>
class BodyResponse {
 public:
  BodyResponse(World&, const std::string& fluid, const std::vector<std::string>& boundaries);

  // What acts in a step is to be given to bodies at once by as much as one substep has of it.
  void offer(World&, int substeps) const;

  // At the start of a step of `dt`: bodies as their tables have them, in samples that are about to
  // be packed as `stale` rows, or were as carried here before.
  void begin(World&, double dt, bool stale);

  // Wall rows move as bodies will within the next h.
  void aim(World&, SphFluid<D>&, double h);
  // The forces on the bodies' samples, which `find` writes as pressure.h does, act on them for h.
  template <class Find>
  void push(World& world, SphFluid<D>& fluid, double h, const Find& find) {
    for (Set& s : sets_) {
      find(places(fluid, s), s.push.span());
      apply_impulses(world, fluid, h, s);
    }
  }
  // The bound of the bodies' mobility for all wall particles, from the pull of fluid particles on
  // samples, which `find` writes; empty without bodies.
  template <class Find>
  Span<const Real> mobility_bound(World& world, SphFluid<D>& fluid, const Find& find) {
    find_sets(world);
    if (sets_.empty()) return {};
    mobility_bound_.resize(std::size_t(fluid.walls().cells.rows.size)), mobility_bound_.zero();
    for (Set& s : sets_) {
      find(places(fluid, s), s.push.span());
      set_mobility_bound(world, fluid, s);
    }
    return mobility_bound_.span();
  }
  // To where they will be after h, `ahead` seconds before the step's end.
  void move(World&, SphFluid<D>&, double h, double ahead);

 private:
  struct Set {
    std::string bodies;
    Index first, samples;  // among those of all tables, one behind the other
    Buffer<Index> starts, blocks, body_blocks;
    Buffer<Vec<D>> position, velocity, other;
    Buffer<rigid::Angular<D>> angular, other_angular;
    Buffer<Row4> push;
    Buffer<rigid::Twist<D, double>> sums;
    Buffer<rigid::Twist<D, Real>> gained;
  };

  void find_sets(World&);
  Table& samples(World& w, const Set& s) const { return w.table(sample_table(s.bodies, fluid_)); }
  void load(World&, double dt, Set&);
  rigid::Bodies<D> predicted(World&, Set&) const;
  rigid::BodyMobility<D> mobility(World&, const SphFluid<D>&, Set&) const;
  Span<const Index> places(const SphFluid<D>& f, const Set& s) const {
    return {f.wall_places().data + s.first, s.samples};
  }
  void apply_impulses(World&, SphFluid<D>&, double h, Set&);
  void set_mobility_bound(World&, SphFluid<D>&, Set&);

  std::string fluid_;
  std::vector<std::string> boundaries_;
  bool looked_ = false;
  double lead_ = 0;  // [s]
  std::vector<Set> sets_;
  Buffer<Real> mobility_bound_;
};

}  // namespace rtsim
