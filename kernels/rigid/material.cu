#include "rigid/material.h"

#include "exec/parallel.h"
#include "rigid/contacts/contacts.h"

namespace rtsim::rigid {

namespace {

// 1 + (along - 1) a a^T over the tangents, of an axis a.
RTSIM_HD Vec<3> grain_of(Real along, const Vec<3>& a, const Vec<3> (&t)[2]) {
  const Real x = dot(a, t[0]), y = dot(a, t[1]), k = along - 1;
  return {{1 + k * x * x, k * x * y, 1 + k * y * y}};
}
RTSIM_HD Vec<1> grain_of(Real along, const Vec<2>& a, const Vec<2> (&t)[1]) {
  const Real x = dot(a, t[0]);
  return {{1 + (along - 1) * x * x}};
}

// The geometric mean of two matrices: sqrt(alpha beta / det C) C, C = A / alpha + B / beta, with
// alpha^2 and beta^2 their determinants (Bhatia, "Positive Definite Matrices", 2007, section 4.1).
RTSIM_HD Vec<3> mean(const Vec<3>& a, const Vec<3>& b) {
  const Real alpha = std::sqrt(a[0] * a[2] - a[1] * a[1]);
  const Real beta = std::sqrt(b[0] * b[2] - b[1] * b[1]);
  const Vec<3> c = (1 / alpha) * a + (1 / beta) * b;
  return std::sqrt(alpha * beta / (c[0] * c[2] - c[1] * c[1])) * c;
}
RTSIM_HD Vec<1> mean(const Vec<1>& a, const Vec<1>& b) { return {{std::sqrt(a[0] * b[0])}}; }

template <int D>
struct MixLane {
  Span<const Material<D>> materials;
  Span<const BodyPose<D>> poses;
  Span<const ContactBlock<D>> blocks;
  Span<LaneMaterials<D>> out;

  RTSIM_HD void operator()(Index at) const {
    const ContactBlock<D>& b = blocks[at / lane_count];
    LaneMaterials<D>& mixed = out[at / lane_count];
    const Index l = at % lane_count;
    const bool any = b.manifold[l] >= 0;
    const Index i = any ? b.i[l] / solver_body_rows<D> : 0,
                j = any ? b.j[l] / solver_body_rows<D> : 0;
    const Material<D>&m = materials[i], &o = materials[j];
    Vec<D> t[D - 1];
    tangents(lane<Real>(b.normal, l), t);
    mixed.friction[l] = std::sqrt(m.friction * o.friction);
    mixed.static_friction[l] = std::sqrt(m.static_friction * o.static_friction);
    mixed.restitution[l] = max(m.restitution, o.restitution);
    mixed.rolling[l] = max(m.rolling, o.rolling);
    set_lane(mixed.grain, l,
             mean(grain_of(m.along, turned(poses[i].axes, m.axis), t),
                  grain_of(o.along, turned(poses[j].axes, o.axis), t)));
  }
};

template <int D>
struct SolveOwn {
  ContactLaw law;
  Span<const LaneMaterials<D>> own;
  Span<ContactBlock<D>> blocks;
  Index begin;
  bool both;
  Row4* solver_bodies;
  RTSIM_HD void operator()(Index k) const {
    const Index at = begin + k / lane_count, l = k % lane_count;
    if (blocks[at].manifold[l] >= 0 && has_turn(law, blocks[at], l))
      solve_contact<D, Real>(OwnContactLaw<D, Real>(law, own[at], l), blocks[at], l, both,
                             solver_bodies);
  }
};

}  // namespace

template <int D>
void mix_materials(const Exec& ex, Span<const Material<D>> materials, Span<const BodyPose<D>> poses,
                   Span<const ContactBlock<D>> blocks, Span<LaneMaterials<D>> out) {
  parallel_for(ex, "rigid.materials", blocks.size * lane_count,
               MixLane<D>{materials, poses, blocks, out});
}

template <int D>
void solve_own_contacts(const Exec& ex, const ContactLaw& law, Span<const LaneMaterials<D>> own,
                        Span<ContactBlock<D>> blocks, Index begin, Index end, bool both,
                        Span<Row4> solver_bodies) {
  if (ex.cpu_shaped())
    return solve_contacts_lanes(ex, law, own, blocks, begin, end, both, solver_bodies);
  parallel_for(ex, "rigid.solve", (end - begin) * lane_count,
               SolveOwn<D>{law, own, blocks, begin, both, solver_bodies.data});
}

#define RTSIM_INSTANTIATE(D)                                                                      \
  template void mix_materials<D>(const Exec&, Span<const Material<D>>, Span<const BodyPose<D>>,   \
                                 Span<const ContactBlock<D>>, Span<LaneMaterials<D>>);            \
  template void solve_own_contacts<D>(const Exec&, const ContactLaw&,                             \
                                      Span<const LaneMaterials<D>>, Span<ContactBlock<D>>, Index, \
                                      Index, bool, Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
