#include "convert/frame_formats.h"

namespace rtsim {

void write_frame_surface(const FrameJob& job, FileSink& sink) {
  write_surface(job.info, job.frame, {job.output, job.object},
                [&](const std::string& file, const auto& write) {
                  sink.file(surface_path(job.object.name, job.frame.index, file), write);
                });
}

}  // namespace rtsim
