#include <vector>

#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "pressure/pressure.h"

namespace rtsim::pressure {

namespace {

using Wide = Lanes<Real>;

Wide excess(const Target& t, Index i) {
  const Wide s = Wide::load(t.density.data + i) - Wide(t.rest_density),
             mended = max(Wide(t.mending.pace) * s, s - Wide(t.mending.leave));
  return fma(Wide(t.dt), Wide::load(t.rate.data + i), min(s, mended));
}

Wide lack(const Target& t, Index i) {
  const Wide s = Wide::load(t.density.data + i) - Wide(t.rest_density);
  return fma(Wide(t.dt), Wide::load(t.rate.data + i), max(s, Wide(Real(0))));
}

// What is wrong with k of eight rows, and what is asked of it.
struct Eight {
  Wide residual, asked;
};
Eight look_at_eight(const Target& t, Index i) {
  const Wide none = Real(0), e = excess(t, i), k = Wide::load(t.k.data + i),
             caused = Wide(t.dt * t.dt) * Wide::load(t.diagonal.data + i) * k;
  const Wide pushing = max(e, none - caused);
  if (t.bears.size == 0) return {pushing, e};
  const Wide bears = Wide::load(t.bears.data + i), l = lack(t, i);
  const Wide both = max(caused + e, none) + min(caused + l, none) - caused;
  return {select_less(none, bears, both, pushing),
          select_less(none, bears, select_less(k, none, l, e), e)};
}

// As reduce() folds them.
constexpr Index tile = 4096;

Residual residual_of_tile(const Target& t, Index begin, Index end) {
  double sum[lane_count] = {}, along[lane_count] = {};
  Real r[lane_count], asked[lane_count];
  Wide most = Real(0);
  Index i = begin;
  for (; i + lane_count <= end; i += lane_count) {
    const Eight of = look_at_eight(t, i);
    most = max(of.residual, most);
    max(of.residual, Wide(Real(0)) - of.residual).store(r), of.asked.store(asked);
    for (Index l = 0; l < lane_count; ++l) {
      sum[l] += double(r[l]);
      along[l] += double(t.rows[i + l].w) * double(asked[l]);
    }
  }
  Real greatest[lane_count];
  most.store(greatest);
  for (Index l = 0; i + l < end; ++l) {
    const Real left = t.residual(i + l);
    sum[l] += double(left > 0 ? left : -left), greatest[l] = max(left, greatest[l]);
    along[l] += double(t.rows[i + l].w) * double(t.asked(i + l));
  }
  for (Index half = lane_count / 2; half > 0; half /= 2)
    for (Index l = 0; l < half; ++l) {
      sum[l] += sum[l + half], greatest[l] = max(greatest[l], greatest[l + half]);
      along[l] += along[l + half];
    }
  return {sum[0], greatest[0], along[0]};
}

struct PartOf {
  const Residual* parts;
  Residual operator()(Index i) const { return parts[i]; }
};

// Rows of one step of relaxation.
template <bool gathers_momentum, bool tension>
struct RelaxRows {
  const Target& target;
  const Relaxation& to;

  void operator()(Index begin, Index end) const {
    Index i = begin;
    for (; i + lane_count <= end; i += lane_count) eight(i);
    for (; i < end; ++i) to(target, i);
  }
  [[gnu::always_inline]] void eight(Index i) const {
    const Wide none = Real(0), d = Wide::load(target.diagonal.data + i),
               before = Wide::load(to.k.data + i), e = excess(target, i),
               moved = before + Wide(to.omega_dt2) * e / d;
    Wide now = max(select_less(none, d, moved, none), none), bears = none;
    if constexpr (tension) {
      const Wide pulled = min(before + Wide(to.omega_dt2) * lack(target, i) / d, none);
      bears = Wide::load(target.bears.data + i);
      now = now + select_less(none, bears, select_less(none, d, pulled, none), none);
    }
    Wide ahead = now;
    if constexpr (gathers_momentum)
      ahead = now + Wide(to.momentum) * (now - Wide::load(to.last.data + i));
    const Wide pushing = max(ahead, none),
               k = tension ? select_less(none, bears, ahead, pushing) : pushing;
    now.store(to.last.data + i), k.store(to.k.data + i);
    Real change[lane_count];
    (k - before).store(change);
    for (Index l = 0; l < lane_count; ++l) to.rows[i + l].w = change[l];
  }
};

template <bool tension>
void relax_rows_by(const Exec& ex, const Target& target, const Relaxation& to) {
  const auto run = [&](const auto& body) {
    parallel_chunks(ex, "pressure.relax", target.k.size, grain, body);
  };
  if (to.momentum > 0) return run(RelaxRows<true, tension>{target, to});
  run(RelaxRows<false, tension>{target, to});
}

}  // namespace

Residual residual_of_rows(const Exec& ex, const Target& target) {
  const Index n = target.rate.size;
  std::vector<Residual> parts(std::size_t((n + tile - 1) / tile));
  parallel_chunks(ex, "pressure.residual", n, tile, [&](Index begin, Index end) {
    parts[std::size_t(begin / tile)] = residual_of_tile(target, begin, end);
  });
  return reduce(ex, "pressure.residual", Index(parts.size()), Residual{}, PartOf{parts.data()},
                WorseResidual{});
}

void relax_rows(const Exec& ex, const Target& target, const Relaxation& to) {
  target.bears.size > 0 ? relax_rows_by<true>(ex, target, to)
                        : relax_rows_by<false>(ex, target, to);
}

}  // namespace rtsim::pressure
