#include <numeric>

#include "base/error.h"
#include "cache/chunk_compress.h"
#include "cache/durable.h"
#include "cache/frame_writer.h"
#include "cache/hdf5_file.h"

namespace rtsim {

namespace {

// A dataset of the frame and the rows that go into it.
struct Dataset {
  std::string path;  // in the group VTKHDF
  std::string unit;
  ChunkSource source;

  h5::Layout layout() const { return {{source.type.scalar, source.components}, source.rows}; }
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
  // Readers know vectors of three only, so those of the plane get z = 0.
  const bool plane_vector = object.dim == 2 && column.type.components == 2;
  return {column.bytes.data(), rows,
          column.type,         plane_vector ? 3 : column.type.components,
          column.keep_bits,    chunk_rows(rows)};
}

template <class T>
Dataset index_dataset(const char* path, const std::vector<T>& values) {
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  return {path, "", {data, values.size(), element_type<T>, 1, 0, chunk_rows(values.size())}};
}

// One poly-vertex cell that owns all points: half the size of a vertex cell for each.
struct PointTopology {
  explicit PointTopology(Index rows)
      : points{rows}, cells{1}, connectivity(std::size_t(rows)), offsets{0, rows}, types{2} {
    std::iota(connectivity.begin(), connectivity.end(), 0);
  }

  std::vector<Dataset> datasets() const {
    return {index_dataset("NumberOfPoints", points),
            index_dataset("NumberOfCells", cells),
            index_dataset("NumberOfConnectivityIds", points),
            index_dataset("Connectivity", connectivity),
            index_dataset("Offsets", offsets),
            index_dataset("Types", types)};
  }

  std::vector<std::int64_t> points, cells;
  std::vector<std::int32_t> connectivity, offsets;
  std::vector<std::uint8_t> types;
};

std::vector<Dataset> datasets_of(const FrameObject& object, const PointTopology& topology) {
  if (object.columns.empty() || object.columns[0].name != "position")
    throw Error(ExitCode::internal,
                "frame of '" + object.name + "': its first column is not 'position'");
  std::vector<Dataset> all = topology.datasets();
  for (const FrameColumn& c : object.columns)
    all.push_back({&c == &object.columns[0] ? "Points" : "PointData/" + c.name, c.unit,
                   source_of(object, c)});
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
  const PointTopology topology(what.object.rows);
  const std::vector<Dataset> datasets = datasets_of(what.object, topology);
  std::vector<ChunkSource> sources;
  for (const Dataset& d : datasets) sources.push_back(d.is_small() ? ChunkSource{} : d.source);
  std::vector<std::vector<Chunk>> chunks = compress_chunks(sources, info.threads);

  h5::File file = h5::File::create_image(path.string());
  write_root(file, info, frame, what.object);
  const h5::Handle group = file.create_group(file.root(), "VTKHDF");
  file.set_integers(group.get(), "Version", {1, 0});
  file.set_text(group.get(), "Type", "UnstructuredGrid");
  const h5::Handle point_data = file.create_group(group.get(), "PointData");
  for (std::size_t k = 0; k < datasets.size(); ++k)
    write_dataset(file, group.get(), datasets[k], chunks[k]);
  write_bytes(path, file.image());
}

}  // namespace rtsim
