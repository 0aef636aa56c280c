#include "convert/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/nearest.h"
#include "cache/commits.h"
#include "cache/durable.h"
#include "cache/frame_reader.h"
#include "cache/lock.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// A frame of the run and those of its files that are converted.
using Work = std::vector<CommittedFrame>;

std::set<std::string> objects_in(const std::vector<CommittedFrame>& frames) {
  std::set<std::string> objects;
  for (const CommittedFrame& c : frames)
    for (const WrittenFile& f : c.files)
      if (is_hdf5(f)) objects.insert(object_of(f));
  return objects;
}

FrameObject first_frame_of(const fs::path& run, const std::vector<CommittedFrame>& frames,
                           const std::string& object) {
  for (const CommittedFrame& c : frames)
    for (const WrittenFile& f : c.files)
      if (is_hdf5(f) && object_of(f) == object) return read_frame(run, f);
  throw Error(ExitCode::internal, "no frame of '" + object + "'");
}

// What speaks against converting an object; empty if nothing.
std::string obstacle(const FrameObject& object, const Output& output) {
  const bool surface = output.format == Format::surface;
  if (surface && (object.kind == Kind::mesh || object.kind == Kind::bodies)) {
    if (object.kind == Kind::mesh && object.cells.corners == 2)
      return "consists of edges and has no surface";
    if (output.surface.shapes_particles())
      return "has triangles of its own; the keys given shape surfaces of particles";
    if (std::ranges::count(output.surface.files, "sdf") > 0)
      return "has triangles; a level set is made of particles only, --to ply and obj take both";
    return "";
  }
  if (object.kind != Kind::particles)
    return "consists of no particles; volumes are made of particles, surfaces also of meshes "
           "and bodies";
  if (surface && object.dim != 3)
    return "lies in the plane; surfaces are made of particles in space only, --to vdb takes both";
  return "";
}

void check_object(const Conversion& c, const std::set<std::string>& known,
                  const std::string& object) {
  if (known.contains(object)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string near = did_you_mean(object, names);
  throw Error(
      ExitCode::bad_input,
      fmt::format(
          "{} has no HDF5 frames of '{}'{}", c.run.string(), object,
          near.empty() ? fmt::format("; it has those of: {}", fmt::join(names, ", ")) : near));
}

// The objects that are wanted, or all that can be.
std::set<std::string> chosen_objects(const Conversion& c,
                                     const std::vector<CommittedFrame>& frames) {
  std::set<std::string> wanted = objects_in(frames), chosen;
  for (const std::string& object : c.objects) check_object(c, wanted, object);
  if (!c.objects.empty()) wanted = {c.objects.begin(), c.objects.end()};
  std::string obstacles;
  for (const std::string& object : wanted) {
    const std::string why = obstacle(first_frame_of(c.run, frames, object), c.output);
    if (why.empty())
      chosen.insert(object);
    else
      obstacles += fmt::format("{}'{}' {}", obstacles.empty() ? "" : "; ", object, why);
  }
  if (!obstacles.empty() && (chosen.empty() || !c.objects.empty()))
    throw Error(ExitCode::bad_input, fmt::format("{}: {}", c.run.string(), obstacles));
  return chosen;
}

Work choose(const Conversion& c) {
  const std::vector<CommittedFrame> all = read_commits(c.run);
  const std::set<std::string> objects = chosen_objects(c, all);
  Work work;
  for (CommittedFrame f : all) {
    std::erase_if(f.files, [&](const WrittenFile& w) {
      return !is_hdf5(w) || !objects.contains(object_of(w));
    });
    if (c.frames.holds(f.frame) && !f.files.empty()) work.push_back(std::move(f));
  }
  if (work.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{} has none of the frames asked for: it has {} frames, and a "
                            "conversion reads those of particles and meshes in \"hdf5\"",
                            c.run.string(), all.size()));
  return work;
}

