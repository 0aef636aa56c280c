#pragma once
#include "cache/checkpoint.h"
#include "support/running.h"
#include "support/temporary_folder.h"

namespace rtsim {

// Whether a run on two threads and one on a single thread that goes on from its checkpoint after so
// many steps have the same bytes as many steps later.
inline bool resumes_alike(const std::string& scene, long steps) {
  const TemporaryFolder folder;
  Running first(scene, Exec::cpu(2));
  first.advance(steps);
  save_checkpoint(folder.path, first.world(), {.step = steps});
  Running second(scene, Exec::cpu(1));
  std::string warnings;
  const auto checkpoint = find_checkpoint(folder.path, warnings).value();
  load_checkpoint(checkpoint.file, second.world());
  second.steps = checkpoint.progress.step;
  second.refresh();
  first.advance(steps), second.advance(steps);
  return second.world().state_hash() == first.world().state_hash();
}

}  // namespace rtsim
