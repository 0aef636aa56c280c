#include "sim/records/run_folder.h"

#include <fmt/format.h>

#include "cache/checkpoint.h"
#include "cache/durable.h"
#include "cache/resume.h"
#include "cache/verify.h"
#include "sim/catalog.h"
#include "sim/interrupt.h"
#include "sim/records/branch.h"
#include "sim/records/event_log.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// What a run leaves that was killed before its manifest does not count.
bool holds_something(const fs::path& folder) {
  if (!fs::is_directory(folder)) return fs::exists(folder);
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != ".lock" && entry.path().extension() != ".tmp") return true;
  return false;
}

bool same_binary(const BuildInfo& a, const BuildInfo& b) {
  return a.version == b.version && a.commit == b.commit && a.diff_sha1 == b.diff_sha1 &&
         a.compiler == b.compiler && a.flags == b.flags && a.precision == b.precision;
}

// "cuda: NVIDIA H200" -> "cuda"
std::string backend(const std::string& device) { return device.substr(0, device.find(':')); }

}  // namespace

// A folder that holds a run stays locked from here on: nobody may change what is decided now.
RunFolder::RunFolder(const Scene& scene, const RunOptions& options, const Exec& exec)
    : scene_(scene),
      options_(options),
      device_((exec.backend() == Backend::cuda ? "cuda: " : "cpu: ") + exec.device_name()),
      threads_(exec.threads()) {
  if (options.branch) {
    old_ = options.branch->manifest;
    check_build(options.branch->folder);
  }
  if (has_manifest(options.folder)) lock_ = std::make_unique<FolderLock>(options.folder);
  decide();
}

void RunFolder::decide() {
  const fs::path& folder = options_.folder;
  const bool ours = has_manifest(folder), wants_resume = options_.resume != RunOptions::Resume::no;
  if (wants_resume && ours) return decide_resume();
  if (options_.resume == RunOptions::Resume::yes)
    throw Error(ExitCode::bad_input,
                folder.string() + " holds no run to resume; use --resume=auto to start one there");
  if (!holds_something(folder)) return;
  if (!ours)
    throw Error(ExitCode::output_exists,
                folder.string() +
                    " is not empty and holds no run, so it is left alone; choose "
                    "another folder with -o DIR");
  if (!options_.overwrite)
    throw Error(ExitCode::output_exists,
                folder.string() +
                    " holds a run; --resume goes on with it, --overwrite replaces "
                    "it, -o DIR goes elsewhere");
}

void RunFolder::decide_resume() {
  const fs::path& folder = options_.folder;
  old_ = read_manifest(folder);
  check_scene();
  choose_checkpoint();
  done_ = is_done();
  if (done_) fmt::print(stderr, "{} is finished: {} frames\n", folder.string(), old_.frames);
  if (done_) return;
  if (!checkpoint_ && old_.parent)
    throw Error(
        ExitCode::bad_input,
        fmt::format("{0} has no whole checkpoint to resume from; `rtsim branch {1}@{2} -o {0} "
                    "--overwrite`, with its changes, begins it again",
                    folder.string(), old_.parent->folder, old_.parent->frame));
  if (!checkpoint_ && options_.resume == RunOptions::Resume::yes)
    throw Error(ExitCode::bad_input,
                fmt::format("{0} has no whole checkpoint to resume from; `rtsim run {1} -o {0} "
                            "--resume=auto` starts afresh",
                            folder.string(), old_.scene_file));
  if (!checkpoint_) return refuse_to_lose_frames();
  check_build(folder);
  const long frames = scene_.time.frame_count(), end = frames * scene_.time.steps_per_frame;
  if (checkpoint_->progress.step > end)
    throw Error(ExitCode::bad_input,
                fmt::format("{} is already at step {}, past the end of {} frames, step {}; give a "
                            "later end",
                            folder.string(), checkpoint_->progress.step, frames, end));
}

// A run that had checkpoints, or has ended, is not started afresh because they cannot be read.
void RunFolder::refuse_to_lose_frames() const {
  const bool begun = !marked_checkpoints(options_.folder).empty() || old_.status == "done";
  if (options_.overwrite || !begun) return;
  throw Error(ExitCode::io,
              fmt::format("{} has {} frames, and no checkpoint that this version could go on from; "
                          "put back what is lost, --overwrite starts again, -o DIR goes elsewhere",
                          options_.folder.string(), old_.frames));
}

