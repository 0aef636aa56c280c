#include "cache/frame_writer.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "cache/commits.h"
#include "cache/durable.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

void refuse_equal_paths(const Frame& frame) {
  std::set<std::string> paths;
  for (const FrameFile& f : frame.files)
    for (const std::string& path : frame_paths(f.object.name, frame.index, f.output))
      if (!paths.insert(path).second)
        throw Error(ExitCode::bad_input, "two outputs want the file " + path +
                                             ": give each object one output of a format");
}

using Write = std::function<void(const fs::path&)>;

fs::path temporary(const fs::path& folder, const std::string& path) {
  return folder / (path + ".tmp");
}

WrittenFile write_one(const fs::path& folder, const std::string& path, const Write& write) {
  const fs::path file = temporary(folder, path);
  make_folders(file.parent_path());
  try {
    write(file);
    begin_sync(file);
    return {path, fs::file_size(file), hash_file(file)};
  } catch (...) {
    drop_files(folder, std::array{WrittenFile{path, 0, 0}});
    throw;
  }
}

void write_output(const fs::path& folder, const RunInfo& info, const Frame& frame,
                  const FrameFile& f, std::vector<WrittenFile>& written) {
  const std::string& object = f.object.name;
  const auto write = [&](const std::string& path, const Write& body) {
    written.push_back(write_one(folder, path, body));
  };
  if (f.output.format == Format::surface)
    return write_surface(info, frame, f, [&](const std::string& file, const Write& body) {
      write(surface_path(object, frame.index, file), body);
    });
  write(frame_path(object, frame.index, f.output.format), [&](const fs::path& temporary) {
    (f.output.format == Format::hdf5 ? write_hdf5 : write_vdb)(temporary, info, frame, f);
  });
}

}  // namespace

std::vector<WrittenFile> begin_frame(const fs::path& folder, const RunInfo& info,
                                     const Frame& frame) {
  refuse_equal_paths(frame);
  std::vector<WrittenFile> written;
  try {
    for (const FrameFile& f : frame.files) write_output(folder, info, frame, f, written);
  } catch (...) {
    drop_files(folder, written);
    throw;
  }
  return written;
}

void finish_files(const fs::path& folder, std::span<const WrittenFile> files) {
  std::vector<fs::path> temporaries;
  for (const WrittenFile& f : files) temporaries.push_back(temporary(folder, f.path));
  sync_files(temporaries);
  std::set<fs::path> folders;
  for (const WrittenFile& f : files) {
    rename_file(temporary(folder, f.path), folder / f.path);
    folders.insert((folder / f.path).parent_path());
  }
  for (const fs::path& inside : folders) sync_path(inside);
}

// The failure at hand says more than one of these would.
void drop_files(const fs::path& folder, std::span<const WrittenFile> files) {
  std::error_code ignored;
  for (const WrittenFile& f : files) fs::remove(temporary(folder, f.path), ignored);
}

std::vector<WrittenFile> write_frame(const fs::path& folder, const RunInfo& info,
                                     const Frame& frame) {
  const std::vector<WrittenFile> files = begin_frame(folder, info, frame);
  try {
    finish_files(folder, files);
  } catch (...) {
    drop_files(folder, files);
    throw;
  }
  return files;
}

std::string commit_line(const Frame& frame, const std::vector<WrittenFile>& files) {
  nlohmann::ordered_json line = {{"frame", frame.index},
                                 {"step", frame.step},
                                 {"time", frame.time},
                                 {"files", nlohmann::json::array()}};
  for (const WrittenFile& f : files)
    line["files"].push_back(
        nlohmann::ordered_json{{"path", f.path}, {"bytes", f.bytes}, {"xxh3", hex(f.xxh3)}});
  return line.dump();
}

}  // namespace rtsim
