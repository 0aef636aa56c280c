#include "cache/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/error.h"
#include "base/hash.h"
#include "cache/chunk_compress.h"
#include "cache/durable.h"
#include "cache/hdf5_file.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

Kind kind_of(const h5::File& file) {
  const std::string name = file.text(file.root(), "kind");
  for (const Kind k :
       {Kind::particles, Kind::mesh, Kind::grid, Kind::height_field, Kind::bodies, Kind::boundary})
    if (name == to_string(k)) return k;
  file.fail("read: there is no kind '" + name + "'");
}

// Takes the zeros off again that made vectors of the plane three long.
std::vector<std::byte> without_padding(const std::vector<std::byte>& rows, std::size_t from,
                                       std::size_t to) {
  std::vector<std::byte> out(rows.size() / from * to);
  for (std::size_t i = 0; i < rows.size() / from; ++i)
    std::memcpy(out.data() + i * to, rows.data() + i * from, to);
  return out;
}

// A column whose rows are still in the file: HDF5 works on one thread at a time, and takes four
// times as long to unpack.
struct PackedColumn {
  FrameColumn column;
  h5::Layout layout;  // in the file: vectors of the plane have three components
  std::optional<h5::StoredChunks> stored = {};  // none: `column` has its rows
};

PackedColumn find_column(const h5::File& file, hid_t group, const std::string& name, Index rows) {
  const h5::Handle dataset = file.open_dataset(group, name);
  const h5::Layout layout = file.layout(dataset.get(), name);
  if (layout.rows != std::size_t(rows))
    file.fail("read dataset '" + name + "': it has other rows than its object");
  PackedColumn c{{name, file.text(dataset.get(), "units"), layout.type, {}, 0}, layout};
  c.stored = file.stored_chunks(dataset.get(), layout);
  if (!c.stored) {
    c.column.bytes.resize(layout.bytes());
    file.read(dataset.get(), layout, c.column.bytes.data());
  }
  if (!file.has_attribute(dataset.get(), "components")) return c;
  const std::int64_t components = file.integer(dataset.get(), "components");
  if (components < 1 || components > layout.type.components)
    file.fail("read dataset '" + name + "': its attribute 'components' is wrong");
  c.column.type.components = int(components);
  return c;
}

FrameColumn unpacked(PackedColumn c, std::string_view file, Unpacker& unpacker) {
  if (c.stored) {
    c.column.bytes.resize(c.layout.bytes());
    for (const h5::StoredChunk& s : c.stored->chunks) {
      if (s.at + s.bytes > file.size() || s.first_row >= c.layout.rows)
        throw Error(ExitCode::io, "a chunk of '" + c.column.name + "' stands outside of the file");
      const auto* bytes = reinterpret_cast<const std::byte*>(file.data()) + s.at;
      unpacker.unpack({bytes, s.bytes}, c.layout.type, c.stored->rows,
                      std::min(c.stored->rows, c.layout.rows - s.first_row),
                      c.column.bytes.data() + s.first_row * c.layout.type.bytes());
    }
  }
  if (c.column.type != c.layout.type)
    c.column.bytes = without_padding(c.column.bytes, c.layout.type.bytes(), c.column.type.bytes());
  return std::move(c.column);
}

GridShape read_grid(const h5::File& file, const FrameObject& object) {
  const auto cells = file.integers(file.root(), "cells", 3);
  const auto low = file.reals(file.root(), "low", 3);
  GridShape g;
  g.spacing = object.spacing;
  for (int a = 0; a < 3; ++a) {
    if (cells[std::size_t(a)] < 1 || cells[std::size_t(a)] > 1'000'000)
      file.fail("read attribute 'cells': it is absurd");
    g.cells[a] = Index(cells[std::size_t(a)]), g.low[a] = low[std::size_t(a)];
    g.spans[a] = object.kind == Kind::height_field ? a != 1 : a < object.dim;
  }
  if (g.rows() > 2147483647) file.fail("read attribute 'cells': it is absurd");
  return g;
}

std::int32_t corner(const FrameColumn& c, std::size_t i) {
  std::int32_t value;
  std::memcpy(&value, c.bytes.data() + i * sizeof value, sizeof value);
  return value;
}

FrameColumn read_whole(const h5::File& file, hid_t group, const std::string& name) {
  const h5::Handle dataset = file.open_dataset(group, name);
  const h5::Layout layout = file.layout(dataset.get(), name);
  FrameColumn c{name, "", layout.type, std::vector<std::byte>(layout.bytes()), 0};
  file.read(dataset.get(), layout, c.bytes.data());
  return c;
}