// The newest checkpoint that saw nothing that is not whole. A whole checkpoint of a damaged run is
// no reason to start afresh: what is whole of it may be the work of days.
void RunFolder::choose_checkpoint() {
  const fs::path& folder = options_.folder;
  std::string damage = manifest_damage(folder), passed_over;
  if (damage.empty()) checkpoint_ = find_resume_point(folder, passed_over);
  if (damage.empty()) damage = passed_over;
  while (damage.ends_with('\n')) damage.pop_back();
  std::string ignored;
  std::optional<CheckpointFile> whole;
  if (!checkpoint_) whole = find_checkpoint(folder, ignored);
  if (whole && options_.overwrite) return;
  if (whole && !options_.allow_damage)
    throw Error(ExitCode::io,
                fmt::format("{}\n{} cannot go on from there exactly: put back what is lost, or "
                            "--allow-damage goes on without it, or --overwrite starts again",
                            damage, folder.string()));
  if (whole) checkpoint_ = whole, damage_ = damage;
  if (!damage.empty())
    fmt::print(stderr, "warning: {}\n{}", damage,
               checkpoint_
                   ? fmt::format("the run goes on from step {}\n", checkpoint_->progress.step)
                   : "");
}

// With its last checkpoint, or whole without any: who keeps only frames may delete those.
bool RunFolder::is_done() const {
  const long frames = scene_.time.frame_count();
  if (old_.status != "done" || old_.frames != frames + 1) return false;
  if (checkpoint_) return checkpoint_->progress.step == frames * scene_.time.steps_per_frame;
  return marked_checkpoints(options_.folder).empty() &&
         verify_run(options_.folder).problems.empty();
}

// Only the end time and the number of threads may differ from the run that is there.
void RunFolder::check_scene() const {
  if (old_.identity == scene_.identity) return;
  throw Error(ExitCode::bad_input,
              fmt::format("the scene or a file it names differs from what {} ran "
                          "(scene.resolved.json and run.json there); "
                          "only its end time may change. Run it into another folder with -o DIR",
                          options_.folder.string()));
}

void RunFolder::check_build(const fs::path& of) const {
  if (options_.allow_different_build) return;
  const BuildInfo now = build_info();
  const BuildInfo& then = old_.restarts.empty() ? old_.build : old_.restarts.back().build;
  const std::string& device = old_.restarts.empty() ? old_.device : old_.restarts.back().device;
  if (same_binary(then, now) && backend(device) == backend(device_)) return;
  throw Error(
      ExitCode::bad_input,
      fmt::format("{} was last run by rtsim {} ({}, {}) on {}; this is {} ({}, {}) on {}: the "
                  "bytes may differ. "
                  "--allow-different-build goes on all the same, and records it",
                  of.string(), then.version, then.commit, then.compiler, backend(device),
                  now.version, now.commit, now.compiler, backend(device_)));
}

long RunFolder::open(World& world) {
  if (options_.branch) load_branch(*options_.branch, world);
  std::error_code failed;
  fs::create_directories(options_.folder, failed);
  if (failed) throw Error(ExitCode::io, options_.folder.string() + ": " + failed.message());
  if (!lock_) {  // the folder was free before build: somebody may have been faster
    lock_ = std::make_unique<FolderLock>(options_.folder);
    decide();
  }
  if (checkpoint_) return resume(world);
  const long step = start_afresh();
  return options_.branch ? branch_off() : step;
}

long RunFolder::start_afresh() {
  manifest_ = new_manifest(scene_, options_.command_line, device_, threads_);
  if (options_.branch) {
    manifest_.parent = options_.branch->origin;
    manifest_.scene_file = options_.branch->manifest.scene_file;
  }
  clear_run(options_.folder);
  write_manifest(options_.folder, manifest_);  // first: from here on the folder is a run's
  write_file(options_.folder / "scene.resolved.json", scene_.resolved);
  return 0;
}

