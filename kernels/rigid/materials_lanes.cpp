#include "rigid/materials_lanes.h"

#include "exec/parallel.h"

namespace rtsim::rigid {

namespace {

using Eight = Lanes<Real>;
constexpr Index blocks_per_chunk = 4;

}  // namespace

template <int D>
void solve_own_contacts_lanes(const Exec& ex, const ContactLaw& law,
                              Span<const LaneMaterials<D>> own, Span<ContactBlock<D>> blocks,
                              Index begin, Index end, bool both, Span<Row4> movers) {
  struct Context {
    ContactLaw law;
    const LaneMaterials<D>* own;
    ContactBlock<D>* blocks;
    bool both;
    Row4* movers;
  } const context{law, own.data + begin, blocks.data + begin, both, movers.data};
  const Launch launch(ex, "rigid.solve", end - begin);
  ex.for_chunks(
      end - begin, blocks_per_chunk,
      [](const void* p, Index from, Index to) {
        const Context c = *static_cast<const Context*>(p);
        for (Index k = from; k < to; ++k)
          solve_contact<D, Eight>(OwnContactLaw<D, Eight>(c.law, c.own[k], 0), c.blocks[k], 0,
                                  c.both, c.movers);
      },
      &context);
}

#define RTSIM_INSTANTIATE(D)                                                                     \
  template void solve_own_contacts_lanes<D>(const Exec&, const ContactLaw&,                      \
                                            Span<const LaneMaterials<D>>, Span<ContactBlock<D>>, \
                                            Index, Index, bool, Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
