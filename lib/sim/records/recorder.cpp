#include "sim/records/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cache/checkpoint.h"
#include "exec/profile.h"
#include "sim/records/branch.h"
#include "sim/records/profile_file.h"
#include "sim/records/snapshot.h"

namespace rtsim {

namespace {

long total_rows(const World& world) {
  long rows = 0;
  for (const Object& o : world.objects)
    for (const auto& t : world.tables()) rows += t->name() == o.name ? t->rows() : 0;
  return rows;
}

// What a warning is about, whatever the figures of a step are; digits of names in quotes stay.
std::string without_numbers(const std::string& text) {
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t quote = text[i] == '\'' ? text.find('\'', i + 1) : std::string::npos;
    if (quote != std::string::npos) {
      kept.append(text, i, quote + 1 - i);
      i = quote + 1;
    } else if (text[i] >= '0' && text[i] <= '9') {
      i = std::min(text.find_first_not_of("0123456789.e+-", i), text.size());
    } else {
      kept += text[i++];
    }
  }
  return kept;
}

}  // namespace

Recorder::Recorder(const Scene& scene, const RunOptions& options, const Clock& clock,
                   Simulation& sim, Manifest& manifest)
    : scene_(scene),
      options_(options),
      clock_(clock),
      sim_(sim),
      manifest_(manifest),
      series_(options.folder),
      log_(options.folder),
      ledger_(*sim.world, clock.dt),
      writer_(options.folder, {scene.identity, std::min(4, sim.world->exec.threads())}),
      progress_(options.quiet, clock.steps(), manifest.steps),
      frames_before_(manifest.frames) {}

void Recorder::start(long first_step) {
  first_step_ = first_step;
  for (const LoggedWarning& w : read_warnings(options_.folder)) warned_.insert(w.key);
  log_.add(first_step == 0 ? "start" : "resume", first_step, manifest_.device);
  if (options_.branch && options_.branch->changes_physics()) adopt_series(first_step);
  if (first_step > 0) return;
  for (const std::string& note : sim_.notes) {
    log_.add("note", 0, note);
    if (!options_.quiet) tell(fmt::format("note: {}\n", note));
  }
  for (const std::string& warning : sim_.warnings) say_once(warning, 0, warning);
  require_finite();
  measure(0);
  frame(0);
  save_manifest(0);
}

// A branch may measure other things than its parent; its series then begins where it does, and the
// checkpoint there must know of it.
void Recorder::adopt_series(long first_step) {
  if (!series_.begin_again_unless(rtsim::measure(sim_))) return;
  measure(first_step);
  checkpoint(first_step);
}

void Recorder::after_step(long steps_done) {
  writer_.check();
  warn(steps_done);
  row_steps_ += double(total_rows(*sim_.world));
  if (clock_.frame_due(steps_done)) require_finite();  // before a row of the series shows it
  if (steps_done % scene_.series_every == 0)
    measure(steps_done);
  else if (clock_.frame_due(steps_done))
    judge(steps_done, rtsim::measure(sim_));
  if (clock_.frame_due(steps_done)) {
    frame(steps_done);
    if (Clock_::now() - last_saved_ >= AsyncWriter::may_lag) save_manifest(steps_done);
  }
  if (checkpoint_due(steps_done)) checkpoint(steps_done);
  progress_.update(steps_done, clock_.frame(steps_done), clock_.frames, clock_.time(steps_done),
                   mean_rows(steps_done));
}

void Recorder::measure(long steps_done) {
  const std::vector<Measurement> all = rtsim::measure(sim_);
  for (const Measurement& m : all)
    if (m.name.ends_with(".pairs")) pairs_ += m.value;
  ++measured_;
  series_.record(steps_done, clock_.time(steps_done), all);
  judge(steps_done, all);
}

void Recorder::judge(long steps_done, const std::vector<Measurement>& all) {
  Energies now = energies_of(*sim_.world, all);
  if (!now.known) return;
  now = with_feeds(sim_, now);
  const double time = clock_.time(steps_done);
  now.feed.speed = std::max(now.feed.speed, greatest_wall_speed(*sim_.world, ledger_.box(), time));
  const Growth growth = ledger_.enter(time, now);
  if (growth.times < Ledger::warns_at || !now.feed.unknown.empty()) return;
  const Culprit culprit = find_culprit(sim_, all);
  const std::string told = fmt::format(
      "stage '{}': energy grew by {:.3g} J beyond what was fed, to {:.3g} times what "
      "was there; the fastest is {}; try a smaller dt or more substeps",
      culprit.stage, growth.gain, growth.times, culprit.place);
  if (growth.times >= Ledger::diverges_at) throw Diverged(told);
  say_once("energy", steps_done, told);
}

