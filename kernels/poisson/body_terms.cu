#include "poisson/body_terms.h"

#include "exec/parallel.h"
#include "exec/segments.h"

namespace rtsim::poisson {

namespace {

RTSIM_HD bool has_unknown(const Level& l, Index cell) {
  return l.line(cell / l.n[0]).at(inverse, cell % l.n[0]) > 0;
}

RTSIM_HD Screw times(double p, const BodyTerm& t) {
  Screw s;
  for (int i = 0; i < 6; ++i) s.v[i] = p * double(t.flow[i]);
  return s;
}

template <class P>
struct Push {
  Level level;
  BodyTerms bodies;
  P pressure;

  RTSIM_HD Screw operator()(Index e) const {
    const BodyTerm& t = bodies.terms[bodies.of_body[e]];
    return has_unknown(level, t.cell) ? times(double(pressure(t.cell)), t) : Screw{};
  }
};

template <class T>
struct OfCells {
  const T* p;
  RTSIM_HD T operator()(Index cell) const { return p[cell]; }
};

struct DotMobility {
  BodyTerms bodies;
  const Screw* push;
  RTSIM_HD double operator()(Index b) const {
    const Screw w = bodies.mobility[b](push[b]);
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += w.v[i] * push[b].v[i];
    return sum;
  }
};

struct AddOfBodies {
  BodyTerms bodies;
  const double* value;
  Real* r;

  RTSIM_HD void operator()(Index group) const {
    const Index first = bodies.first_of_cell[group], cell = bodies.terms[first].cell;
    double sum = double(r[cell]);
    for (Index e = first; e < bodies.first_of_cell[group + 1]; ++e)
      sum += value[bodies.terms[e].body];
    r[cell] = Real(sum);
  }
};

struct SubtractResponse {
  Level level;
  BodyTerms bodies;
  double factor;
  const Screw* push;
  Real* r;

  RTSIM_HD void operator()(Index group) const {
    const Index first = bodies.first_of_cell[group], cell = bodies.terms[first].cell;
    if (!has_unknown(level, cell)) return;
    double sum = 0;
    for (Index e = first; e < bodies.first_of_cell[group + 1]; ++e) {
      const BodyTerm& t = bodies.terms[e];
      const Screw v = bodies.mobility[t.body](push[t.body]);
      for (int i = 0; i < 6; ++i) sum += double(t.flow[i]) * v.v[i];
    }
    r[cell] = Real(double(r[cell]) - factor * sum);
  }
};

}  // namespace

template <class T>
void gather(const Exec& ex, const Level& l, const BodyTerms& b, Span<T> p, Span<Screw> out) {
  reduce_segments(ex, "poisson.bodies", b.first_of_body, Screw{},
                  Push<OfCells<T>>{l, b, OfCells<T>{p.data}}, Plus{}, out);
}
template void gather<float>(const Exec&, const Level&, const BodyTerms&, Span<float>, Span<Screw>);
template void gather<double>(const Exec&, const Level&, const BodyTerms&, Span<double>,
                             Span<Screw>);

void add_of_bodies(const Exec& ex, const BodyTerms& b, Span<const double> value, Span<Real> r) {
  parallel_for(ex, "poisson.bodies", b.first_of_cell.size - 1, AddOfBodies{b, value.data, r.data});
}

double dot_mobility(const Exec& ex, const BodyTerms& b, Span<const Screw> push) {
  return reduce(ex, "poisson.bodies", push.size, 0.0, DotMobility{b, push.data}, Plus{});
}

void subtract_response(const Exec& ex, const Level& l, const BodyTerms& b, double factor,
                       Span<const Screw> push, Span<Real> r) {
  parallel_for(ex, "poisson.bodies", b.first_of_cell.size - 1,
               SubtractResponse{l, b, factor, push.data, r.data});
}

}  // namespace rtsim::poisson
