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

struct TermOfBody {
  Level level;
  BodyTerms bodies;
  BodyTerm* out;

  RTSIM_HD void operator()(Index e) const {
    BodyTerm t = bodies.terms[bodies.of_body[e]];
    if (!has_unknown(level, t.cell)) t.cell = -1;
    out[e] = t;
  }
};
struct CellOfTerms {
  Level level;
  BodyTerms bodies;
  Index* out;

  RTSIM_HD void operator()(Index group) const {
    const Index cell = bodies.terms[bodies.first_of_cell[group]].cell;
    out[group] = has_unknown(level, cell) ? cell : -1;
  }
};

template <class T>
struct Push {
  const BodyTerm* of_bodies;
  const T* p;

  RTSIM_HD Screw operator()(Index e) const {
    const BodyTerm& t = of_bodies[e];
    return t.cell < 0 ? Screw{} : times(double(p[t.cell]), t);
  }
};

struct Respond {
  BodyTerms bodies;
  const Screw* push;
  Screw* response;

  RTSIM_HD double operator()(Index b) const {
    const Screw w = bodies.mobility[b](push[b]);
    response[b] = w;
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
  BodyTerms bodies;
  const Index* cells;
  double factor;
  const Screw* response;
  Real* r;

  RTSIM_HD void operator()(Index group) const {
    const Index cell = cells[group];
    if (cell < 0) return;
    double sum = 0;
    for (Index e = bodies.first_of_cell[group]; e < bodies.first_of_cell[group + 1]; ++e) {
      const BodyTerm& t = bodies.terms[e];
      const Screw& v = response[t.body];
      for (int i = 0; i < 6; ++i) sum += double(t.flow[i]) * v.v[i];
    }
    r[cell] = Real(double(r[cell]) - factor * sum);
  }
};

}  // namespace

void find_unknown(const Exec& ex, const Level& l, const BodyTerms& b, Span<BodyTerm> of_bodies,
                  Span<Index> cells) {
  parallel_for(ex, "poisson.bodies", of_bodies.size, TermOfBody{l, b, of_bodies.data});
  parallel_for(ex, "poisson.bodies", cells.size, CellOfTerms{l, b, cells.data});
}

template <class T>
void gather(const Exec& ex, const BodyTerms& b, Span<const BodyTerm> of_bodies, Span<T> p,
            Span<Screw> out) {
  reduce_segments(ex, "poisson.bodies", b.first_of_body, Screw{}, Push<T>{of_bodies.data, p.data},
                  Plus{}, out);
}
template void gather<float>(const Exec&, const BodyTerms&, Span<const BodyTerm>, Span<float>,
                            Span<Screw>);
template void gather<double>(const Exec&, const BodyTerms&, Span<const BodyTerm>, Span<double>,
                             Span<Screw>);

void add_of_bodies(const Exec& ex, const BodyTerms& b, Span<const double> value, Span<Real> r) {
  parallel_for(ex, "poisson.bodies", b.first_of_cell.size - 1, AddOfBodies{b, value.data, r.data});
}

void respond(const Exec& ex, const BodyTerms& b, Span<const Screw> push, Span<Screw> response) {
  parallel_for(ex, "poisson.bodies", push.size, Respond{b, push.data, response.data});
}

double dot_response(const Exec& ex, const BodyTerms& b, Span<const Screw> push,
                    Span<Screw> response) {
  return reduce(ex, "poisson.bodies", push.size, 0.0, Respond{b, push.data, response.data}, Plus{});
}

void subtract_response(const Exec& ex, const BodyTerms& b, Span<const Index> cells, double factor,
                       Span<const Screw> response, Span<Real> r) {
  parallel_for(ex, "poisson.bodies", cells.size,
               SubtractResponse{b, cells.data, factor, response.data, r.data});
}

}  // namespace rtsim::poisson
