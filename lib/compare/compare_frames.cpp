#include "compare/compare_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/concurrent_for.h"
#include "base/error.h"
#include "base/hash.h"
#include "cache/commits.h"
#include "cache/frame_reader.h"
#include "compare/compare_rows.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// A file of a and the one of b that holds the same object at the same time.
struct Task {
  long frame;
  WrittenFile a, b;
};

// The frame of b at the time of one of a; null where there is none.
const CommittedFrame* at_time(const std::vector<CommittedFrame>& b, double time, double slack) {
  const auto f = std::ranges::lower_bound(b, time - slack, {}, &CommittedFrame::time);
  return f == b.end() || f->time > time + slack ? nullptr : &*f;
}

// Frames a millionth of their distance apart are of one time.
double slack_of(const std::vector<CommittedFrame>& frames) {
  return frames.size() < 2 ? 0 : 1e-6 * (frames[1].time - frames[0].time);
}

class Matching {
 public:
  Matching(const CompareOptions& o, Comparison& c)
      : o_(o), c_(c), a_(read_commits(o.a)), b_(read_commits(o.b)) {}

  std::vector<Task> tasks() {
    std::vector<Task> tasks;
    long held = 0, lacking = 0, first = 0;
    for (const CommittedFrame& f : a_) {
      if (!o_.frames.holds(f.frame)) continue;
      ++held;
      if (std::ranges::none_of(f.files, [&](const WrittenFile& w) { return wanted(w); })) continue;
      const CommittedFrame* g = at_time(b_, f.time, slack_of(a_));
      if (g)
        add(f, *g, tasks);
      else if (lacking++ == 0)
        first = f.frame;
    }
    if (held == 0 && !o_.frames.holds_all() && !a_.empty())
      throw Error(ExitCode::bad_input, o_.a.string() + " has none of the frames asked for");
    if (lacking > 0)
      c_.faults.push_back(
          fmt::format("{} frames have no match in B, the first is {}", lacking, first));
    if (others_ > 0)
      c_.notes.push_back(fmt::format("{} volumes and surfaces of A are not compared", others_));
    return tasks;
  }

 private:
  bool wanted(const WrittenFile& f) {
    if (is_hdf5(f)) return true;
    ++others_;
    return false;
  }

  void add(const CommittedFrame& a, const CommittedFrame& b, std::vector<Task>& tasks) {
    ++c_.frames;
    for (const WrittenFile& f : a.files) {
      if (!is_hdf5(f)) continue;
      const auto g = std::ranges::find_if(b.files, [&](const WrittenFile& w) {
        return is_hdf5(w) && object_of(w) == object_of(f);
      });
      if (g == b.files.end())
        c_.faults.push_back(fmt::format("frame {}: B has none of '{}'", a.frame, object_of(f)));
      else
        tasks.push_back({a.frame, f, *g});
    }
  }

  const CompareOptions& o_;
  Comparison& c_;
  std::vector<CommittedFrame> a_, b_;
  long others_ = 0;
};

void check(const fs::path& run, const WrittenFile& f) {
  if (hash_file(run / f.path) != f.xxh3)
    throw Error(ExitCode::io, (run / f.path).string() +
                                  ": its checksum is not that of frames.jsonl; `rtsim verify` says "
                                  "what else is damaged");
}

struct Outcome {
  ComparedObject object;
  bool same_file = false;
};

// Of files alike to the byte: the columns that are equal without having been looked at.
ComparedObject names_in(const CompareOptions& o, const Task& t) {
  const FrameObject object =
      read_frame(o.a, t.a, [](const FrameObject&, const std::string&) { return false; });
  ComparedObject result;
  for (const FrameColumn& c : object.columns) {
    const std::string name = object.name + "." + c.name;
    if (c.name != "id" && fits(o.columns, name))
      result.columns.push_back({.name = name,
                                .unit = c.unit,
                                .values = long(object.rows) * c.type.components,
                                .first = {},
                                .worst = {}});
  }
  return result;
}

Outcome compare(const CompareOptions& o, const Task& t) {
  if (t.a.bytes == t.b.bytes && t.a.xxh3 == t.b.xxh3) {
    check(o.a, t.a), check(o.b, t.b);
    return {names_in(o, t), true};
  }
  const FramePair p =
      read_pair(o.a, t.a, o.b, t.b, [&](const FrameObject& f, const std::string& column) {
        return fits(o.columns, f.name + "." + column);
      });
  return {compare_rows(p.a, p.b, t.frame, o, p.alike), false};
}

std::vector<Outcome> compare_all(const CompareOptions& o, const std::vector<Task>& tasks) {
  std::vector<Outcome> outcomes(tasks.size());
  concurrent_for(tasks.size(), o.jobs, [&](std::size_t k) { outcomes[k] = compare(o, tasks[k]); });
  return outcomes;
}

// Later frames behind earlier ones, each text once.
void append(const ComparedObject& object, Comparison& c) {
  for (const Compared& column : object.columns) {
    const auto known = std::ranges::find(c.columns, column.name, &Compared::name);
    if (known == c.columns.end())
      c.columns.push_back(column);
    else
      known->append(column);
  }
  const auto once = [](const std::vector<std::string>& from, std::vector<std::string>& to) {
    for (const std::string& text : from)
      if (std::ranges::find(to, text) == to.end()) to.push_back(text);
  };
  once(object.faults, c.faults);
  once(object.notes, c.notes);
}

}  // namespace

void compare_frames(const CompareOptions& o, Comparison& c) {
  const std::vector<Task> tasks = Matching(o, c).tasks();
  for (const Outcome& outcome : compare_all(o, tasks)) {
    c.same_files += outcome.same_file;
    append(outcome.object, c);
  }
}

}  // namespace rtsim
