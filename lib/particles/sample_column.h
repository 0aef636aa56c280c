#pragma once
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "world/world.h"

namespace rtsim {

// A number of every sample of a fluid's walls that lasts from step to step: worked on in the order
// of the packed rows, kept in a column of the tables of samples.
class SampleColumn {
 public:
  explicit SampleColumn(World& world) : column_(world.exec), packed_(world.exec) {}
  // None of `boundaries`: nothing is kept.
  void of(World&, const std::string& fluid, const std::vector<std::string>& boundaries);
  void add(World&, const char* column, const char* unit);
  // As many as there are now; what is worked on is lost where that changed.
  void count(World&);

  Span<Real> fetch(World&, Span<const Index> order, const char* column);
  void store(World&, Span<const Index> order, const char* column);
  void zero() { packed_.zero(); }
  Span<Real> packed() { return packed_.span(); }

 private:
  std::vector<std::string> tables_;
  Buffer<Real> column_;  // of all tables, one behind the other
  Buffer<Real> packed_;
};

}  // namespace rtsim
