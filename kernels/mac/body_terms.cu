#include "mac/body_terms.h"

#include "exec/parallel.h"
#include "exec/sort.h"
#include "mac/open_face.h"

namespace rtsim::mac {

namespace {

// The terms of one cell, or of what it leaves out.
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
  RTSIM_HD void add(TermsOfCell& to, Index cell, int axis, const Index f[3], Real flow) const {
    const Index node = face[axis].deepest_node(f), solid = face[axis].nodes.nearest[node];
    const Index body = body_of[solid];
    if (body < 0) return;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const boundary::Pose& pose = face[axis].poses[solid];
    Real arm[3] = {0, 0, 0};
    for (int a = 0; a < domain.dims; ++a)
      arm[a] = Real(face[axis].first[a] +
                    double(domain.spacing) * (double(f[a]) + (a == axis ? 0 : 0.5)) -
                    double(pose.centre[a]));
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
    TermsOfCell kept, left_out;
    for (int a = 0; a < domain.dims; ++a)
      for (Index end = 0; end < 2; ++end) {
        Index f[3] = {i, j, k};
        f[a] += end;
        const bool side = at_closed_side(a, f);
        const Real share =
            side ? face[a].obstacle_share(f) : face[a].open[domain.row(a, f[0], f[1], f[2])];
        if (!(share < 1)) continue;
        const Real flow = end ? 1 - share : share - 1;
        if (!side)
          add(kept, own, a, f, flow);
        else if (own >= 0)
          add(left_out, -1, a, f, flow);
      }
    put(kept, at), put(left_out, at);
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
