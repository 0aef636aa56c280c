#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cache/checkpoint.h"
#include "sim/records/manifest.h"
#include "sim/scene.h"

namespace rtsim {

// A run that goes on from a checkpoint of another, its parent, in a folder of its own, with other
// parameters. Its folder is that of a whole run: the frames before it are the parent's files under
// a second name.
struct Branch {
  std::filesystem::path folder;  // the parent's
  Scene scene;                   // likewise
  Manifest manifest;             // likewise
  CheckpointFile checkpoint;
  Manifest::Parent origin;  // what the manifest of the branch says

  // Whether anything but what is written, and the end, is other than in the parent.
  bool changes_physics() const;
};

// The place "RUN@FRAME", or "RUN" for the last checkpoint. Throws Error{bad_input} where the run is
// not finished or the frame has no checkpoint, Error{io} where what the checkpoint saw is not
// whole.
Branch find_branch(const std::string& place);

// Notes what is other in `next`. Throws Error{bad_input} with every key that a branch cannot
// change, and why.
void compare_scenes(Branch&, const Scene& next);

// Fills a world that `next` built from the checkpoint. What the run never changed since its start,
// a mass or the stiffness of a spring, is as `next` has it; a difference in anything else of the
// start is an Error{bad_input}.
void load_branch(const Branch&, World&);

// Frames, logs and the checkpoint, in a folder that has a manifest and nothing else of a run.
void write_history(const Branch&, const std::filesystem::path& folder);

}  // namespace rtsim
