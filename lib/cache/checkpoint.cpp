#include "cache/checkpoint.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/hash.h"
#include "cache/durable.h"
#include "cache/hdf5_file.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

constexpr int format_version = 1;

bool is_step(const std::string& name) {
  return name.size() == 12 && name.find_first_not_of("0123456789") == std::string::npos;
}

// What a marker says of its checkpoint: JSON on one line, the line's own XXH3 on the next.
struct Marker {
  std::uint64_t bytes = 0, xxh3 = 0;
  Progress progress;
};

fs::path marker_of(const fs::path& file) { return fs::path(file).replace_extension(".complete"); }

std::string to_text(const Marker& m) {
  const nlohmann::ordered_json j = {{"bytes", m.bytes},
                                    {"xxh3", hex(m.xxh3)},
                                    {"step", m.progress.step},
                                    {"frames", m.progress.frames},
                                    {"frames_bytes", m.progress.frames_log.bytes},
                                    {"frames_xxh3", hex(m.progress.frames_log.xxh3)},
                                    {"series_bytes", m.progress.series.bytes},
                                    {"series_xxh3", hex(m.progress.series.xxh3)}};
  const std::string line = j.dump();
  return line + "\n" + hex(hash_bytes(line.data(), line.size())) + "\n";
}

std::uint64_t digest(const nlohmann::json& hex_digits) {
  return std::stoull(hex_digits.get<std::string>(), nullptr, 16);
}

Marker read_marker(const fs::path& file) {
  const std::string text = read_file(file);
  const std::size_t end = text.find('\n');
  const std::string line = text.substr(0, end);
  if (end == std::string::npos ||
      text.substr(end + 1) != hex(hash_bytes(line.data(), line.size())) + "\n")
    throw Error(ExitCode::io, file.string() + ": the marker is damaged");
  const nlohmann::json j = nlohmann::json::parse(line);  // whole, so it is what to_text wrote
  if (!j.contains("series_xxh3"))
    throw Error(ExitCode::io, file.string() + ": of a version that kept no checksums of the logs");
  return {j.at("bytes"),
          digest(j.at("xxh3")),
          {j.at("step"),
           j.at("frames"),
           {j.at("frames_bytes"), digest(j.at("frames_xxh3"))},
           {j.at("series_bytes"), digest(j.at("series_xxh3"))}}};
}

void write_table(h5::File& file, const World& world, const Table& table) {
  const h5::Handle group = file.create_group(file.root(), table.name());
  file.set_integer(group.get(), "rows", table.rows());
  std::vector<std::byte> host;
  for (const Column& c : table.columns()) {
    if (c.info.role != Role::state) continue;
    const h5::Layout layout{c.type, std::size_t(table.rows())};
    host.resize(layout.bytes());
    world.exec.download(host.data(), c.bytes.data(), host.size());
    const h5::Handle dataset = file.create_dataset(group.get(), c.info.name, layout, {});
    file.set_text(dataset.get(), "units", c.info.unit);
    file.write(dataset.get(), layout, host.data());
  }
}

// At most: HDF5 needs about 1 kB for a dataset and 3 kB for a group.
std::uint64_t most_bytes(const World& world) {
  std::uint64_t bytes = 8192;
  for (const auto& t : world.tables()) {
    bytes += 8192;
    for (const Column& c : t->columns())
      if (c.info.role == Role::state) bytes += std::uint64_t(t->rows()) * c.type.bytes() + 4096;
  }
  return bytes;
}

void write_world(const fs::path& path, const World& world, const Progress& progress) {
  h5::File file = h5::File::create(path);
  file.set_text(file.root(), "format", "rtsim-checkpoint");
  file.set_integer(file.root(), "format_version", format_version);
  file.set_integer(file.root(), "step", progress.step);
  file.set_integer(file.root(), "dim", world.dim);
  file.set_integer(file.root(), "next_id", world.next_id);
  for (const auto& t : world.tables()) write_table(file, world, *t);
  file.close();
}

// The marker goes first: a checkpoint without one does not count.
void remove_all_but_newest(const fs::path& run_folder, std::size_t keep) {
  const std::vector<fs::path> files = marked_checkpoints(run_folder);
  for (std::size_t k = keep; k < files.size(); ++k) {
    fs::remove(marker_of(files[k]));
    fs::remove(files[k]);
  }
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
  return text.empty() ? "none" : text;
}

[[noreturn]] void mismatch(const fs::path& file, const std::string& what) {
  throw Error(ExitCode::bad_input,
              file.string() + ": " + what + ": it is of another scene or version");
}

std::vector<std::string> state_columns(const Table& table) {
  std::vector<std::string> names;
  for (const Column& c : table.columns())
    if (c.info.role == Role::state) names.push_back(c.info.name);
  std::ranges::sort(names);
  return names;
}

// A group of the file, known to fit its table.
struct SavedTable {
  Table* table;
  h5::Handle group;
  Index rows;
};

