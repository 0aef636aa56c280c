#include "particles/sample_column.h"

#include "pressure/samples.h"

namespace rtsim {

void SampleColumn::of(World& world, const std::string& fluid,
                      const std::vector<std::string>& boundaries) {
  for (const std::string& b : boundaries) tables_.push_back(sample_table(b, fluid));
  count(world);
}

void SampleColumn::count(World& world) {
  std::size_t count = 0;
  for (const std::string& t : tables_) count += std::size_t(world.table(t).rows());
  column_.resize(count), packed_.resize(count);
}

void SampleColumn::add(World& world, const char* column, const char* unit) {
  for (const std::string& t : tables_) world.table(t).add<Real>({column, unit});
}

Span<Real> SampleColumn::fetch(World& world, Span<const Index> order, const char* column) {
  std::size_t at = 0;
  for (const std::string& t : tables_) {
    const auto from = world.table(t).column<const Real>(column);
    world.exec.copy(column_.data() + at, from.data, std::size_t(from.size) * sizeof(Real));
    at += std::size_t(from.size);
  }
  pressure::gather(world.exec, order, column_.span(), packed_.span());
  return packed_.span();
}

void SampleColumn::store(World& world, Span<const Index> order, const char* column) {
  pressure::scatter(world.exec, order, packed_.span(), column_.span());
  std::size_t at = 0;
  for (const std::string& t : tables_) {
    const auto to = world.table(t).column<Real>(column);
    world.exec.copy(to.data, column_.data() + at, std::size_t(to.size) * sizeof(Real));
    at += std::size_t(to.size);
  }
}

}  // namespace rtsim
