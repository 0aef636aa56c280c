#include "sim/run.h"

#include "exec/profile.h"
#include "sim/clock.h"
#include "sim/interrupt.h"
#include "sim/recorder.h"
#include "sim/run_folder.h"

namespace rtsim {

namespace {

// One step of all stages, in the scene's order.
void advance(Simulation& sim, const Step& step) {
  for (PipelineStage& p : sim.pipeline) {
    try {
      p.stage->advance(*sim.world, step);
    } catch (const Diverged& e) {
      throw Diverged("stage '" + p.name + "': " + e.what());
    }
  }
}

// The whole time loop. Everything that leaves the world goes through the recorder.
ExitCode run(Simulation& sim, const Clock& clock, long first_step, Recorder& recorder, const TimeLimit& limit) {
  recorder.start(first_step);
  for (long done = first_step; done < clock.steps();) {
    try {
      advance(sim, {done, clock.time(done), clock.dt});
      recorder.after_step(done + 1);
    } catch (const Diverged& e) {
      throw recorder.explain(e, done);
    }
    ++done;
    const bool last = done == clock.steps();
    if (last || signal_received() || limit.reached(recorder.checkpoint_seconds())) {
      recorder.checkpoint(done);
      if (!last) return ExitCode::interrupted;
    }
  }
  recorder.finish();
  return ExitCode::done;
}

}  // namespace

ExitCode run_scene(const Scene& scene, const RunOptions& options) {
  catch_signals();
  const Exec exec = make_exec(options.device, options.threads);
  exec.profile().trace = options.profile;
  RunFolder folder(scene, options, exec);
  if (folder.already_done()) return ExitCode::done;

  Simulation sim = build(scene, exec);
  const Clock clock{scene.time.step_dt(), scene.time.steps_per_frame, scene.time.frame_count()};
  const long first_step = folder.open(*sim.world);
  for (PipelineStage& p : sim.pipeline) p.stage->refresh(*sim.world, clock.time(first_step));
  return folder.guard([&](Manifest& manifest) {
    Recorder recorder(scene, options, clock, sim, manifest);
    return run(sim, clock, first_step, recorder, TimeLimit(options.time_limit));
  });
}

}  // namespace rtsim
