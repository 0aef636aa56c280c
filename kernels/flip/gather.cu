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
  Real* u;
  std::uint8_t* known;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index f[3] = {i, j, k};
    Real weight = 0, momentum = 0;
    for_runs<D>(domain, particles.first, axis, 1, f, [&](Index begin, Index end, const Real* at) {
      for (Index p = begin; p < end; ++p) {
        Real w = 1, u = particles.u[axis][p];
        for (int a = 0; a < D; ++a) {
          const Real off = particles.x[a][p] - at[a];
          w *= hat(off);
          if constexpr (affine) u -= particles.affine[axis][a][p] * off;
        }
        weight += w, momentum += w * u;
      }
    });
    const auto face = face_of(weight, momentum);
    const Index r = domain.row(axis, i, j, k);
    u[r] = face.u, known[r] = face.known;
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
void gather(const Exec& ex, const mac::Domain& d, int axis, const Particles<D>& p,
            Span<Real> scratch, Span<Real> u, Span<std::uint8_t> known) {
  if (ex.cpu_shaped()) return gather_blocks<D>(ex, d, axis, p, scratch, u, known);
  if (p.affine[0][0])
    mac::for_rows(ex, "flip.gather", d, axis, Gather<D, true>{d, axis, p, u.data, known.data});
  else
    mac::for_rows(ex, "flip.gather", d, axis, Gather<D, false>{d, axis, p, u.data, known.data});
}

void add(const Exec& ex, Span<const Real> of, Span<Real> to) {
  parallel_for(ex, "flip.add", to.size, Add{of.data, to.data});
}

void accelerate(const Exec& ex, Real step, Span<Real> u) {
  if (step != 0) parallel_for(ex, "flip.accelerate", u.size, Accelerate{step, u.data});
}

template void gather<2>(const Exec&, const mac::Domain&, int, const Particles<2>&, Span<Real>,
                        Span<Real>, Span<std::uint8_t>);
template void gather<3>(const Exec&, const mac::Domain&, int, const Particles<3>&, Span<Real>,
                        Span<Real>, Span<std::uint8_t>);

}  // namespace rtsim::flip
