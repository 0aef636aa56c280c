#include "rigid/contacts/held_contacts.h"

#include "exec/parallel.h"
#include "rigid/contacts/contact_law.h"

namespace rtsim::rigid {

namespace {

template <int D>
struct AnswerMore {
  ContactLaw law;
  Real little;
  Span<const LaneMaterials<D>> own;
  Span<ContactBlock<D>> blocks;
  Span<Real> left;
  Index begin;
  bool both;
  Row4* solver_bodies;

  template <bool stops, class Law>
  RTSIM_HD Real solve(const Law& by, ContactBlock<D>& b, Index l) const {
    const Real left = unanswered<stops>(by, b, l, solver_bodies);
    if (left > little) solve_contact<D, Real, stops>(by, b, l, both, solver_bodies);
    return left;
  }
  template <class Law>
  RTSIM_HD Real answer(const Law& by, ContactBlock<D>& b, Index l, Real& before) const {
    constexpr Real least_progress = Real(1) / most_turns;
    if (before > 0 && unanswered<false>(by, b, l, solver_bodies) > (1 - least_progress) * before)
      before = -1;
    if (before < 0) return solve<true>(by, b, l);
    return before = solve<false>(by, b, l);
  }
  RTSIM_HD Real operator()(Index k) const {
    const Index at = begin + k / lane_count, l = k % lane_count;
    ContactBlock<D>& b = blocks[at];
    if (b.manifold[l] < 0) return 0;
    Real& before = left[at * lane_count + l];
    if (own.size > 0) return answer(OwnContactLaw<D, Real>(law, own[at], l), b, l, before);
    return answer(law, b, l, before);
  }
};

}  // namespace

template <int D>
Real answer_more(const Exec& ex, const ContactLaw& law, Real little,
                 Span<const LaneMaterials<D>> own, Span<ContactBlock<D>> blocks, Span<Real> left,
                 Index begin, Index end, bool both, Span<Row4> solver_bodies) {
  return reduce(ex, "rigid.answer_more", (end - begin) * lane_count, Real(0),
                AnswerMore<D>{law, little, own, blocks, left, begin, both, solver_bodies.data},
                Max{});
}

template Real answer_more<2>(const Exec&, const ContactLaw&, Real, Span<const LaneMaterials<2>>,
                             Span<ContactBlock<2>>, Span<Real>, Index, Index, bool, Span<Row4>);
template Real answer_more<3>(const Exec&, const ContactLaw&, Real, Span<const LaneMaterials<3>>,
                             Span<ContactBlock<3>>, Span<Real>, Index, Index, bool, Span<Row4>);

}  // namespace rtsim::rigid
