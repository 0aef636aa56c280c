#include "fem/coarse_levels.h"

#include "exec/parallel.h"

namespace rtsim::fem {

namespace {

constexpr double over_correction = 1.8;  // o

RTSIM_HD Vec3d first_three(const Six& s) { return {{s[0], s[1], s[2]}}; }
RTSIM_HD Vec3d last_three(const Six& s) { return {{s[3], s[4], s[5]}}; }
RTSIM_HD Six six(const Vec3d& a, const Vec3d& b) { return {{a[0], a[1], a[2], b[0], b[1], b[2]}}; }

// T: how a part at `arm` moves with its group, and T^T: what a force on the part is on the group.
RTSIM_HD Six moved(const Vec3d& arm, const Six& v) {
  return six(first_three(v) + cross(last_three(v), arm), last_three(v));
}
RTSIM_HD Six carried(const Vec3d& arm, const Six& f) {
  return six(first_three(f), last_three(f) + cross(arm, first_three(f)));
}

RTSIM_HD double row_times(const Block6& m, int row, const Six& v) {
  double sum = 0;
  for (int c = 0; c < 6; ++c) sum += m[6 * row + c] * v[c];
  return sum;
}
RTSIM_HD Six times(const Block6& m, const Six& v) {
  Six all;
  for (int r = 0; r < 6; ++r) all[r] = row_times(m, r, v);
  return all;
}

struct FindGroupArms {
  GroupLevel below, above;
  RTSIM_HD void operator()(Index g) const {
    Vec3d sum;
    const Index begin = above.first[g], end = above.first[g + 1];
    for (Index e = begin; e < end; ++e) sum = sum + below.place[above.part[e]];
    above.place[g] = 1. / double(end - begin) * sum;
    for (Index e = begin; e < end; ++e)
      below.arm[above.part[e]] = below.place[above.part[e]] - above.place[g];
  }
};

// T^T A T of a block is added.
RTSIM_HD void add_moved(const Vec3d& row_arm, const Block6& a, const Vec3d& column_arm,
                        Block6& to) {
  for (int c = 0; c < 6; ++c) {
    Six unit;
    unit[c] = 1;
    const Six column = carried(row_arm, times(a, moved(column_arm, unit)));
    for (int r = 0; r < 6; ++r) to[6 * r + c] += column[r];
  }
}

struct AssembleOwn {
  GroupLevel below, above;
  RTSIM_HD void operator()(Index g) const {
    Block6 sum;
    for (Index e = above.first[g]; e < above.first[g + 1]; ++e) {
      const Index p = above.part[e];
      add_moved(below.arm[p], below.A.own[p], below.arm[p], sum);
      for (Index b = below.A.first[p]; b < below.A.first[p + 1]; ++b) {
        const Index q = below.A.column[b];
        if (below.parent[q] == g) add_moved(below.arm[p], below.A.blocks[b], below.arm[q], sum);
      }
    }
    above.A.own[g] = sum;
  }
};
struct AssembleOther {
  GroupLevel below, above;
  GroupTerms k;
  RTSIM_HD void operator()(Index b) const {
    Block6 sum;
    for (Index e = k.first[b]; e < k.first[b + 1]; ++e) {
      const Index t = k.term[e];
      add_moved(below.arm[k.row[t]], below.A.blocks[t], below.arm[below.A.column[t]], sum);
    }
    above.A.blocks[b] = sum;
  }
};

// L^-1 of A = L L^T, whose rows and columns of unknowns that are not positive are 0.
RTSIM_HD Block6 inverse_factor(const Block6& a) {
  Block6 l, inverse;
  for (int k = 0; k < 6; ++k) {
    double pivot = a[7 * k];
    for (int m = 0; m < k; ++m) pivot -= l[6 * k + m] * l[6 * k + m];
    if (!(pivot > 1e-6 * a[7 * k])) {
      for (int m = 0; m < k; ++m) l[6 * k + m] = 0;
      continue;
    }
    const double scale = 1 / std::sqrt(pivot);
    for (int i = k + 1; i < 6; ++i) {
      double sum = a[6 * i + k];
      for (int m = 0; m < k; ++m) sum -= l[6 * i + m] * l[6 * k + m];
      l[6 * i + k] = scale * sum;
    }
    inverse[7 * k] = scale;
    for (int c = 0; c < k; ++c) {
      double sum = 0;
      for (int m = c; m < k; ++m) sum -= l[6 * k + m] * inverse[6 * m + c];
      inverse[6 * k + c] = scale * sum;
    }
  }
  return inverse;
}

struct InvertOwn {
  GroupLevel k;
  double w;
  RTSIM_HD void operator()(Index g) const {
    const Block6 factor = inverse_factor(k.A.own[g]);
    Block6 all;
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        for (int m = r > c ? r : c; m < 6; ++m)
          all[6 * r + c] += w * factor[6 * m + r] * factor[6 * m + c];
    k.smoother[g] = all;
  }
};

struct Begin {
  GroupLevel k;
  RTSIM_HD void operator()(Index g) const { k.x[g] = times(k.smoother[g], k.r[g]); }
};

// A component each.
struct FindRest {
  GroupLevel k;
  RTSIM_HD void operator()(Index component) const {
    const Index g = component / 6;
    const int c = int(component % 6);
    double sum = k.r[g][c] - row_times(k.A.own[g], c, k.x[g]);
    for (Index e = k.A.first[g]; e < k.A.first[g + 1]; ++e)
      sum -= row_times(k.A.blocks[e], c, k.x[k.A.column[e]]);
    k.rest[g][c] = sum;
  }
};

struct Restrict {
  GroupLevel below, above;
  RTSIM_HD void operator()(Index g) const {
    Six sum;
    for (Index e = above.first[g]; e < above.first[g + 1]; ++e)
      sum = sum + carried(below.arm[above.part[e]], below.rest[above.part[e]]);
    above.r[g] = sum;
  }
};

struct Prolong {
  GroupLevel k, above;
  RTSIM_HD void operator()(Index g) const {
    k.x[g] = k.x[g] + over_correction * moved(k.arm[g], above.x[k.parent[g]]);
  }
};

struct Smooth {
  GroupLevel k;
  RTSIM_HD void operator()(Index g) const { k.x[g] = k.x[g] + times(k.smoother[g], k.rest[g]); }
};

void find_rest(const Exec& ex, const GroupLevel& k) {
  parallel_for(ex, "fem.groups_rest", 6 * k.x.size, FindRest{k});
}

}  // namespace

void find_arms(const Exec& ex, const GroupLevel& below, const GroupLevel& above) {
  parallel_for(ex, "fem.groups_arms", above.x.size, FindGroupArms{below, above});
}

void assemble(const Exec& ex, const GroupLevel& below, const GroupTerms& k,
              const GroupLevel& above) {
  parallel_for(ex, "fem.groups_own", above.A.own.size, AssembleOwn{below, above});
  parallel_for(ex, "fem.groups_other", above.A.blocks.size, AssembleOther{below, above, k});
}

void invert_own(const Exec& ex, const GroupLevel& k, double w) {
  parallel_for(ex, "fem.groups_invert", k.x.size, InvertOwn{k, w});
}

void begin(const Exec& ex, const GroupLevel& k) {
  parallel_for(ex, "fem.groups_begin", k.x.size, Begin{k});
}

void restrict_to(const Exec& ex, const GroupLevel& k, const GroupLevel& above) {
  find_rest(ex, k);
  parallel_for(ex, "fem.groups_restrict", above.x.size, Restrict{k, above});
}

void finish(const Exec& ex, const GroupLevel& k, const GroupLevel& above) {
  parallel_for(ex, "fem.groups_prolong", k.x.size, Prolong{k, above});
  find_rest(ex, k);
  parallel_for(ex, "fem.groups_smooth", k.x.size, Smooth{k});
}

}  // namespace rtsim::fem
