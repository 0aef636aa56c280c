#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/durable.h"
#include "world/world.h"

namespace rtsim {

// Where a run stood: what a resume needs beside the world.
struct Progress {
  long step = 0;           // steps done
  long frames = 0;         // frames committed
  LogEnd frames_log = {};  // of frames.jsonl
  LogEnd series = {};      // of series.csv
};

// checkpoints/000000000240.h5, then 000000000240.complete with its size and XXH3: only then does it
// count. All state columns of all tables in their own precision, rows, next_id. The newest `keep`
// stay, all where it is 0.
void save_checkpoint(const std::filesystem::path& run_folder, const World&, const Progress&,
                     int keep = 2);

// Puts a checkpoint of one run into the folder of another, with the logs as that has them.
void copy_checkpoint(const std::filesystem::path& file, const std::filesystem::path& run_folder,
                     const Progress&);

// The newest whole checkpoint, whatever became of the frames and logs that it saw; damaged ones are
// passed over, each with a line to `warnings`.
struct CheckpointFile {
  std::filesystem::path file;
  Progress progress;
};
std::optional<CheckpointFile> find_checkpoint(const std::filesystem::path& run_folder,
                                              std::string& warnings);

// The checkpoints that were marked complete, newest first, damaged since or not.
std::vector<std::filesystem::path> marked_checkpoints(const std::filesystem::path& run_folder);

// Holds a checkpoint against its marker. Throws Error{io} where either is damaged.
Progress check_checkpoint(const std::filesystem::path& file);

// Fills the tables of a world that the same scene built; derived columns of tables whose rows are
// as many as before stay, others are zero. Throws Error{io} where the file is damaged,
// Error{bad_input} where tables or columns differ.
void load_checkpoint(const std::filesystem::path& file, World&);

}  // namespace rtsim
