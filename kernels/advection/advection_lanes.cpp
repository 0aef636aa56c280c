#include "advection/row_kernels.h"
#include "exec/parallel.h"

namespace rtsim::advection {

namespace {

template <class Body>
void line(const Body& body, Index j, Index k) {
  const Index n = body.domain.count(body.fields.lattice, 0);
  using Eight = Lanes<Real>;
  if (n < Eight::size) {
    for (Index i = 0; i < n; ++i) {
      const Index row[3] = {i, j, k};
      body.template at<Real>(row);
    }
    return;
  }
  for (Index i = 0; i < n; i += Eight::size) {
    const Index row[3] = {i + Eight::size <= n ? i : n - Eight::size, j, k};
    body.template at<Eight>(row);
  }
}

}  // namespace

template <class Body>
void by_lines(const Exec& ex, const Body& body) {
  const Index ny = body.domain.count(body.fields.lattice, 1),
              nz = body.domain.count(body.fields.lattice, 2);
  parallel_chunks(ex, Body::label, ny * nz, 16, [&](Index begin, Index end) {
    const Body own = body;
    for (Index l = begin; l < end; ++l) line(own, l % ny, l / ny);
  });
}

template void by_lines(const Exec&, const SemiLagrangianRow<2>&);
template void by_lines(const Exec&, const SemiLagrangianRow<3>&);
template void by_lines(const Exec&, const PredictRow<2>&);
template void by_lines(const Exec&, const PredictRow<3>&);
template void by_lines(const Exec&, const CorrectRow<2>&);
template void by_lines(const Exec&, const CorrectRow<3>&);

}  // namespace rtsim::advection
