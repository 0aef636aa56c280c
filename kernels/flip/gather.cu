#include "flip/gather.h"

#include "exec/parallel.h"
#include "mac/for_rows.h"

namespace rtsim::flip {

namespace {

template <int D, bool affine>
struct Gather {
  mac::Domain domain;
  int axis;
  Particles<D> particles;
  Gathered to;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index f[3] = {i, j, k};
    Real weight = 0, momentum = 0;
    for_runs<D>(domain, particles.first, axis, 1, f, [&](Index begin, Index end, const Real* at) {
      for (Index p = begin; p < end; ++p) {
        const Index row = particles.row[p];
        Real w = 1, u = particles.velocity[row][axis];
        for (int a = 0; a < D; ++a) {
          const Real off = particles.x[a][p] - at[a];
          w *= hat(off);
          if constexpr (affine) u -= domain.spacing * particles.gradient[row][axis * D + a] * off;
        }
        weight += w, momentum += w * u;
      }
    });
    const auto face = face_of(weight, momentum);
    const Index r = domain.row(axis, i, j, k);
    to.u[r] = face.u, to.weight[r] = weight, to.known[r] = face.known;
  }
};

struct Add {
  const Real* of;
  Real* to;
  RTSIM_HD void operator()(Index i) const { to[i] += of[i]; }
};

struct Accelerate {
  Real step;
  Real* u;
  RTSIM_HD void operator()(Index i) const { u[i] += step; }
};

}  // namespace

template <int D>
void gather(const Exec& ex, const mac::Domain& d, const Particles<D>& p,
            const Gathered (&faces)[D]) {
  if (ex.cpu_shaped()) return gather_blocks<D>(ex, d, p, faces);
  for (int a = 0; a < D; ++a)
    if (p.gradient)
      mac::for_rows(ex, "flip.gather", d, a, Gather<D, true>{d, a, p, faces[a]});
    else
      mac::for_rows(ex, "flip.gather", d, a, Gather<D, false>{d, a, p, faces[a]});
}

void add(const Exec& ex, Span<const Real> of, Span<Real> to) {
  parallel_for(ex, "flip.add", to.size, Add{of.data, to.data});
}

void accelerate(const Exec& ex, Real step, Span<Real> u) {
  if (step != 0) parallel_for(ex, "flip.accelerate", u.size, Accelerate{step, u.data});
}

template void gather<2>(const Exec&, const mac::Domain&, const Particles<2>&,
                        const Gathered (&)[2]);
template void gather<3>(const Exec&, const mac::Domain&, const Particles<3>&,
                        const Gathered (&)[3]);

}  // namespace rtsim::flip
