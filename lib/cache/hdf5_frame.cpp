#include <algorithm>

#include "base/error.h"
#include "cache/chunk_compress.h"
#include "cache/durable.h"
#include "cache/frame_writer.h"
#include "cache/hdf5_file.h"
#include "cache/vtk_geometry.h"

namespace rtsim {

namespace {

// A dataset of the frame and the rows that go into it.
struct Dataset {
  std::string path;  // in the group VTKHDF
  std::string unit;
  ChunkSource source;
  std::vector<std::size_t> extents;  // of an image

  h5::Layout layout() const {
    return {{source.type.scalar, source.components}, source.rows, extents};
  }
  // HDF5's overhead on a chunk is larger than so few numbers.
  bool is_small() const { return source.rows < 64; }
  bool is_padded() const { return source.components != source.type.components; }
};

// Columns may have been made for another number of rows only by a mistake of ours.
ChunkSource source_of(const FrameObject& object, const FrameColumn& column) {
  const std::size_t rows = std::size_t(object.rows);
  if (column.bytes.size() != rows * column.type.bytes())
    throw Error(ExitCode::internal, "frame of '" + object.name + "': column '" + column.name +
                                        "' has " + std::to_string(column.bytes.size()) +
                                        " bytes for " + std::to_string(rows) + " rows");
  // VTK knows vectors of three only, so those of the plane get z = 0.
  const bool plane_vector =
      object.dim == 2 && object.kind != Kind::bodies && column.type.components == 2;
  return {column.bytes.data(), rows,
          column.type,         plane_vector ? 3 : column.type.components,
          column.keep_bits,    chunk_rows(rows)};
}

template <class T>
Dataset index_dataset(const char* path, const std::vector<T>& values) {
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  return {path, "", {data, values.size(), element_type<T>, 1, 0, chunk_rows(values.size())}, {}};
}

Dataset surface_points(const std::vector<Real>& points) {
  const auto* data = reinterpret_cast<const std::byte*>(points.data());
  const std::size_t rows = points.size() / 3;
  return {"Points", "m", {data, rows, element_type<Vec<3>>, 3, 0, chunk_rows(rows)}, {}};
}

std::vector<Dataset> datasets_of(const VtkGeometry& g, const std::vector<std::int64_t>& points) {
  return {index_dataset("NumberOfPoints", points),
          index_dataset("NumberOfCells", g.cells),
          index_dataset("NumberOfConnectivityIds", g.ids),
          index_dataset("Connectivity", g.connectivity),
          index_dataset("Offsets", g.offsets),
          index_dataset("Types", g.types)};
}

// Whole planes of an image, so that chunks are boxes.
Dataset column_dataset(const FrameObject& object, const FrameColumn& c) {
  Dataset d{"PointData/" + c.name, c.unit, source_of(object, c), {}};
  if (!is_image(object)) return d;
  const GridShape& g = *object.grid;
  const std::size_t plane = std::size_t(g.cells[0]) * std::size_t(g.cells[1]);
  d.source.chunk_rows = plane * std::max<std::size_t>(1, d.source.chunk_rows / plane);
  d.extents = {std::size_t(g.cells[2]), std::size_t(g.cells[1]), std::size_t(g.cells[0])};
  return d;
}

Dataset dataset_of(const FrameTable& t, const FrameColumn& c) {
  const std::size_t rows = c.bytes.size() / c.type.bytes();
  return {"/" + t.name + "/" + c.name,
          c.unit,
          {c.bytes.data(), rows, c.type, c.type.components, c.keep_bits, chunk_rows(rows)},
          {}};
}

Dataset body_dataset(const FrameObject& object, const FrameColumn& c) {
  return {"/rtsim/" + c.name, c.unit, source_of(object, c), {}};
}

std::vector<Dataset> datasets_of(const FrameObject& object, const VtkGeometry& geometry,
                                 const std::vector<std::int64_t>& count) {
  std::vector<Dataset> all;
  if (!is_image(object)) all = datasets_of(geometry, count);
  if (!geometry.points.empty()) all.push_back(surface_points(geometry.points));
  if (object.kind == Kind::bodies) {
    all.push_back(index_dataset("CellData/body", object.surface.body));
    for (const FrameColumn& c : object.columns) all.push_back(body_dataset(object, c));
    for (const FrameTable& t : object.beside)
      for (const FrameColumn& c : t.columns) all.push_back(dataset_of(t, c));
    return all;
  }
  const bool points = !object.grid;
  if (points && (object.columns.empty() || object.columns[0].name != "position"))
    throw Error(ExitCode::internal,
                "frame of '" + object.name + "': its first column is not 'position'");
  for (const FrameColumn& c : object.columns) {
    all.push_back(column_dataset(object, c));
    if (points && &c == &object.columns[0]) all.back().path = "Points";
  }
  return all;
}

void write_root(h5::File& file, const RunInfo& info, const Frame& frame,
                const FrameObject& object) {
  const hid_t root = file.root();
  file.set_text(root, "format", "rtsim-frame");
  file.set_integer(root, "format_version", 1);
  file.set_text(root, "run_id", info.run_id);
  file.set_integer(root, "frame", frame.index);
  file.set_integer(root, "step", frame.step);
  file.set_double(root, "time", frame.time);
  file.set_text(root, "object", object.name);
  file.set_text(root, "kind", to_string(object.kind));
  file.set_integer(root, "dim", object.dim);
  file.set_double(root, "spacing", object.spacing);
  if (object.kind == Kind::mesh) file.set_integer(root, "cell_corners", object.cells.corners);
  if (!object.grid) return;
  const GridShape& g = *object.grid;
  file.set_integers(root, "cells", {g.cells[0], g.cells[1], g.cells[2]});
  file.set_doubles(root, "low", {g.low[0], g.low[1], g.low[2]});
}

// The first point of the image is the centre of the first cell.
void write_image(h5::File& file, hid_t group, const GridShape& g) {
  const Vec3d first = g.centre(0);
  file.set_integers(group, "WholeExtent",
                    {0, g.cells[0] - 1, 0, g.cells[1] - 1, 0, g.cells[2] - 1});
  file.set_doubles(group, "Origin", {first[0], first[1], first[2]});
  file.set_doubles(group, "Spacing", {g.spacing, g.spacing, g.spacing});
  file.set_doubles(group, "Direction", {1, 0, 0, 0, 1, 0, 0, 0, 1});
}

void write_small(h5::File& file, hid_t dataset, const Dataset& d) {
  std::vector<std::byte> rows(d.layout().bytes());
  if (d.source.rows > 0) copy_rows(d.source, 0, d.source.rows, rows.data());
  file.write(dataset, d.layout(), rows.data());
}

// `chunks` are freed as they go: a frame is never in memory three times.
void write_dataset(h5::File& file, hid_t group, const Dataset& d, std::vector<Chunk>& chunks) {
  const std::size_t chunk = d.is_small() ? 0 : d.source.chunk_rows;
  const h5::Handle dataset = file.create_dataset(group, d.path, d.layout(), {chunk});
  file.set_text(dataset.get(), "units", d.unit);
  if (d.is_padded()) file.set_integer(dataset.get(), "components", d.source.type.components);
  if (d.is_small()) return write_small(file, dataset.get(), d);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    file.write_chunk(dataset.get(), d.layout(), c * chunk, chunks[c]);
    chunks[c] = {};
  }
}

}  // namespace

