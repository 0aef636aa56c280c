#include "cache/volumes.h"
#include "convert/columns.h"
#include "convert/frame_formats.h"

namespace rtsim {

void write_frame_vdb(const FrameJob& job, FileSink& sink) {
  const std::string path = frame_path(job.object.name, job.frame.index, Format::vdb);
  sink.file(path, [&](const std::filesystem::path& temporary) {
    write_vdb(temporary, job.info, job.frame, {job.output, job.object});
  });
}

void write_frame_vdb_points(const FrameJob& job, FileSink& sink) {
  FrameFile file{job.output, job.object};
  for (FrameColumn& c : file.object.columns)
    if (c.name != "position") c = padded(c);
  sink.file(converted_path(job, "vdb"), [&](const std::filesystem::path& temporary) {
    volume_writers().write_vdb_points(temporary, job.info, job.frame, file);
  });
}

}  // namespace rtsim
