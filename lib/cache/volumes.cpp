#include "cache/volumes.h"

#include "base/volumes_library.h"

namespace rtsim {

const VolumeWriters& volume_writers() {
  static const auto* const writers = static_cast<const VolumeWriters*>(
      volumes_table(RTSIM_VOLUME_WRITERS, "writes volumes and surfaces"));
  return *writers;
}

void write_vdb(const std::filesystem::path& path, const RunInfo& info, const Frame& frame,
               const FrameFile& what) {
  volume_writers().write_vdb(path, info, frame, what);
}

}  // namespace rtsim
