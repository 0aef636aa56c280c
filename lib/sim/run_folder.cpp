#include "sim/run_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cache/checkpoint.h"
#include "cache/durable.h"
#include "cache/resume.h"
#include "sim/catalog.h"
#include "sim/interrupt.h"

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
  return a.version == b.version && a.commit == b.commit && a.compiler == b.compiler && a.flags == b.flags &&
         a.precision == b.precision;
}

// "cuda: NVIDIA H200" -> "cuda"
std::string backend(const std::string& device) { return device.substr(0, device.find(':')); }

}  // namespace

RunFolder::RunFolder(const Scene& scene, const RunOptions& options, const Exec& exec)
    : scene_(scene), options_(options),
      device_((exec.backend() == Backend::cuda ? "cuda: " : "cpu: ") + exec.device_name()), threads_(exec.threads()) {
  const fs::path& folder = options.folder;
  const bool ours = has_manifest(folder);
  if (options.resume == RunOptions::Resume::yes && !ours)
    throw Error(ExitCode::bad_input, folder.string() + " holds no run to resume; use --resume=auto to start one there");
  if (options.resume != RunOptions::Resume::no && ours) {
    std::string warnings;
    resume_ = find_checkpoint(folder, warnings).has_value();
    if (!resume_ && options.resume == RunOptions::Resume::yes)
      throw Error(ExitCode::bad_input, folder.string() + " has no whole checkpoint to resume from; use --resume=auto to "
                                                         "start afresh" + (warnings.empty() ? "" : "\n" + warnings));
    const Manifest old = read_manifest(folder);
    if (resume_) check_resume(old);
    done_ = old.status == "done" && old.frames == scene.time.frame_count() + 1;
    if (done_) fmt::print(stderr, "{} is finished: {} frames\n", folder.string(), old.frames);
    return;
  }
  if (holds_something(folder) && !options.overwrite)
    throw Error(ExitCode::output_exists,
                folder.string() + (ours ? " holds a run; --resume goes on with it, --overwrite replaces it, -o DIR goes "
                                          "elsewhere"
                                        : " is not empty and holds no run; choose another folder with -o DIR"));
  if (holds_something(folder) && !ours)
    throw Error(ExitCode::output_exists, folder.string() + " holds no run, so --overwrite does not touch it; choose "
                                                           "another folder with -o DIR");
}

// Only the end time and the number of threads may differ from the run that wrote the checkpoint.
void RunFolder::check_resume(const Manifest& old) const {
  if (old.identity != scene_.identity)
    throw Error(ExitCode::bad_input,
                fmt::format("the scene differs from the one that {} ran (scene.resolved.json there); only its end time may "
                            "change. Run it into another folder with -o DIR", options_.folder.string()));
  if (options_.allow_different_build) return;
  const BuildInfo now = build_info();
  if (!same_binary(old.build, now) || backend(old.device) != backend(device_))
    throw Error(ExitCode::bad_input,
                fmt::format("{} was made by rtsim {} ({}, {}) on {}; this is {} ({}, {}) on {}: the bytes may differ. "
                            "--allow-different-build goes on all the same, and records it",
                            options_.folder.string(), old.build.version, old.build.commit, old.build.compiler,
                            backend(old.device), now.version, now.commit, now.compiler, backend(device_)));
}

long RunFolder::open(World& world) {
  std::error_code failed;
  fs::create_directories(options_.folder, failed);
  if (failed) throw Error(ExitCode::io, options_.folder.string() + ": " + failed.message());
  lock_ = std::make_unique<FolderLock>(options_.folder);
  return resume_ ? resume(world) : (start_afresh(), 0);
}

void RunFolder::start_afresh() {
  clear_run(options_.folder);
  manifest_ = new_manifest(scene_, options_.command_line, device_, threads_);
  write_manifest(options_.folder, manifest_);  // first: from here on the folder is a run's
  write_file(options_.folder / "scene.resolved.json", scene_.resolved);
}

long RunFolder::resume(World& world) {
  std::string warnings;
  const auto checkpoint = find_checkpoint(options_.folder, warnings);
  if (!checkpoint) throw Error(ExitCode::io, options_.folder.string() + ": the checkpoint is gone");
  if (!warnings.empty()) fmt::print(stderr, "warning: {}\n", warnings);
  load_checkpoint(checkpoint->file, world);
  cut_back(options_.folder, checkpoint->progress);

  manifest_ = read_manifest(options_.folder);
  manifest_.status = "running", manifest_.exit_code = -1, manifest_.message.clear(), manifest_.ended.clear();
  manifest_.threads = threads_, manifest_.device = device_;
  const Manifest now = new_manifest(scene_, options_.command_line, device_, threads_);
  manifest_.restarts.push_back({checkpoint->progress.step, utc_now(), now.host, now.build});
  manifest_.steps = checkpoint->progress.step, manifest_.frames = checkpoint->progress.frames;
  write_file(options_.folder / "scene.resolved.json", scene_.resolved);
  write_manifest(options_.folder, manifest_);
  return checkpoint->progress.step;
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
  } catch (const Error& e) {  // a full disk: the error under way says more than this one
    if (message.empty()) throw;
    fmt::print(stderr, "{}\n", e.what());
  }
}

Scene scene_of_run(const fs::path& folder) {
  const fs::path file = folder / "scene.resolved.json";
  if (!has_manifest(folder) || !fs::exists(file))
    throw Error(ExitCode::bad_input, folder.string() + " holds no run: it has no run.json and scene.resolved.json");
  return read_scene(file, {}, stage_catalog());
}

}  // namespace rtsim
