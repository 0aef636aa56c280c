#pragma once
#include "advection/advection.h"

// What is done at a row, or at eight: one text for both.
namespace rtsim::advection {

template <int D>
struct SemiLagrangianRow {
  mac::Domain domain;
  Flow flow;
  Fields fields;
  static constexpr const char* label = "advection.semi_lagrangian";

  template <class T>
  RTSIM_HD void at(const Index row[3]) const {
    T offset[D];
    Tracer<D, T>{flow, fields.lattice, row}.follow(Real(-1), offset);
    const auto c = corners<D, T>(flow.layout, flow.reach[fields.lattice], row, offset);
    const Index r = domain.row(fields.lattice, row[0], row[1], row[2]);
    for (int f = 0; f < fields.count; ++f)
      Rows<T>::store(fields.out[f] + r, value<D, T>(flow.layout, fields.field[f], c));
  }
};

template <int D>
struct PredictRow {
  mac::Domain domain;
  Flow flow;
  Fields fields;
  static constexpr const char* label = "advection.carry";

  template <class T>
  RTSIM_HD void at(const Index row[3]) const {
    T offset[D];
    Tracer<D, T>{flow, fields.lattice, row}.follow(Real(-1), offset);
    const auto c = corners<D, T>(flow.layout, flow.reach[fields.lattice], row, offset);
    const Index r = flow.layout.at(row[0], row[1], row[2]);
    for (int f = 0; f < fields.count; ++f) {
      const Range<T> v = value_and_range<D, T>(flow.layout, fields.field[f], c);
      Rows<T>::store(fields.carried[f] + r, v.value);
      Rows<T>::store(fields.low[f] + r, v.low);
      Rows<T>::store(fields.high[f] + r, v.high);
    }
  }
};

template <int D>
struct CorrectRow {
  mac::Domain domain;
  Flow flow;
  Fields fields;
  static constexpr const char* label = "advection.correct";

  template <class T>
  RTSIM_HD void at(const Index row[3]) const {
    T offset[D];
    Tracer<D, T>{flow, fields.lattice, row}.follow(Real(1), offset);
    const auto c = corners<D, T>(flow.layout, flow.reach[fields.lattice], row, offset);
    const Index from = flow.layout.at(row[0], row[1], row[2]);
    const Index to = domain.row(fields.lattice, row[0], row[1], row[2]);
    for (int f = 0; f < fields.count; ++f) {
      const T q = value<D, T>(flow.layout, fields.carried[f], c);
      const T better = Rows<T>::load(fields.carried[f] + from) +
                       T(Real(0.5)) * (Rows<T>::load(fields.field[f] + from) - q);
      Rows<T>::store(fields.out[f] + to,
                     greatest(Rows<T>::load(fields.low[f] + from),
                              least(Rows<T>::load(fields.high[f] + from), better)));
    }
  }
};

// The CPU-shaped form: eight rows of a line at once, the last eight again where they are fewer.
template <class Body>
void by_lines(const Exec&, const Body&);

}  // namespace rtsim::advection
