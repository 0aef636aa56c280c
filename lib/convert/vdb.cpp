#include "convert/frame_formats.h"

namespace rtsim {

void write_frame_vdb(const FrameJob& job, FileSink& sink) {
  const std::string path = frame_path(job.object.name, job.frame.index, Format::vdb);
  sink.file(path, [&](const std::filesystem::path& temporary) {
    write_vdb(temporary, job.info, job.frame, {job.output, job.object});
  });
}

}  // namespace rtsim
