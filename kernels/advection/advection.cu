#include "advection/advection.h"

#include "advection/row_kernels.h"
#include "exec/parallel.h"

namespace rtsim::advection {

namespace {

template <class Body>
struct OneRow {
  Body body;

  RTSIM_HD void operator()(Index r) const {
    const Index nx = body.domain.count(body.fields.lattice, 0),
                ny = body.domain.count(body.fields.lattice, 1);
    const Index row[3] = {r % nx, r / nx % ny, r / nx / ny};
    body.template at<Real>(row);
  }
};

template <class Body>
void launch(const Exec& ex, const Body& body) {
  if (ex.cpu_shaped()) return by_lines(ex, body);
  parallel_for(ex, Body::label, body.domain.rows(body.fields.lattice), OneRow<Body>{body});
}

}  // namespace

Flow make_flow(const mac::Domain& d, const mac::Faces& faces, Trace trace, double dt) {
  Flow flow{mac::Layout::of(d), faces, {}, Real(dt / double(d.spacing)), trace};
  for (int lattice = 0; lattice < 4; ++lattice)
    for (int a = 0; a < 3; ++a) {
      Reach& r = flow.reach[lattice];
      // Traces end at the domain's ends; at inflows they start one cell beyond, with the value of
      // what flows in.
      const auto beyond = [&](int end) {
        const bool in = a < d.dims && d.condition[a][end] == mac::BoundaryCondition::inflow;
        return lattice == mac::centres && in ? Real(1) : Real(0.5);
      };
      r.low[a] = lattice == a ? Real(0) : -beyond(0);
      r.high[a] = Real(d.cells[a]) + (lattice == a ? Real(0) : beyond(1) - 1);
      r.period[a] = a < d.dims && d.periodic(a) ? d.cells[a] : 0;
    }
  return flow;
}

void semi_lagrangian(const Exec& ex, const mac::Domain& d, const Flow& flow, const Fields& f) {
  d.dims == 2 ? launch(ex, SemiLagrangianRow<2>{d, flow, f})
              : launch(ex, SemiLagrangianRow<3>{d, flow, f});
}

void maccormack_predict(const Exec& ex, const mac::Domain& d, const Flow& flow, const Fields& f) {
  d.dims == 2 ? launch(ex, PredictRow<2>{d, flow, f}) : launch(ex, PredictRow<3>{d, flow, f});
}

void maccormack_correct(const Exec& ex, const mac::Domain& d, const Flow& flow, const Fields& f) {
  d.dims == 2 ? launch(ex, CorrectRow<2>{d, flow, f}) : launch(ex, CorrectRow<3>{d, flow, f});
}

}  // namespace rtsim::advection
