#pragma once
#include <filesystem>

#include "cache/checkpoint.h"

namespace rtsim {

// The newest checkpoint that is whole together with all that it saw. Those that are not are passed
// over, each with a line to `warnings`.
std::optional<CheckpointFile> find_resume_point(const std::filesystem::path& run_folder,
                                                std::string& warnings);

// Takes a run folder back to where a checkpoint saw it: cuts frames.jsonl and series.csv to its
// lengths and torn lines off log.jsonl, deletes later frames, later checkpoints and leftover
// temporaries, rewrites the .hdf.series. Killed half-way, it can be done again. Throws Error{io}
// where a log is shorter than the checkpoint knew it.
void cut_back(const std::filesystem::path& run_folder, const Progress&);

// Removes what a run writes, and nothing else: for --overwrite. run.json goes last, so that a
// folder half cleared still is a run's.
void clear_run(const std::filesystem::path& run_folder);

}  // namespace rtsim
