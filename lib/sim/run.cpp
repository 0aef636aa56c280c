#include "sim/run.h"

#include "exec/profile.h"
#include "sim/clock.h"
#include "sim/expect.h"
#include "sim/interrupt.h"
#include "sim/recorder.h"
#include "sim/run_folder.h"

namespace rtsim {

namespace {

// The whole time loop. Everything that leaves the world goes through the recorder.
ExitCode run(Simulation& sim, const Clock& clock, long first_step, Recorder& recorder,
             const TimeLimit& limit) {
  long done = first_step;
  try {
    refresh(sim, clock.time(done));
    recorder.start(first_step);
    while (done < clock.steps()) {
      advance(sim, {done, clock.time(done), clock.dt, clock.frame_due(done + 1)});
      recorder.after_step(done + 1);
      ++done;
      if (done < clock.steps() &&
          (signal_received() || limit.reached(recorder.checkpoint_seconds()))) {
        recorder.checkpoint(done);
        return ExitCode::interrupted;
      }
    }
    recorder.checkpoint(done);  // so that a later end time can go on from here
    recorder.finish();
    return ExitCode::done;
  } catch (const Diverged& e) {
    throw recorder.explain(e, done);
  } catch (...) {
    recorder.count(done);
    throw;
  }
}

}  // namespace

ExitCode run_scene(const Scene& scene, const RunOptions& options) {
  catch_signals();
  const Exec exec = make_exec(options.device, options.threads);
  exec.profile().trace = options.profile;
  RunFolder folder(scene, options, exec);
  if (folder.already_done()) return ExitCode::done;

  Simulation sim = build(scene, exec);
  check_expectations_early(scene, sim);
  const Clock clock{scene.time.step_dt(), scene.time.steps_per_frame, scene.time.frame_count()};
  first_write_begins();
  const long first_step = folder.open(*sim.world);
  return folder.guard([&](Manifest& manifest) {
    Recorder recorder(scene, options, clock, sim, manifest);
    return run(sim, clock, first_step, recorder, TimeLimit(options.time_limit));
  });
}

}  // namespace rtsim
