#include "exec/parallel.h"
#include "rigid/contacts/contacts.h"
#include "rigid/material.h"

namespace rtsim::rigid {

namespace {

using Eight = Lanes<Real>;

template <int D>
struct WarmStart {
  const ContactBlock<D>* blocks;
  bool both;
  Row4* solver_bodies;
  [[gnu::flatten]] void operator()(Index k) const {
    warm_start<D, Eight>(blocks[k], 0, both, solver_bodies);
  }
};

template <int D>
struct Solve {
  ContactLaw law;
  ContactBlock<D>* blocks;
  bool both;
  Row4* solver_bodies;
  void operator()(Index k) const {
    ContactBlock<D>& b = blocks[k];
    if (!law.again) return law.relaxes ? act<true, false>(b) : act<false, false>(b);
    if (law.beyond < b.most_load) law.relaxes ? act<true, true>(b) : act<false, true>(b);
  }
  // A function for each: the relaxing pass has no bias and no softness to compute.
  template <bool relaxes, bool again>
  [[gnu::flatten]] void act(ContactBlock<D>& b) const {
    ContactLaw own = law;
    own.relaxes = relaxes, own.again = again;
    solve_contact<D, Eight>(own, b, 0, both, solver_bodies);
  }
};

template <int D>
struct SolveOwn {
  ContactLaw law;
  const LaneMaterials<D>* own;
  ContactBlock<D>* blocks;
  bool both;
  Row4* solver_bodies;
  [[gnu::flatten]] void operator()(Index k) const {
    if (law.again && !(law.beyond < blocks[k].most_load)) return;
    solve_contact<D, Eight>(OwnContactLaw<D, Eight>(law, own[k], 0), blocks[k], 0, both,
                            solver_bodies);
  }
};

// Each block is a lot of work.
template <class Kernel>
void for_blocks(const Exec& ex, const char* label, Index blocks, const Kernel& kernel) {
  if (blocks <= 0) return;
  constexpr Index blocks_per_chunk = 4;
  const Launch launch(ex, label, blocks);
  ex.for_chunks(
      blocks, blocks_per_chunk,
      [](const void* p, Index from, Index to) {
        const Kernel own = *static_cast<const Kernel*>(p);
        for (Index k = from; k < to; ++k) own(k);
      },
      &kernel);
}

}  // namespace

template <int D>
void warm_start_lanes(const Exec& ex, Span<ContactBlock<D>> blocks, Index begin, Index end,
                      bool both, Span<Row4> solver_bodies) {
  for_blocks(ex, "rigid.warm_start", end - begin,
             WarmStart<D>{blocks.data + begin, both, solver_bodies.data});
}

template <int D>
void solve_contacts_lanes(const Exec& ex, const ContactLaw& law, Span<const LaneMaterials<D>> own,
                          Span<ContactBlock<D>> blocks, Index begin, Index end, bool both,
                          Span<Row4> solver_bodies) {
  ContactBlock<D>* const first = blocks.data + begin;
  if (own.size > 0)
    for_blocks(ex, "rigid.solve", end - begin,
               SolveOwn<D>{law, own.data + begin, first, both, solver_bodies.data});
  else
    for_blocks(ex, "rigid.solve", end - begin, Solve<D>{law, first, both, solver_bodies.data});
}

#define RTSIM_INSTANTIATE(D)                                                                 \
  template void warm_start_lanes<D>(const Exec&, Span<ContactBlock<D>>, Index, Index, bool,  \
                                    Span<Row4>);                                             \
  template void solve_contacts_lanes<D>(const Exec&, const ContactLaw&,                      \
                                        Span<const LaneMaterials<D>>, Span<ContactBlock<D>>, \
                                        Index, Index, bool, Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
