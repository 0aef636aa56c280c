#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "mac/open_face.h"

namespace rtsim::mac {

namespace {

// A line of faces along x, on the CPU. Most are open and lie away from walls and sides: eight at
// once.
struct OpenLine {
  OpenFace face;

  void operator()(Index j, Index k) const {
    const Index n = face.domain.count(face.axis, 0), at[3] = {1, j, k};
    const bool sides = at[face.axis] == 0 || at[face.axis] == face.domain.cells[face.axis];
    const bool inside = face.partial && face.nodes.distance && !sides;
    Index i = 0;
    const auto alone = [&](Index end) {
      for (; i < end; ++i) face.find<Lanes<Real>>(i, j, k);
    };
    alone(1);
    while (i + lane_count < n)
      if (inside && far(i, j, k))
        i += lane_count;
      else
        alone(i + lane_count);
    alone(n);
  }

 private:
  // Whether they are; then they are done.
  bool far(Index i, Index j, Index k) const {
    using Eight = Lanes<Real>;
    const Index f[3] = {i, j, k}, row = face.domain.row(face.axis, i, j, k);
    const Real* const a = face.nodes.distance + face.row(f);
    if (less(Eight::load(a), Eight(face.far_off())) != 0) return false;
    const Real *b = a + face.across(1), *c = b + face.across(2), *d = a + face.across(2);
    const Eight sum = (Eight::load(a) + Eight::load(c)) + (Eight::load(b) + Eight::load(d));
    Eight(Real(1)).store(face.open + row), Eight(Real(0)).store(face.velocity + row);
    (Eight(Real(0.25)) * sum).store(face.clearance + row);
    return true;
  }
};

}  // namespace

void open_lines(const Exec& ex, const OpenFace& face) {
  const Domain& d = face.domain;
  const Index ny = d.count(face.axis, 1), lines = ny * d.count(face.axis, 2);
  parallel_chunks(ex, "mac.open_faces", lines, 1 + 8192 / d.count(face.axis, 0),
                  [&](Index begin, Index end) {
                    for (Index l = begin; l < end; ++l) OpenLine{face}(l % ny, l / ny);
                  });
}

}  // namespace rtsim::mac
