#include "sim/records/snapshot.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "bodies/shapes/part_surface.h"
#include "finite/finite.h"
#include "meshes/adjacency.h"

namespace rtsim {

namespace {

// Particles are the table of their name; a boundary is shown as the samples of its first fluid.
Table& table_of(World& world, const std::string& object) {
  if (world.has_table(object)) return world.table(object);
  for (const auto& t : world.tables())
    if (t->name().starts_with(object + ".samples@")) return *t;
  throw Error(ExitCode::bad_input, "'" + object + "' has no rows to write; no stage samples it");
}

// Samples are as far apart as the particles they were made for.
double spacing_of(const World& world, const Table& t) {
  const std::string& name = t.name();
  const std::size_t at = name.find(".samples@");
  return world.object(at == name.npos ? name : name.substr(at + 9)).spacing;
}

bool shown(const Column& c) { return c.info.role != Role::scratch && c.info.name != "local"; }

// Points have `position` first, and their volumes and surfaces are made of it alone.
std::vector<std::string> shown_columns(const World& world, const Table& t, const Output& output) {
  std::vector<std::string> names;
  if (!world.object(output.object).grid) {
    names.push_back("position");
    if (output.format != Format::hdf5) return names;
  }
  for (const Column& c : t.columns()) {
    const bool wanted = output.columns.empty() ||
                        std::ranges::find(output.columns, c.info.name) != output.columns.end();
    if (shown(c) && wanted && c.info.name != "position") names.push_back(c.info.name);
  }
  return names;
}

FrameColumn copy_column(const World& world, Table& t, const std::string& name, int keep_bits) {
  const Column& c = t.column_bytes(name);
  FrameColumn out{c.info.name, c.info.unit, c.type,
                  std::vector<std::byte>(std::size_t(t.rows()) * c.type.bytes()),
                  name == "position" ? 0 : keep_bits};
  world.exec.download(out.bytes.data(), c.bytes.data(), out.bytes.size());
  return out;
}

bool shows(const Output& output, const Table& t) {
  if (output.format != Format::hdf5 || !t.beside || t.beside->object != output.object) return false;
  return output.columns.empty() || std::ranges::count(output.columns, t.beside->name) > 0;
}

std::size_t bytes_beside(World& world, const Output& output) {
  std::size_t all = 0;
  const Index of_object = world.table(output.object).rows();
  for (const auto& t : world.tables()) {
    if (!shows(output, *t)) continue;
    const Index rows = std::max(t->rows(), of_object * t->beside->rows_of_each);
    for (const Column& c : t->columns()) all += std::size_t(rows) * c.type.bytes();
  }
  return all;
}

std::vector<FrameTable> copy_beside(World& world, const Output& output) {
  std::vector<FrameTable> all;
  for (const auto& t : world.tables()) {
    if (!shows(output, *t)) continue;
    all.push_back({t->beside->name, {}});
    for (const Column& c : t->columns())
      all.back().columns.push_back(copy_column(world, *t, c.info.name, output.bits));
  }
  return all;
}

// The highest cells that a mesh has, without those that are torn.
FrameCells cells_of(World& world, const std::string& mesh) {
  const auto copy = [&]<int N>(const std::string& table, Corners<N>) {
    FrameCells cells{N, {}};
    for (const auto& c : intact_of<std::size_t(N)>(world, table))
      cells.points.insert(cells.points.end(), c.begin(), c.end());
    return cells;
  };
  if (world.has_table(tet_table(mesh))) return copy(tet_table(mesh), Corners<4>{});
  if (world.has_table(triangle_table(mesh))) return copy(triangle_table(mesh), Corners<3>{});
  return copy(edge_table(mesh), Corners<2>{});
}

template <class T>
Index first_bad(World& world, Column& c) {
  const Span<const T> values{reinterpret_cast<const T*>(c.bytes.data()),
                             Index(c.bytes.size() / sizeof(T))};
  return finite::first_not_finite<T>(world.exec, values);
}

// What a format needs of the object, and what of the output it cannot use.
void check_format(const World& world, const Output& output) {
  const Object& object = world.object(output.object);
  const Kind kind = object.kind;
  const auto refuse = [&](const std::string& what) {
    throw Error(ExitCode::bad_input, fmt::format(fmt::runtime(what), object.name));
  };
  if (object.hollow && output.format != Format::hdf5)
    refuse(
        "'{}' has particles near its surface alone, which would get a surface inside as well: "
        "write the \"level_set\" of its grid as \"vdb\", or leave \"band\" out of its stage");
  if (output.format == Format::surface) {
    if (kind != Kind::particles && kind != Kind::mesh && kind != Kind::bodies)
      refuse("\"surface\" shows particles, meshes and bodies only; write '{}' as \"hdf5\"");
    if (kind == Kind::mesh && !world.has_table(triangle_table(object.name)) &&
        !world.has_table(tet_table(object.name)))
      refuse("'{}' consists of edges and has no surface; write it as \"hdf5\"");
    if (kind != Kind::particles && output.surface.shapes_particles())
      refuse(
          "the surface of '{}' is its own triangles; \"voxels_per_spacing\", \"kernels\" and "
          "\"smoothing\" are for particles");
    if (kind != Kind::particles && std::ranges::count(output.surface.files, "sdf") > 0)
      refuse(
          "a level set is made of particles only; write the surface of '{}' as \"ply\" or \"obj\"");
  }
  if (output.format != Format::vdb) return;
  if (kind != Kind::particles && kind != Kind::grid && kind != Kind::height_field)
    refuse("\"vdb\" shows particles, grids and water only; write '{}' as \"hdf5\"");
  if (kind == Kind::particles && !output.columns.empty())
    refuse("the volume of '{}' is made of positions alone; \"columns\" is for grids");
  if (kind == Kind::height_field && !output.columns.empty())
    refuse("the volume of '{}' is made of its water; \"columns\" is for grids");
  if (kind == Kind::grid && output.voxel > 0)
    refuse("the voxels of '{}' are its cells; \"voxel\" is for particles and height fields");
}

}  // namespace

void check_output_of(World& world, const Output& output) {
  const Table& t = table_of(world, output.object);
  check_format(world, output);
  std::vector<std::string> known;
  for (const Column& c : t.columns())
    if (shown(c)) known.push_back(c.info.name);
  for (const auto& beside : world.tables())
    if (beside->beside && beside->beside->object == output.object)
      known.push_back(beside->beside->name);
  for (const std::string& name : output.columns) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string have;
    for (const std::string& k : known) have += (have.empty() ? "" : ", ") + k;
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' has no column '{}'{}; it has: {}", output.object, name,
                            did_you_mean(name, known), have));
  }
}

