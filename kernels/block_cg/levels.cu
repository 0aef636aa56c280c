#include "block_cg/levels.h"

#include "exec/parallel.h"

namespace rtsim::block_cg {

namespace {

struct Invert {
  Levels k;
  int level, levels;
  Index first;
  Span<const Real> child_inertia;
  Span<const Sym3> child_outside;
  Span<Sym3> outside;
  Span<Real> group_inertia;

  RTSIM_HD void operator()(Index n) const {
    const Index g = first + n;
    Real m = 0;
    Sym3 sums[most_levels];
    for (Index e = k.first_child[g]; e < k.first_child[g + 1]; ++e) {
      const Index c = k.child[e];
      if (level == 0 && !(k.filter[c].w > 0)) continue;
      m += child_inertia[c];
      for (int l = level; l < levels; ++l) sums[l] = sums[l] + child_outside[levels * c + l];
    }
    Sym3 all{m, m, m, 0, 0, 0};
    for (int l = level; l < levels; ++l) {
      outside[levels * g + l] = sums[l];
      all = all + sums[l];
    }
    group_inertia[g] = m;
    k.inverse[g] = m > 0 ? inverse(all) : Sym3{};
  }
};

struct RestrictPoints {
  Levels k;
  Span<const Row4> r;
  RTSIM_HD void operator()(Index g) const {
    Vec<3> sum{};
    for (Index e = k.first_child[g]; e < k.first_child[g + 1]; ++e)
      sum = sum + filtered(k.filter[k.child[e]], r[k.child[e]]);
    k.r[g] = {sum[0], sum[1], sum[2], 0};
  }
};

struct RestrictGroups {
  Levels k;
  Index first;
  RTSIM_HD void operator()(Index n) const {
    const Index g = first + n;
    Row4 sum{};
    for (Index e = k.first_child[g]; e < k.first_child[g + 1]; ++e) {
      const Row4 r = k.r[k.child[e]];
      sum = {sum.x + r.x, sum.y + r.y, sum.z + r.z, 0};
    }
    k.r[g] = sum;
  }
};

struct SolveAndProlongate {
  Levels k;
  Index first;
  RTSIM_HD void operator()(Index n) const {
    const Index g = first + n, up = k.parent[g];
    const Row4 r = k.r[g], more = up < 0 ? Row4{} : k.z[up];
    const Vec<3> z = k.inverse[g] * Vec<3>{{r.x, r.y, r.z}};
    k.z[g] = {z[0] + more.x, z[1] + more.y, z[2] + more.z, 0};
  }
};

}  // namespace

void invert(const Exec& ex, const Levels& k, Span<const Real> inertia, Span<const Sym3> outside,
            Span<Sym3> group_outside, Span<Real> group_inertia) {
  for (int l = 0; l < k.size; ++l) {
    const Index first = k.start[l];
    const Invert level{k,
                       l,
                       k.size,
                       first,
                       l == 0 ? inertia : Span<const Real>(group_inertia),
                       l == 0 ? outside : Span<const Sym3>(group_outside),
                       group_outside,
                       group_inertia};
    parallel_for(ex, "block_cg.groups", k.start[l + 1] - first, level);
  }
}

void correct_groups(const Exec& ex, const Levels& k, Span<const Row4> r) {
  if (k.size == 0) return;
  const auto first = [&](int l) { return k.start[l]; };
  parallel_for(ex, "block_cg.sum", first(1), RestrictPoints{k, r});
  for (int l = 1; l < k.size; ++l)
    parallel_for(ex, "block_cg.sum", first(l + 1) - first(l), RestrictGroups{k, first(l)});
  for (int l = k.size - 1; l >= 0; --l)
    parallel_for(ex, "block_cg.answer", first(l + 1) - first(l), SolveAndProlongate{k, first(l)});
}

}  // namespace rtsim::block_cg
