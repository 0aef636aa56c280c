#include <fmt/format.h>

#include "base/hash.h"
#include "cache/durable.h"
#include "convert/format.h"

namespace rtsim {

namespace fs = std::filesystem;

void FileSink::take(const std::string& path,
                    const std::function<std::uint64_t(const fs::path&)>& write) {
  const fs::path file = folder_ / path, temporary = file.string() + ".tmp";
  make_folders(file.parent_path());
  try {
    const std::uint64_t hash = write(temporary);
    written_.push_back({path, fs::file_size(temporary), hash});
    begin_sync(temporary);
    rename_file(temporary, file);
  } catch (...) {
    std::error_code ignored;  // the failure at hand says more
    fs::remove(temporary, ignored);
    throw;
  }
}

void FileSink::stream(const std::string& path, const std::function<void(FileStream&)>& put) {
  take(path, [&](const fs::path& temporary) {
    FileStream to(temporary);
    put(to);
    to.close();
    return to.hash();
  });
}

void FileSink::parts(const std::string& path, std::span<const std::string_view> parts) {
  stream(path, [&](FileStream& to) {
    for (const std::string_view part : parts) to.put(part);
  });
}

void FileSink::file(const std::string& path, const std::function<void(const fs::path&)>& write) {
  take(path, [&](const fs::path& temporary) {
    write(temporary);
    return hash_file(temporary);
  });
}

void FileSink::forget() {
  std::error_code ignored;
  for (const WrittenFile& w : written_) fs::remove(folder_ / w.path, ignored);
  written_.clear();
}

std::string converted_path(const FrameJob& job, const std::string& ending) {
  const std::string& name = job.object.name;
  return fmt::format("cache/{0}/{0}.{1:06}.{2}", name, job.frame.index, ending);
}

}  // namespace rtsim