// All cells of a mesh are alike; where all are torn there are none.
FrameCells read_cells(const h5::File& file, hid_t group, Index points, int corners) {
  const auto read = [&](const char* name) {
    FrameColumn c = read_whole(file, group, name);
    if (c.type != element_type<std::int32_t>)
      file.fail("read dataset '" + std::string(name) + "': it does not hold 32-bit integers");
    return c;
  };
  const FrameColumn offsets = read("Offsets"), connectivity = read("Connectivity");
  FrameCells cells;
  cells.corners = corners;
  if (cells.corners < 2 || cells.corners > 4) file.fail("read cells: their corners are absurd");
  const std::size_t all = connectivity.bytes.size() / sizeof(std::int32_t);
  for (std::size_t c = 0; c < offsets.bytes.size() / sizeof(std::int32_t); ++c)
    if (corner(offsets, c) != std::int64_t(c) * cells.corners ||
        std::size_t(corner(offsets, c)) > all)
      file.fail("read cells: they are not all alike");
  if (all % std::size_t(cells.corners) != 0) file.fail("read cells: the last one is torn");
  for (std::size_t i = 0; i < all; ++i) {
    cells.points.push_back(corner(connectivity, i));
    if (cells.points.back() < 0 || cells.points.back() >= points)
      file.fail("read cells: a corner is no point of the mesh");
  }
  return cells;
}

template <class T>
std::vector<T> numbers(const h5::File& file, const FrameColumn& c) {
  if (c.type.scalar != element_type<T>.scalar)
    file.fail("read dataset '" + c.name + "': its type is not that of this build");
  std::vector<T> values(c.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), c.bytes.data(), c.bytes.size());
  return values;
}

struct PackedObject {
  FrameObject object;  // without columns
  std::vector<PackedColumn> columns;
};

// The table of bodies lies beside the triangles that they show.
void find_bodies(const h5::File& file, hid_t group, PackedObject& packed) {
  FrameSurface& s = packed.object.surface;
  const FrameColumn points = read_whole(file, group, "Points");
  s.points = numbers<Real>(file, points);
  s.triangles = read_cells(file, group, Index(s.points.size() / 3), 3).points;
  s.body = numbers<std::int32_t>(file, read_whole(file, group, "CellData/body"));
  if (s.body.size() * 3 != s.triangles.size())
    file.fail("read dataset 'CellData/body': it has other rows than there are triangles");
  const h5::Handle table = file.open_group(file.root(), "rtsim");
  const h5::Handle position = file.open_dataset(table.get(), "position");
  packed.object.rows = Index(file.layout(position.get(), "position").rows);
  for (const std::string& name : file.names(table.get()))
    packed.columns.push_back(find_column(file, table.get(), name, packed.object.rows));
}

PackedObject find_object(const h5::File& file) {
  if (file.text(file.root(), "format") != "rtsim-frame") file.fail("read: it is no frame of rtsim");
  if (file.integer(file.root(), "format_version") != 1) file.fail("read: it is of a newer version");
  PackedObject packed{{file.text(file.root(), "object"),
                       kind_of(file),
                       int(file.integer(file.root(), "dim")),
                       file.real(file.root(), "spacing"),
                       0,
                       {},
                       {}},
                      {}};
  FrameObject& object = packed.object;
  std::vector<PackedColumn>& columns = packed.columns;
  const h5::Handle group = file.open_group(file.root(), "VTKHDF");
  if (object.kind == Kind::bodies) {
    find_bodies(file, group.get(), packed);
    return packed;
  }
  if (object.kind == Kind::grid || object.kind == Kind::height_field) {
    object.grid = read_grid(file, object);
    object.rows = Index(object.grid->rows());
  } else {
    const h5::Handle points = file.open_dataset(group.get(), "Points");
    object.rows = Index(file.layout(points.get(), "Points").rows);
    columns.push_back(find_column(file, group.get(), "Points", object.rows));
    columns[0].column.name = "position";
    if (object.kind == Kind::mesh) {
      const auto corners = int(file.integer(file.root(), "cell_corners"));
      object.cells = read_cells(file, group.get(), object.rows, corners);
    }
  }
  const h5::Handle data = file.open_group(group.get(), "PointData");
  for (const std::string& name : file.names(data.get()))
    columns.push_back(find_column(file, data.get(), name, object.rows));
  return packed;
}

// A file in memory, with its columns still packed.
struct PackedFrame {
  std::string name, bytes;
  PackedObject packed;
};

