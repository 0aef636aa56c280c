#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cache/frame_writer.h"
#include "convert/frame_range.h"

namespace rtsim {

// A run's HDF5 frames into another format. The result is a folder laid out as a run's: files in
// cache/, a line for each frame in frames.jsonl once its files are whole, and convert.json, which
// says what was made of what. Where such a conversion was cut off, it goes on.
struct Conversion {
  std::filesystem::path run, out;
  std::string run_id;           // goes into the files, so that they are those of the run itself
  std::vector<std::string> to;  // names of formats.cpp: one, or several surfaces
  Output output;                // parameters of volumes and surfaces; the object is filled in
  std::string description;      // of the output, JSON, for convert.json
  std::vector<std::string> objects, columns;  // empty: all that can be
  FrameRange frames;
  int jobs = 1;  // frames at once, and threads of all together
  bool overwrite = false;
};

struct Converted {
  long before = 0;             // frames that were there already
  long frames = 0, files = 0;  // now
  std::uint64_t bytes = 0;
};

// Throws Error{bad_input} where nothing fits what is asked, Error{output_exists} where `out` holds
// something else, Error{io} for damaged frames and full disks; what has its line is whole all the
// same.
Converted convert_run(const Conversion&);

}  // namespace rtsim
