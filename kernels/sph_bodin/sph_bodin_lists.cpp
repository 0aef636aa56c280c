#include "exec/parallel.h"
#include "sph_bodin/assemble.h"

namespace rtsim::sph_bodin {

namespace {

struct InLists {
  const neighbours::NeighbourLists& lists;

  template <class Visit>
  void fluid(Index i, const Row4&, const Visit& visit) const {
    const neighbours::ListPlace at = lists.places()[i];
    const neighbours::ListSlots slots = lists.slots(i);
    for (Index k = 0; k < at.fluid; ++k) visit(slots.fluid(at.first + k));
  }
  template <class Visit>
  void walls(Index i, const Row4&, const Visit& visit) const {
    const neighbours::ListPlace at = lists.places()[i];
    const neighbours::ListSlots slots = lists.slots(i);
    const Index first = at.first + neighbours::padded(at.fluid);
    for (Index k = 0; k < at.boundary; ++k) visit(slots.boundary(first + k));
  }
};

struct CountInLists {
  const neighbours::NeighbourLists& lists;
  Span<Index> counts;
  void operator()(Index i) const {
    const neighbours::ListPlace at = lists.places()[i];
    counts[i] = at.fluid + at.boundary;
  }
};

}  // namespace

void count_in_lists(const Exec& ex, const neighbours::NeighbourLists& lists, Span<Index> counts) {
  parallel_for(ex, "sph_bodin.count", counts.size, CountInLists{lists, counts});
}

void assemble_by_lists(const Exec& ex, const Constraint& law, const Neighbourhood& near,
                       Span<const Real> density, Span<const Index> first, const System& out) {
  parallel_for(
      ex, "sph_bodin.assemble", density.size,
      AssembleRow<InLists>{{near.lists}, law, near.fluid, near.walls, density, first, out});
}

}  // namespace rtsim::sph_bodin
