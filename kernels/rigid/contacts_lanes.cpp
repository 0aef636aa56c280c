#include "rigid/contacts_lanes.h"

#include "exec/parallel.h"

namespace rtsim::rigid {

namespace {

using Eight = Lanes<Real>;
constexpr Index blocks_per_chunk = 4;

}  // namespace

template <int D>
void warm_start_lanes(const Exec& ex, Span<ContactBlock<D>> blocks, Index begin, Index end,
                      bool both, Span<Row4> movers) {
  struct Context {
    const ContactBlock<D>* blocks;
    bool both;
    Row4* movers;
  } const context{blocks.data + begin, both, movers.data};
  const Launch launch(ex, "rigid.warm_start", end - begin);
  ex.for_chunks(
      end - begin, blocks_per_chunk,
      [](const void* p, Index from, Index to) {
        const Context c = *static_cast<const Context*>(p);
        for (Index k = from; k < to; ++k) warm_start<D, Eight>(c.blocks[k], 0, c.both, c.movers);
      },
      &context);
}

template <int D>
void solve_contacts_lanes(const Exec& ex, const ContactLaw& law, Span<ContactBlock<D>> blocks,
                          Index begin, Index end, bool both, Span<Row4> movers) {
  struct Context {
    ContactLaw law;
    ContactBlock<D>* blocks;
    bool both;
    Row4* movers;
  } const context{law, blocks.data + begin, both, movers.data};
  const Launch launch(ex, "rigid.solve", end - begin);
  ex.for_chunks(
      end - begin, blocks_per_chunk,
      [](const void* p, Index from, Index to) {
        const Context c = *static_cast<const Context*>(p);
        for (Index k = from; k < to; ++k)
          solve_contact<D, Eight>(c.law, c.blocks[k], 0, c.both, c.movers);
      },
      &context);
}

#define RTSIM_INSTANTIATE(D)                                                                   \
  template void warm_start_lanes<D>(const Exec&, Span<ContactBlock<D>>, Index, Index, bool,    \
                                    Span<Row4>);                                               \
  template void solve_contacts_lanes<D>(const Exec&, const ContactLaw&, Span<ContactBlock<D>>, \
                                        Index, Index, bool, Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
