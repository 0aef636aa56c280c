#include "mac/body_terms.h"

#include "exec/parallel.h"
#include "exec/sort.h"
#include "mac/open_face.h"

namespace rtsim::mac {

namespace {

// A line of cells: counts its terms, or writes them.
struct TermsOfLine {
  Domain domain;
  OpenFace face[3];
  const Index* body_of;
  bool write;
  Index* first;  // of each line
  poisson::BodyTerm* terms;

  // How much of a face is closed by what may yield; -1 for `body`: nothing.
  RTSIM_HD Real closed(int axis, const Index f[3], Index& body) const {
    const Index last = domain.cells[axis];
    body = -1;
    if ((f[axis] == 0 || f[axis] == last) && !domain.periodic(axis) &&
        domain.condition[axis][f[axis] != 0] != BoundaryCondition::open)
      return 0;
    const Real shut = 1 - face[axis].open[domain.row(axis, f[0], f[1], f[2])];
    if (!(shut > 0)) return 0;
    body = body_of[face[axis].nodes.nearest[face[axis].deepest_node(f)]];
    return shut;
  }
  RTSIM_HD void add(poisson::BodyTerm& t, int axis, const Index f[3], Real flow) const {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const boundary::Pose& pose =
        face[axis].poses[face[axis].nodes.nearest[face[axis].deepest_node(f)]];
    Real arm[3] = {0, 0, 0};
    for (int a = 0; a < domain.dims; ++a)
      arm[a] = Real(face[axis].first[a] +
                    double(domain.spacing) * (double(f[a]) + (a == axis ? 0 : 0.5)) -
                    double(pose.centre[a]));
    t.flow[axis] += flow;
    t.flow[3 + b] += arm[c] * flow, t.flow[3 + c] -= arm[b] * flow;
  }

  RTSIM_HD void operator()(Index line) const {
    Index at = write ? first[line] : 0;
    const Index j = line % domain.cells[1], k = line / domain.cells[1];
    for (Index i = 0; i < domain.cells[0]; ++i) cell({i, j, k}, at);
    if (!write) first[line] = at;
  }
  struct Cell {
    Index at[3];
  };
  RTSIM_HD void cell(const Cell& c, Index& at) const {
    Real open = 0;
    for (int a = 0; a < domain.dims; ++a) {
      const Index up[3] = {a == 0, a == 1, a == 2};
      open += face[a].open[domain.row(a, c.at[0], c.at[1], c.at[2])] +
              face[a].open[domain.row(a, c.at[0] + up[0], c.at[1] + up[1], c.at[2] + up[2])];
    }
    if (!(open > 0) || open == Real(2 * domain.dims)) return;
    poisson::BodyTerm own[6];
    int count = 0;
    for (int a = 0; a < domain.dims; ++a)
      for (Index end = 0; end < 2; ++end) {
        Index f[3] = {c.at[0], c.at[1], c.at[2]};
        f[a] += end;
        Index body;
        const Real shut = closed(a, f, body);
        if (body < 0) continue;
        int n = 0;
        while (n < count && own[n].body != body) ++n;
        if (n == count) own[count++] = {domain.row(centres, c.at[0], c.at[1], c.at[2]), body, {}};
        add(own[n], a, f, end ? shut : -shut);
      }
    for (int n = 0; n < count; ++n) {
      Real any = 0;
      for (int i = 0; i < 6; ++i) any += own[n].flow[i] < 0 ? -own[n].flow[i] : own[n].flow[i];
      if (!(any > 0)) continue;
      if (write) terms[at] = own[n];
      ++at;
    }
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