void write_hdf5(const std::filesystem::path& path, const RunInfo& info, const Frame& frame,
                const FrameFile& what) {
  const VtkGeometry geometry(what.object);
  const bool bodies = what.object.kind == Kind::bodies;
  const std::vector<std::int64_t> points{bodies ? std::int64_t(geometry.points.size() / 3)
                                                : std::int64_t(what.object.rows)};
  const std::vector<Dataset> datasets = datasets_of(what.object, geometry, points);
  std::vector<ChunkSource> sources;
  for (const Dataset& d : datasets) sources.push_back(d.is_small() ? ChunkSource{} : d.source);
  std::vector<std::vector<Chunk>> chunks = compress_chunks(sources, info.threads);

  h5::File file = h5::File::create_image(path.string());
  write_root(file, info, frame, what.object);
  const h5::Handle group = file.create_group(file.root(), "VTKHDF");
  file.set_integers(group.get(), "Version", {1, 0});
  file.set_text(group.get(), "Type", is_image(what.object) ? "ImageData" : "UnstructuredGrid");
  if (is_image(what.object)) write_image(file, group.get(), *what.object.grid);
  const h5::Handle point_data = file.create_group(group.get(), bodies ? "CellData" : "PointData");
  h5::Handle table;
  std::vector<h5::Handle> beside;
  if (bodies) table = file.create_group(file.root(), "rtsim");
  for (const FrameTable& t : what.object.beside)
    beside.push_back(file.create_group(file.root(), t.name));
  for (std::size_t k = 0; k < datasets.size(); ++k)
    write_dataset(file, group.get(), datasets[k], chunks[k]);
  write_bytes(path, file.image());
}

}  // namespace rtsim