// A kill meanwhile leaves a run that has no checkpoint yet.
long RunFolder::branch_off() {
  const Branch& b = *options_.branch;
  write_history(b, options_.folder);
  manifest_.steps = b.origin.step, manifest_.frames = b.checkpoint.progress.frames;
  write_manifest(options_.folder, manifest_);
  EventLog(options_.folder)
      .add("branch", b.origin.step, fmt::format("{} at step {}", b.origin.folder, b.origin.step));
  return b.origin.step;
}

long RunFolder::resume(World& world) {
  const Progress& progress = checkpoint_->progress;
  load_checkpoint(checkpoint_->file, world);
  cut_back(options_.folder, progress);

  manifest_ = old_;
  manifest_.status = "running", manifest_.exit_code = -1, manifest_.message.clear(),
  manifest_.ended.clear();
  const Manifest now = new_manifest(scene_, options_.command_line, device_, threads_);
  manifest_.restarts.push_back(
      {progress.step, utc_now(), now.host, now.build, device_, threads_, now.command_line});
  manifest_.steps = progress.step, manifest_.frames = progress.frames;
  write_file(options_.folder / "scene.resolved.json", scene_.resolved);
  write_manifest(options_.folder, manifest_);
  if (!damage_.empty()) EventLog(options_.folder).warn("damage", progress.step, damage_);
  return progress.step;
}

ExitCode RunFolder::guard(const std::function<ExitCode(Manifest&)>& work) {
  try {
    const ExitCode code = work(manifest_);
    end(code == ExitCode::done ? "done" : "interrupted", code, "");
    return code;
  } catch (const Error& e) {
    end(e.code() == ExitCode::diverged ? "diverged" : "failed", e.code(), e.what());
    throw;
  } catch (const std::exception& e) {
    end("failed", ExitCode::internal, e.what());
    throw;
  }
}

void RunFolder::end(const std::string& status, ExitCode code, const std::string& message) {
  manifest_.status = status, manifest_.exit_code = int(code), manifest_.message = message;
  manifest_.ended = utc_now(), manifest_.wall_seconds += seconds_since_process_start();
  try {
    write_manifest(options_.folder, manifest_);
    EventLog(options_.folder).add(status, manifest_.steps, message);
  } catch (const Error& e) {  // a full disk: the error under way says more than this one
    if (message.empty()) throw;
    fmt::print(stderr, "{}\n", e.what());
  }
}

Scene scene_of_run(const fs::path& folder) {
  const fs::path file = folder / "scene.resolved.json";
  if (!has_manifest(folder) || !fs::exists(file))
    throw Error(ExitCode::bad_input,
                folder.string() + " holds no run: it has no run.json and scene.resolved.json");
  return read_scene(file, {}, stage_catalog());
}

namespace {

// Read again it has the identity that run.json tells, with the files as they were then; and a run
// that is done has the frames that it asks for.
std::string scene_damage(const fs::path& folder, const Manifest& m) {
  const std::string name = "scene.resolved.json";
  try {
    const Scene scene =
        read_scene_text(read_file(folder / name), name, folder, {}, stage_catalog());
    if (scene_identity(scene, m.assets) != m.identity)
      return name + ": not the scene that ran: it differs from the identity in run.json";
    const long frames = scene.time.frame_count() + 1;
    if (m.status == "done" && m.frames != frames)
      return fmt::format("{}: its end is after {} frames, the run is done with {}", name, frames,
                         m.frames);
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

}  // namespace

std::vector<std::string> origin_problems(const fs::path& folder, long frames) {
  try {
    const Manifest m = read_manifest(folder);
    std::vector<std::string> problems;
    const auto add = [&](const std::string& p) {
      if (!p.empty()) problems.push_back(p);
    };
    add(manifest_damage(folder));
    // Killed between the two, a run has done nothing yet.
    if (fs::exists(folder / "scene.resolved.json") || m.status != "running" || frames > 0)
      add(scene_damage(folder, m));
    if (m.status == "done" && m.frames != frames)
      add(fmt::format("run.json: done with {} frames, frames.jsonl has {}", m.frames, frames));
    return problems;
  } catch (const Error& e) {
    return {e.what()};
  }
}

}  // namespace rtsim