SavedTable match(const h5::File& file, const fs::path& path, Table& table) {
  h5::Handle group = file.open_group(file.root(), table.name());
  const std::vector<std::string> saved = file.names(group.get()), wanted = state_columns(table);
  if (saved != wanted)
    mismatch(path, "table '" + table.name() + "' has the columns " + list(saved) + " here, " +
                       list(wanted) + " in the scene");
  const std::int64_t rows = file.integer(group.get(), "rows");
  for (const std::string& name : saved) {
    const h5::Layout layout = file.layout(file.open_dataset(group.get(), name).get(), name);
    if (layout != h5::Layout{table.column_bytes(name).type, std::size_t(rows)})
      mismatch(path, "column '" + name + "' of table '" + table.name() +
                         "' has another type or precision");
  }
  return {&table, std::move(group), Index(rows)};
}

// Where rows neither came nor went, derived columns stay as the scene's build made them: nobody
// computes those of walls that never move again.
void fill(const h5::File& file, const SavedTable& saved, const World& world) {
  if (saved.table->rows() != saved.rows) saved.table->resize(saved.rows);
  std::vector<std::byte> host;
  for (const std::string& name : file.names(saved.group.get())) {
    Column& c = saved.table->column_bytes(name);
    const h5::Layout layout{c.type, std::size_t(saved.rows)};
    host.resize(layout.bytes());
    file.read(file.open_dataset(saved.group.get(), name).get(), layout, host.data());
    world.exec.upload(c.bytes.data(), host.data(), host.size());
  }
}

}  // namespace

void save_checkpoint(const fs::path& run_folder, const World& world, const Progress& progress,
                     int keep) try {
  char name[32];
  std::snprintf(name, sizeof name, "%012ld.h5", progress.step);
  const fs::path file = run_folder / "checkpoints" / name;
  make_folders(file.parent_path());
  Marker marker{0, 0, progress};
  write_durably(file, [&](const fs::path& temporary) {
    check_room(temporary, most_bytes(world));  // HDF5 does not survive a full disk unharmed
    write_world(temporary, world, progress);
    marker.bytes = fs::file_size(temporary);
    marker.xxh3 = hash_file(temporary);
  });
  write_file(marker_of(file), to_text(marker));
  if (keep > 0) remove_all_but_newest(run_folder, std::size_t(keep));
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

void copy_checkpoint(const fs::path& file, const fs::path& run_folder,
                     const Progress& progress) try {
  const fs::path copy = run_folder / "checkpoints" / file.filename();
  make_folders(copy.parent_path());
  link_or_copy(file, copy);
  write_file(marker_of(copy), to_text({fs::file_size(copy), hash_file(copy), progress}));
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

std::vector<fs::path> marked_checkpoints(const fs::path& run_folder) try {
  std::vector<fs::path> files;
  const fs::path folder = run_folder / "checkpoints";
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".complete" && is_step(entry.path().stem().string()))
      files.push_back(fs::path(entry.path()).replace_extension(".h5"));
  std::ranges::sort(files, std::greater());
  return files;
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

Progress check_checkpoint(const fs::path& file) {
  const Marker m = read_marker(marker_of(file));
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(file, missing);
  if (missing) throw Error(ExitCode::io, file.string() + ": " + missing.message());
  if (bytes != m.bytes)
    throw Error(ExitCode::io, file.string() + ": " + std::to_string(bytes) + " bytes, not the " +
                                  std::to_string(m.bytes) + " that were written");
  if (hash_file(file) != m.xxh3)
    throw Error(ExitCode::io, file.string() + ": its checksum differs: the file is damaged");
  return m.progress;
}

std::optional<CheckpointFile> find_checkpoint(const fs::path& run_folder, std::string& warnings) {
  for (const fs::path& file : marked_checkpoints(run_folder)) {
    try {
      return CheckpointFile{file, check_checkpoint(file)};
    } catch (const Error& e) {
      warnings += std::string(e.what()) + "; an older checkpoint is used\n";
    }
  }
  return std::nullopt;
}

void load_checkpoint(const fs::path& path, World& world) {
  check_checkpoint(path);  // so that HDF5 never sees a damaged file
  const h5::File file = h5::File::open(path);
  if (file.text(file.root(), "format") != "rtsim-checkpoint" ||
      file.integer(file.root(), "format_version") != format_version)
    mismatch(path, "not a checkpoint of this version");
  if (file.integer(file.root(), "dim") != world.dim) mismatch(path, "it has another dimension");

  std::vector<std::string> wanted;
  for (const auto& t : world.tables()) wanted.push_back(t->name());
  std::ranges::sort(wanted);
  const std::vector<std::string> saved = file.names(file.root());
  if (saved != wanted)
    mismatch(path, "it has the tables " + list(saved) + ", the scene has " + list(wanted));

  std::vector<SavedTable> tables;
  for (const auto& t : world.tables()) tables.push_back(match(file, path, *t));
  for (const SavedTable& t : tables) fill(file, t, world);
  world.next_id = std::uint32_t(file.integer(file.root(), "next_id"));
}

}  // namespace rtsim
