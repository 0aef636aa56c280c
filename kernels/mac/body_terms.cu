#include "mac/body_terms.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "exec/parallel.h"
#include "exec/sort.h"
#include "lanes/lanes.h"
#include "mac/face_of_solid.h"

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
  FaceOfSolid faces;
  const Index* body_of;
  bool write;
  Index* first;  // of each line
  poisson::BodyTerm* terms;

  RTSIM_HD bool at_closed_side(int axis, const Index f[3]) const {
    return (f[axis] == 0 || f[axis] == domain.cells[axis]) && !domain.periodic(axis) &&
           domain.condition[axis][f[axis] != 0] != BoundaryCondition::open;
  }
  RTSIM_HD void add(TermsOfCell& to, Index cell, int axis, const Index f[3], Real flow) const {
    const Index solid = faces.solid(axis, f), body = body_of[solid];
    if (body >= 0) faces.add_motion(axis, f, solid, flow, to.of(cell, body).flow);
  }
  RTSIM_HD static bool counts(const poisson::BodyTerm& t) {
    Real any = 0;
    for (const Real f : t.flow) any += f < 0 ? -f : f;
    return any > 0;
  }

  RTSIM_HD void operator()(Index line) const {
    Index at = write ? first[line] : 0;
    for (Index i = 0; i < domain.cells[0]; ++i) {
      const TermsOfCell found = cell(i, line % domain.cells[1], line / domain.cells[1]);
      for (int n = 0; n < found.count; ++n) {
        if (!counts(found.terms[n])) continue;
        if (write) terms[at] = found.terms[n];
        ++at;
      }
    }
    if (!write) first[line] = at;
  }
  // The same on the CPU, behind what is there: most cells have open faces alone, but for those at
  // sides, which no body has.
  void by_eights(Index line, std::vector<poisson::BodyTerm>& to) const {
    const Index j = line % domain.cells[1], k = line / domain.cells[1];
    const auto add = [&](Index i) {
      const TermsOfCell found = cell(i, j, k);
      for (int n = 0; n < found.count; ++n)
        if (counts(found.terms[n])) to.push_back(found.terms[n]);
    };
    Index i = 0;
    for (; i + lane_count <= domain.cells[0]; i += lane_count)
      for (unsigned left = partly_closed(i, j, k); left != 0; left &= left - 1)
        add(i + std::countr_zero(left));
    for (; i < domain.cells[0]; ++i) add(i);
  }
  unsigned partly_closed(Index i, Index j, Index k) const {
    Lanes<Real> least(Real(1));
    for (int a = 0; a < domain.dims; ++a)
      for (Index end = 0; end < 2; ++end) {
        Index f[3] = {i, j, k};
        f[a] += end;
        if (a != 0 && at_closed_side(a, f)) continue;
        least = min(least, Lanes<Real>::load(faces.face[a].open + domain.row(a, f[0], f[1], f[2])));
      }
    return less(least, Lanes<Real>(Real(1)));
  }
  RTSIM_HD TermsOfCell cell(Index i, Index j, Index k) const {
    TermsOfCell kept;
    Real open = 0;
    for (int a = 0; a < domain.dims; ++a)
      open += faces.face[a].open[domain.row(a, i, j, k)] +
              faces.face[a].open[domain.row(a, i + (a == 0), j + (a == 1), k + (a == 2))];
    if (open == Real(2 * domain.dims)) return kept;
    const Index own = open > 0 ? domain.row(centres, i, j, k) : Index(-1);
    for (int a = 0; a < domain.dims; ++a)
      for (Index end = 0; end < 2; ++end) {
        Index f[3] = {i, j, k};
        f[a] += end;
        if (at_closed_side(a, f)) continue;
        const Real share = faces.face[a].open[domain.row(a, f[0], f[1], f[2])];
        if (share < 1) add(kept, own, a, f, end ? 1 - share : share - 1);
      }
    return kept;
  }
};

}  // namespace

// On the CPU each chunk of lines keeps its own terms, which are then put in a row.
static std::vector<poisson::BodyTerm> terms_of_chunks(const Exec& ex, const Domain& d,
                                                      const TermsOfLine& law) {
  const Index lines = d.cells[1] * d.cells[2], of_chunk = 1 + 8192 / d.cells[0];
  std::vector<std::vector<poisson::BodyTerm>> chunks(
      std::size_t((lines + of_chunk - 1) / of_chunk));
  parallel_chunks(ex, "mac.body_terms", lines, of_chunk, [&](Index begin, Index end) {
    std::vector<poisson::BodyTerm> own;
    for (Index l = begin; l < end; ++l) law.by_eights(l, own);
    chunks[std::size_t(begin / of_chunk)] = std::move(own);
  });
  std::vector<poisson::BodyTerm> all;
  for (const auto& own : chunks) all.insert(all.end(), own.begin(), own.end());
  return all;
}

std::vector<poisson::BodyTerm> body_terms(const Exec& ex, const Domain& d, const Walls& w,
                                          const SolidNodes& nodes, Span<const Index> body_of) {
  TermsOfLine law{d, FaceOfSolid::of(d, nodes, w), body_of.data, false, nullptr, nullptr};
  if (ex.cpu_shaped()) return terms_of_chunks(ex, d, law);
  const Index lines = d.cells[1] * d.cells[2];
  Buffer<Index> first(ex, std::size_t(lines));
  law.first = first.data();
  parallel_for(ex, "mac.body_terms", lines, law);
  Buffer<poisson::BodyTerm> terms(
      ex, std::size_t(exclusive_scan(ex, "mac.body_terms", first.span(), first.span())));
  law.write = true, law.terms = terms.data();
  parallel_for(ex, "mac.body_terms", lines, law);
  return terms.download();
}

}  // namespace rtsim::mac
