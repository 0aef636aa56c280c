#include <bit>

#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "mac/open_face.h"

namespace rtsim::mac {

namespace {

using Eight = Lanes<Real>;
constexpr unsigned all_lanes = (1u << lane_count) - 1;

// A line of faces along x, on the CPU. Most are open and lie away from walls and sides: eight at
// once.
struct OpenLine {
  OpenFace face;

  void operator()(Index j, Index k) const {
    const Index n = face.domain.count(face.axis, 0), at[3] = {1, j, k};
    const bool sides = at[face.axis] == 0 || at[face.axis] == face.domain.cells[face.axis];
    const bool inside = face.partial && face.nodes.distance && !sides;
    const auto alone = [&](Index i) { face.find<Eight>(i, j, k); };
    alone(0);
    Index i = 1;
    for (; inside && i + lane_count < n; i += lane_count)
      for (unsigned near = all_lanes & ~find_far(i, j, k); near != 0; near &= near - 1)
        alone(i + std::countr_zero(near));
    for (; i < n; ++i) alone(i);
  }

 private:
  // Those of eight that no solid reaches to; they are done, and others will be.
  unsigned find_far(Index i, Index j, Index k) const {
    const Index f[3] = {i, j, k}, row = face.domain.row(face.axis, i, j, k);
    const Real* const at = face.nodes.distance + face.row(f);
    const Eight a = Eight::load(at), b = Eight::load(at + face.across(1)),
                c = Eight::load(at + face.across(1) + face.across(2)),
                d = Eight::load(at + face.across(2));
    const Eight least = min(min(a, b), min(c, d)), sum = (a + c) + (b + d);
    Eight(Real(1)).store(face.open + row), Eight(Real(0)).store(face.velocity + row);
    (Eight(Real(0.25)) * sum).store(face.clearance + row);
    return ~less(least, Eight(face.domain.spacing));
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

void move_lines(const Exec& ex, const OpenFace& face) {
  const Domain& d = face.domain;
  const Index nx = d.count(face.axis, 0), ny = d.count(face.axis, 1),
              lines = ny * d.count(face.axis, 2);
  parallel_chunks(ex, "mac.move_faces", lines, 1 + 8192 / nx, [&](Index begin, Index end) {
    const FaceVelocity one{face};
    for (Index l = begin; l < end; ++l) {
      const Index j = l % ny, k = l / ny, at[3] = {1, j, k};
      const bool side = at[face.axis] == 0 || at[face.axis] == d.cells[face.axis];
      one(0, j, k);
      Index i = 1;
      for (; !side && i + lane_count < nx; i += lane_count)
        for (unsigned left = less(Eight::load(face.open + l * nx + i), Eight(Real(1))); left != 0;
             left &= left - 1)
          one(i + std::countr_zero(left), j, k);
      for (; i < nx; ++i) one(i, j, k);
    }
  });
}

}  // namespace rtsim::mac
