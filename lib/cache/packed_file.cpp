#include "cache/packed_file.h"

#include <fmt/format.h>

#include "cache/hdf5_file.h"

namespace rtsim {

namespace {

struct Listed {
  std::vector<std::int64_t> frame, step;
  std::vector<double> time;
};

template <class T>
void write_list(h5::File& file, hid_t group, const char* name, const char* unit,
                const std::vector<T>& values) {
  const h5::Layout layout{element_type<T>, values.size()};
  const h5::Handle dataset = file.create_dataset(group, name, layout, {});
  file.set_text(dataset.get(), "units", unit);
  file.write(dataset.get(), layout, values.data());
}

}  // namespace

struct PackedFile::Files {
  h5::File file;
  std::map<std::string, h5::Handle> groups = {};
  std::map<std::string, Listed> listed = {};
};

PackedFile::PackedFile(const std::filesystem::path& path, const std::string& run_id)
    : files_(new Files{h5::File::create(path)}) {
  h5::File& file = files_->file;
  file.set_text(file.root(), "format", "rtsim-packed");
  file.set_integer(file.root(), "format_version", 1);
  file.set_text(file.root(), "run_id", run_id);
}

PackedFile::~PackedFile() = default;

// HDF5 crashes on closing a file that it could not write: what is open stays so until the end.
void PackedFile::abandon() {
  for (auto& [object, group] : files_->groups) group.release();
  files_->file.abandon();
}

void PackedFile::add(const CommittedFrame& frame, const std::string& object,
                     std::string_view bytes) try {
  h5::File& file = files_->file;
  const h5::File source = h5::File::open_image(object, bytes);
  if (!files_->groups.contains(object))
    files_->groups.emplace(object, file.create_group(file.root(), object));
  source.copy_root(files_->groups.at(object).get(), fmt::format("{:06}", frame.frame));
  Listed& l = files_->listed[object];
  l.frame.push_back(frame.frame), l.step.push_back(frame.step), l.time.push_back(frame.time);
} catch (...) {
  abandon();
  throw;
}

void PackedFile::finish() try {
  for (const auto& [object, l] : files_->listed) {
    const hid_t group = files_->groups.at(object).get();
    write_list(files_->file, group, "frame", "", l.frame);
    write_list(files_->file, group, "step", "", l.step);
    write_list(files_->file, group, "time", "s", l.time);
  }
  files_->groups.clear();
  files_->file.close();
} catch (...) {
  abandon();
  throw;
}

}  // namespace rtsim
