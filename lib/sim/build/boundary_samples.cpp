#include "sim/build/boundary_samples.h"

namespace rtsim {

namespace {

template <class T>
void upload(World& world, Table& t, const char* column, const std::vector<T>& values) {
  world.exec.upload(t.column<T>(column).data, values.data(), values.size() * sizeof(T));
}

template <int D>
void write_samples(World& world, Table& t, const std::vector<SurfaceSample>& samples) {
  std::vector<Vec<D>> local;
  std::vector<Real> area, open;
  std::vector<Index> layer;
  for (const SurfaceSample& s : samples) {
    local.push_back(narrow<D>(s.position));
    area.push_back(Real(s.area)), layer.push_back(s.layer);
    open.push_back(Real(s.open));
  }
  upload(world, t, "local", local), upload(world, t, "position", local);
  upload(world, t, "area", area), upload(world, t, "open", open);
  upload(world, t, "layer", layer);
}

template <int D>
void add_columns(Table& t) {
  t.add<Vec<D>>({"local", "m"});
  t.add<Real>({"area", D == 2 ? "m" : "m^2"});
  t.add<Index>({"layer", ""});
  t.add<Real>({"open", ""});
  t.add<Index>({"owner", ""});  // row of their body: a boundary is one
  t.add<Vec<D>>({"position", "m", Role::derived});
  t.add<Vec<D>>({"velocity", "m/s", Role::derived});
  t.add<Real>({"volume", D == 2 ? "m^2" : "m^3", Role::derived});
}

}  // namespace

void add_samples(World& world, const std::string& table,
                 const std::vector<SurfaceSample>& samples) {
  Table& t = world.add_table(table, Index(samples.size()));
  world.dim == 2 ? add_columns<2>(t) : add_columns<3>(t);
  world.dim == 2 ? write_samples<2>(world, t, samples) : write_samples<3>(world, t, samples);
}

void put_samples(World& world, const std::string& table,
                 const std::vector<SurfaceSample>& samples) {
  Table& t = world.table(table);
  t.resize(Index(samples.size()));
  world.dim == 2 ? write_samples<2>(world, t, samples) : write_samples<3>(world, t, samples);
}

}  // namespace rtsim
