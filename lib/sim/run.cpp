#include "sim/run.h"

#include <fmt/format.h>

#include "cache/checkpoint.h"
#include "cache/durable.h"
#include "exec/profile.h"
#include "sim/build/settle.h"
#include "sim/clock.h"
#include "sim/expect/expect.h"
#include "sim/interrupt.h"
#include "sim/progress.h"
#include "sim/records/event_log.h"
#include "sim/records/recorder.h"
#include "sim/records/run_folder.h"

namespace rtsim {

namespace {

// Whether there was time for particles to settle.
bool start(Simulation& sim, const Clock& clock, const TimeLimit& limit) {
  const bool settled =
      settle(sim, clock.dt, [&] { return signal_received() || limit.reached(0); }).has_value();
  refresh(sim, 0);
  return settled;
}

// The whole time loop. Everything that leaves the world goes through the recorder.
ExitCode run(Simulation& sim, const Clock& clock, long first_step, Recorder& recorder,
             const TimeLimit& limit) {
  long done = first_step;
  try {
    refresh(sim, clock.time(done));
    if (first_step == 0 && !start(sim, clock, limit)) {
      recorder.checkpoint(0);
      return ExitCode::interrupted;
    }
    recorder.start(first_step);
    for (; done < clock.steps(); ++done) {
      const bool late = done > first_step && limit.reached(recorder.checkpoint_seconds());
      if (late || (done > 0 && signal_received())) {  // at 0 a resume would begin again
        recorder.checkpoint(done);
        return ExitCode::interrupted;
      }
      advance(sim, {done, clock.time(done), clock.dt, clock.frame_due(done + 1)});
      recorder.after_step(done + 1);
    }
    recorder.checkpoint(done);  // so that a later end time can go on from here
    recorder.finish();
    return ExitCode::done;
  } catch (const Diverged& e) {
    throw recorder.explain(e, done);
  } catch (...) {
    recorder.fail(done);
    throw;
  }
}

// Of files that the run replaces: checkpoints, and frames where it starts again.
double replaced_bytes(const RunOptions& options, long frames_kept) {
  double bytes = 0;
  for (const std::string part : {"checkpoints", "cache"}) {
    const std::filesystem::path folder = options.folder / part;
    if (!std::filesystem::is_directory(folder) || (frames_kept > 0 && part == "cache")) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) bytes += double(entry.file_size());
  }
  return bytes;
}

// What is free on the disk that a folder, which need not be there yet, would lie on.
std::optional<double> room_for(std::filesystem::path folder) {
  folder = std::filesystem::absolute(folder);
  while (!std::filesystem::exists(folder) && folder.has_relative_path())
    folder = folder.parent_path();
  return free_room(folder);
}

// How many there will be at once; where they are counted by the clock nobody knows.
double checkpoints_kept(const Scene& scene) {
  if (scene.checkpoint_keep > 0) return scene.checkpoint_keep;
  const long every = scene.checkpoint_frames.value_or(scene.time.frame_count());
  return 1 + double(scene.time.frame_count() / every);
}

// Before anything is written. Frames become smaller as they are compressed, by how much nobody
// knows before.
void require_room(const Scene& scene, const RunOptions& options, const Simulation& sim,
                  long frames_kept) {
  if (options.ignore_free_space) return;
  const double frames = frames_bytes(*sim.world, scene, frames_kept),
               checkpoints = checkpoints_kept(scene) * checkpoint_bytes(*sim.world);
  const std::optional<double> room = room_for(options.folder);
  if (!room || frames + checkpoints <= *room + replaced_bytes(options, frames_kept)) return;
  throw Error(
      ExitCode::io,
      fmt::format("{:.3g} GB are free for {}, and the run may write {:.3g} GB: frames of {:.3g} GB "
                  "before compression, checkpoints of {:.3g} GB; make room, write fewer frames or "
                  "columns, choose another disk with -o DIR, or --ignore-free-space begins all the "
                  "same",
                  *room / 1e9, options.folder.string(), (frames + checkpoints) / 1e9, frames / 1e9,
                  checkpoints / 1e9));
}

// The last line of a run.
void tell_warnings(const RunOptions& options) {
  const std::size_t n = read_warnings(options.folder).size();
  if (n == 0 && options.quiet) return;
  tell(fmt::format("{}: {}\n", options.folder.string(),
                   n == 0 ? "no warnings" : fmt::format("{} warning{}", n, n == 1 ? "" : "s")));
}

}  // namespace

ExitCode run_scene(const Scene& scene, const RunOptions& options) {
  const Exec exec = make_exec(options.device, options.threads);
  exec.profile().trace = exec.profile().device_times = options.profile;
  RunFolder folder(scene, options, exec);
  if (folder.already_done()) return ExitCode::done;

  Simulation sim = build(scene, exec);
  check_expectations_early(scene, sim);
  const Clock clock{scene.time.step_dt(), scene.time.steps_per_frame, scene.time.frame_count()};
  require_room(scene, options, sim, folder.frames_kept());
  first_write_begins();
  const long first_step = folder.open(*sim.world);
  const ExitCode code = folder.guard([&](Manifest& manifest) {
    Recorder recorder(scene, options, clock, sim, manifest);
    return run(sim, clock, first_step, recorder, TimeLimit(options.time_limit));
  });
  tell_warnings(options);
  return code;
}

}  // namespace rtsim