PackedFrame open_frame(const fs::path& run_folder, const WrittenFile& written) {
  static std::mutex one_at_a_time;  // HDF5 is built for one thread
  const fs::path file = run_folder / written.path;
  if (file.extension() != ".hdf")
    throw Error(ExitCode::io, file.string() + ": not an HDF5 frame (.hdf)");
  PackedFrame f{file.string(), read_file(file), {}};
  if (f.bytes.size() != written.bytes || hash_bytes(f.bytes.data(), f.bytes.size()) != written.xxh3)
    throw Error(ExitCode::io, f.name +
                                  ": its size or checksum is not that in frames.jsonl: "
                                  "the file is damaged");
  const std::scoped_lock lock(one_at_a_time);
  f.packed = find_object(h5::File::open_image(f.name, f.bytes));
  return f;
}

FrameObject unpacked(PackedFrame f, const ColumnChoice& wanted) {
  FrameObject& object = f.packed.object;
  std::vector<PackedColumn>& columns = f.packed.columns;
  for (const PackedColumn& c : columns)
    object.columns.push_back({c.column.name, c.column.unit, c.column.type, {}, 0});
  Unpacker unpacker;
  for (std::size_t k = 0; k < columns.size(); ++k) try {
      if (!wanted || wanted(object, object.columns[k].name))
        object.columns[k] = unpacked(std::move(columns[k]), f.bytes, unpacker);
    } catch (const Error& e) {
      throw Error(e.code(), f.name + ": " + e.what());
    }
  return std::move(object);
}

bool same_rows(const PackedFrame& f, const PackedColumn& a, const PackedFrame& g,
               const PackedColumn& b) {
  if (!a.stored || !b.stored || a.layout != b.layout || a.column.type != b.column.type ||
      a.stored->rows != b.stored->rows)
    return false;
  return std::ranges::equal(
      a.stored->chunks, b.stored->chunks, [&](const h5::StoredChunk& x, const h5::StoredChunk& y) {
        return x.first_row == y.first_row && x.at + x.bytes <= f.bytes.size() &&
               y.at + y.bytes <= g.bytes.size() &&
               std::string_view(f.bytes).substr(x.at, x.bytes) ==
                   std::string_view(g.bytes).substr(y.at, y.bytes);
      });
}

// None where rows stand in another order, or are other rows.
std::vector<std::string> same_columns(const PackedFrame& f, const PackedFrame& g) {
  std::vector<std::string> same;
  bool ids_differ = f.packed.object.rows != g.packed.object.rows;
  for (const PackedColumn& c : f.packed.columns) {
    const auto& others = g.packed.columns;
    const auto d = std::ranges::find_if(
        others, [&](const PackedColumn& x) { return x.column.name == c.column.name; });
    if (d != others.end() && same_rows(f, c, g, *d))
      same.push_back(c.column.name);
    else if (c.column.name == "id")
      ids_differ = true;
  }
  return ids_differ ? std::vector<std::string>() : same;
}

WrittenFile committed(const fs::path& run_folder, const fs::path& file) {
  const fs::path path = fs::path("cache") / file.parent_path().filename() / file.filename();
  for (const CommittedFrame& c : read_commits(run_folder))
    for (const WrittenFile& f : c.files)
      if (f.path == path.string()) return f;
  throw Error(ExitCode::io, file.string() + ": no line of " +
                                (run_folder / "frames.jsonl").string() +
                                " announces this file, so it is no frame of a run");
}

}  // namespace

FrameObject read_frame(const fs::path& run_folder, const WrittenFile& written,
                       const ColumnChoice& wanted) {
  return unpacked(open_frame(run_folder, written), wanted);
}

FramePair read_pair(const fs::path& run_a, const WrittenFile& a, const fs::path& run_b,
                    const WrittenFile& b, const ColumnChoice& wanted) {
  PackedFrame f = open_frame(run_a, a), g = open_frame(run_b, b);
  FramePair pair{};
  pair.alike = same_columns(f, g);
  const auto differs = [&](const FrameObject& o, const std::string& name) {
    const bool alike = std::ranges::find(pair.alike, name) != pair.alike.end();
    return name == "id" || (!alike && (!wanted || wanted(o, name)));
  };
  pair.a = unpacked(std::move(f), differs), pair.b = unpacked(std::move(g), differs);
  return pair;
}

FrameObject read_frame(const fs::path& file) {
  const fs::path whole = fs::absolute(file).lexically_normal();
  const fs::path run_folder = whole.parent_path().parent_path().parent_path();
  return read_frame(run_folder, committed(run_folder, whole));
}

}  // namespace rtsim