void show_tables_of(const Output& output, Simulation& sim) {
  show(sim, table_of(*sim.world, output.object).name());
  for (const auto& t : sim.world->tables())
    if (shows(output, *t)) show(sim, t->name());
}

std::size_t frame_bytes(World& world, const Output& output) {
  Table& t = table_of(world, output.object);
  std::size_t bytes = 0;
  for (const std::string& name : shown_columns(world, t, output))
    bytes += t.column_bytes(name).type.bytes();
  bytes *= std::size_t(t.capacity());
  const Object& object = world.object(output.object);
  if (object.kind != Kind::bodies) return bytes;
  return bytes + bytes_of_surface(world, object) + bytes_beside(world, output);
}

Frame take_frame(World& world, const std::vector<Output>& outputs, long index, long step,
                 double time) {
  Frame frame{index, step, time, {}};
  for (const Output& output : outputs) {
    if (index % output.every != 0) continue;
    Table& t = table_of(world, output.object);
    const Object& object = world.object(output.object);
    FrameObject o{object.name, object.kind, world.dim,   spacing_of(world, t),
                  t.rows(),    {},          object.grid, {}};
    if (object.kind == Kind::mesh) o.cells = cells_of(world, object.name);
    if (object.kind == Kind::bodies) {
      PosedSurface s = posed_surface(world, object);
      o.surface = {std::move(s.points), std::move(s.triangles), std::move(s.body)};
    }
    for (const std::string& name : shown_columns(world, t, output))
      o.columns.push_back(copy_column(world, t, name, output.bits));
    o.beside = copy_beside(world, output);
    frame.files.push_back({output, std::move(o)});
  }
  return frame;
}

std::string find_not_finite(World& world) {
  for (const auto& t : world.tables())
    for (const Column& c : t->columns()) {
      if (c.info.role != Role::state) continue;
      Column& column = t->column_bytes(c.info.name);
      Index bad = -1;
      if (c.type.scalar == Scalar::f32) bad = first_bad<float>(world, column);
      if (c.type.scalar == Scalar::f64) bad = first_bad<double>(world, column);
      if (bad >= 0)
        return fmt::format("{}.{}, row {}", t->name(), c.info.name, bad / c.type.components);
    }
  return "";
}

}  // namespace rtsim
