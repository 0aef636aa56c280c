#include "mac/body_terms.h"

#include "exec/parallel.h"
#include "exec/sort.h"
#include "mac/open_face.h"

namespace rtsim::mac {

namespace {

// The terms of one cell.
struct TermsOfCell {
  poisson::BodyTerm terms[6];
  int count = 0;

  RTSIM_HD poisson::BodyTerm& of(Index cell, Index body) {
    int n = 0;
    while (n < count && terms[n].body != body) ++n;
    if (n == count) terms[count++] = {cell, body, {}};
    return terms[n];
  }
};

// A line of cells: counts its terms, or writes them.
struct TermsOfLine {
  Domain domain;
  OpenFace face[3];
  const Index* body_of;
  bool write;
  Index* first;  // of each line
  poisson::BodyTerm* terms;

  RTSIM_HD bool at_closed_side(int axis, const Index f[3]) const {
    return (f[axis] == 0 || f[axis] == domain.cells[axis]) && !domain.periodic(axis) &&
           domain.condition[axis][f[axis] != 0] != BoundaryCondition::open;
  }
  // Of both ends of a periodic axis, which are one face.
  RTSIM_HD Index deepest_node(int axis, const Index f[3]) const {
    const Index here = face[axis].deepest_node(f), last = domain.cells[axis];
    if (!domain.periodic(axis) || (f[axis] != 0 && f[axis] != last)) return here;
    Index g[3] = {f[0], f[1], f[2]};
    g[axis] = last - f[axis];
    const Index there = face[axis].deepest_node(g);
    const Real* distance = face[axis].nodes.distance;
    return distance[there] < distance[here] ? there : here;
  }
  RTSIM_HD void add(TermsOfCell& to, Index cell, int axis, const Index f[3], Real flow) const {
    const Index node = deepest_node(axis, f), solid = face[axis].nodes.nearest[node];
    const Index body = body_of[solid];
    if (body < 0) return;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const boundary::Pose& pose = face[axis].poses[solid];
    Real arm[3] = {0, 0, 0};
    for (int a = 0; a < domain.dims; ++a) {
      double r = face[axis].first[a] +
                 double(domain.spacing) * (double(f[a]) + (a == axis ? 0 : 0.5)) -
                 double(pose.centre[a]);
      const double period = double(domain.spacing) * domain.cells[a];
      if (domain.periodic(a)) r += r > period / 2 ? -period : r < -period / 2 ? period : 0;
      arm[a] = Real(r);
    }
    poisson::BodyTerm& t = to.of(cell, body);
    t.flow[axis] += flow;
    t.flow[3 + b] += arm[c] * flow, t.flow[3 + c] -= arm[b] * flow;
  }
  RTSIM_HD void put(const TermsOfCell& from, Index& at) const {
    for (int n = 0; n < from.count; ++n) {
      Real any = 0;
      for (const Real f : from.terms[n].flow) any += f < 0 ? -f : f;
      if (!(any > 0)) continue;
      if (write) terms[at] = from.terms[n];
      ++at;
    }
  }

  RTSIM_HD void operator()(Index line) const {
    Index at = write ? first[line] : 0;
    for (Index i = 0; i < domain.cells[0]; ++i)
      cell(i, line % domain.cells[1], line / domain.cells[1], at);
    if (!write) first[line] = at;
  }
  RTSIM_HD void cell(Index i, Index j, Index k, Index& at) const {
    Real open = 0;
    for (int a = 0; a < domain.dims; ++a)
      open += face[a].open[domain.row(a, i, j, k)] +
              face[a].open[domain.row(a, i + (a == 0), j + (a == 1), k + (a == 2))];
    if (open == Real(2 * domain.dims)) return;
    const Index own = open > 0 ? domain.row(centres, i, j, k) : Index(-1);
    TermsOfCell kept;
    for (int a = 0; a < domain.dims; ++a)
      for (Index end = 0; end < 2; ++end) {
        Index f[3] = {i, j, k};
        f[a] += end;
        if (at_closed_side(a, f)) continue;
        const Real share = face[a].open[domain.row(a, f[0], f[1], f[2])];
        if (share < 1) add(kept, own, a, f, end ? 1 - share : share - 1);
      }
    put(kept, at);
  }
};

}  // namespace

std::vector<poisson::BodyTerm> body_terms(const Exec& ex, const Domain& d, const Walls& w,
                                          const SolidNodes& nodes, Span<const Index> body_of) {
  const Index lines = d.cells[1] * d.cells[2];
  Buffer<Index> first(ex, std::size_t(lines));
  TermsOfLine law{d, {}, body_of.data, false, first.data(), nullptr};
  for (int a = 0; a < d.dims; ++a) law.face[a] = OpenFace::of(d, nodes, a, w);
  parallel_for(ex, "mac.body_terms", lines, law);
  Buffer<poisson::BodyTerm> terms(
      ex, std::size_t(exclusive_scan(ex, "mac.body_terms", first.span(), first.span())));
  law.write = true, law.terms = terms.data();
  parallel_for(ex, "mac.body_terms", lines, law);
  return terms.download();
}

}  // namespace rtsim::mac