void Recorder::frame(long steps_done) {
  before_frame(sim_);
  Frame f = take_frame(*sim_.world, scene_.output, clock_.frame(steps_done), steps_done,
                       clock_.time(steps_done));
  writer_.push(std::move(f));
}

void Recorder::warn(long steps_done) {
  for (const PipelineStage& p : sim_.pipeline) {
    const double stable = p.stage->stable_dt(*sim_.world);
    if (clock_.dt > stable)
      say_once(p.name + "/dt", steps_done,
               fmt::format("stage '{}': dt {:.3g} s is above the {:.3g} s that this state allows; "
                           "use a smaller dt or more substeps",
                           p.name, clock_.dt, stable));
    // A line for each thing that there is to say.
    std::istringstream own(p.stage->warning(*sim_.world));
    for (std::string line; std::getline(own, line);)
      say_once(p.name + "/" + without_numbers(line), steps_done,
               fmt::format("stage '{}': {}", p.name, line));
  }
}

void Recorder::say_once(const std::string& key, long steps_done, const std::string& text) {
  if (!warned_.insert(key).second) return;
  const std::string line =
      fmt::format("step {} (t = {:.6g} s), {}", steps_done, clock_.time(steps_done), text);
  log_.warn(key, steps_done, line);
  progress_.finish();
  tell(fmt::format("warning: {}\n", line));
}

bool Recorder::checkpoint_due(long steps_done) const {
  if (steps_done == clock_.steps()) return false;  // the run writes its last one itself
  if (scene_.checkpoint_frames)
    return clock_.frame_due(steps_done) &&
           clock_.frame(steps_done) % *scene_.checkpoint_frames == 0;
  const double since = std::chrono::duration<double>(Clock_::now() - last_checkpoint_).count();
  return since >= scene_.checkpoint_seconds.value_or(300);
}

void Recorder::checkpoint(long steps_done) {
  const auto begin = Clock_::now();
  require_finite();
  writer_.drain();
  series_.sync();
  count(steps_done);
  const Progress progress{steps_done, manifest_.frames, writer_.log_end(), series_.end()};
  save_checkpoint(options_.folder, *sim_.world, progress, scene_.checkpoint_keep);
  save_manifest(steps_done);
  log_.add("checkpoint", steps_done);
  last_checkpoint_ = Clock_::now();
  checkpoint_cost_ = 1 + 2 * std::chrono::duration<double>(last_checkpoint_ - begin).count();
}

void Recorder::require_finite() {
  const std::string bad = find_not_finite(*sim_.world);
  if (!bad.empty())
    throw Diverged(fmt::format("{} is not finite; try a smaller dt or more substeps", bad));
}

Diverged Recorder::explain(const Diverged& e, long step) {
  writer_.drain();
  series_.sync();
  count(step);
  std::string told =
      fmt::format("step {} (t = {:.6g} s), {}. {}", step, clock_.time(step), e.what(),
                  manifest_.frames > 0 ? fmt::format("Last good frame: {}.", manifest_.frames - 1)
                                       : std::string("No frame was written."));
  if (!warned_.empty())
    told += fmt::format(" {} warning{} before.", warned_.size(), warned_.size() == 1 ? "" : "s");
  return Diverged(told);
}

void Recorder::fail(long steps_done) {
  try {
    writer_.drain();
  } catch (const std::exception&) {  // the one under way says more, or is this one
  }
  count(steps_done);
}

void Recorder::count(long steps_done) {
  manifest_.steps = steps_done;
  manifest_.frames = frames_before_ + writer_.frames_committed();
}

void Recorder::save_manifest(long steps_done) {
  count(steps_done);
  write_manifest(options_.folder, manifest_);
  last_saved_ = Clock_::now();
}

void Recorder::finish() {
  progress_.finish();
  write_profile();
}

double Recorder::mean_rows(long steps_done) const {
  return steps_done > first_step_ ? row_steps_ / double(steps_done - first_step_) : 0;
}

void Recorder::write_profile() {
  Profile& profile = sim_.world->exec.profile();
  profile.collect();
  const double wall = std::chrono::duration<double>(Clock_::now() - started_).count();
  write_profile_file(options_.folder, profile,
                     {wall, clock_.steps() - first_step_, mean_rows(clock_.steps()),
                      measured_ > 0 ? pairs_ / double(measured_) : 0, writer_.seconds_busy(),
                      writer_.bytes_written(), sim_.world->exec.peak_bytes()});
  if (options_.profile && !options_.quiet) tell(profile_table(profile, wall));
}

}  // namespace rtsim