constexpr const char* marker = "convert.json";

bool holds_something(const fs::path& folder) {
  if (!fs::is_directory(folder)) return fs::exists(folder);
  return std::ranges::any_of(fs::directory_iterator(folder), [](const fs::directory_entry& e) {
    return e.path().filename() != ".lock" && e.path().extension() != ".tmp";
  });
}

void check_free(const Conversion& c) {
  if (!holds_something(c.out)) return;
  if (!fs::exists(c.out / marker))
    throw Error(ExitCode::output_exists,
                c.out.string() +
                    " is not empty and holds no conversion, so it is left alone; "
                    "choose another folder with -o OUT");
  if (!c.overwrite)
    throw Error(ExitCode::output_exists, c.out.string() +
                                             " holds a conversion; --overwrite "
                                             "replaces it, -o OUT goes elsewhere");
}

// Removes what a conversion writes. The marker stays, so that a folder half cleared still is one's.
void clear(const fs::path& out) {
  fs::remove_all(out / "cache");
  fs::remove(out / "frames.jsonl");
}

std::string description(const Conversion& c) {
  nlohmann::ordered_json j = {{"rtsim_convert", 1},
                              {"run", fs::absolute(c.run).lexically_normal().string()},
                              {"identity", c.run_id},
                              {"output", nlohmann::ordered_json::parse(c.description)}};
  return j.dump(2) + "\n";
}

// Frames are taken in order by whoever is free, and get their lines in order.
class Converter {
 public:
  Converter(const Conversion& c, const Work& work)
      : c_(c), work_(work), written_(work.size()), log_(c.out / "frames.jsonl") {}

  Converted run() {
    const int workers = int(std::min<std::size_t>(std::size_t(c_.jobs), work_.size()));
    threads_ = std::max(1, c_.jobs / workers);
    {
      std::vector<std::jthread> others;
      for (int k = 1; k < workers; ++k) others.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
    return done_;
  }

 private:
  struct Done {
    Frame frame;  // without its columns
    std::vector<WrittenFile> files;
  };

  void work() {
    while (const std::optional<std::size_t> k = next()) try {
        Done done = convert(work_[*k]);
        const std::scoped_lock lock(mutex_);
        written_[*k] = std::move(done);
        commit();
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
  }

  std::optional<std::size_t> next() {
    const std::scoped_lock lock(mutex_);
    if (failure_ || next_ == work_.size()) return std::nullopt;
    return next_++;
  }

  Done convert(const CommittedFrame& source) {
    Frame frame{source.frame, source.step, source.time, {}};
    for (const WrittenFile& f : source.files) {
      Output output = c_.output;
      output.object = object_of(f);
      frame.files.push_back({output, read_frame(c_.run, f)});
    }
    const std::vector<WrittenFile> files = write_frame(c_.out, {c_.run_id, threads_}, frame);
    frame.files.clear();
    return {std::move(frame), files};
  }

  void commit() {
    for (; committed_ < written_.size() && written_[committed_]; ++committed_) {
      const Done& d = *written_[committed_];
      log_.append(commit_line(d.frame, d.files));
      log_.sync();
      ++done_.frames;
      for (const WrittenFile& w : d.files) ++done_.files, done_.bytes += w.bytes;
    }
  }

  const Conversion& c_;
  const Work& work_;
  std::vector<std::optional<Done>> written_;
  LineLog log_;
  int threads_ = 1;
  std::mutex mutex_;
  std::size_t next_ = 0, committed_ = 0;
  Converted done_;
  std::exception_ptr failure_;
};

}  // namespace

Converted convert_run(const Conversion& c) try {
  check_free(c);
  const Work work = choose(c);
  make_folders(c.out);
  const FolderLock lock(c.out);
  check_free(c);  // somebody may have been faster
  clear(c.out);
  write_file(c.out / marker, description(c));
  return Converter(c, work).run();
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
