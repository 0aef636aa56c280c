#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/frame.h"
#include "param/json_text.h"
#include "sim/object_spec.h"
#include "stage/stage_type.h"

namespace rtsim {

// Time as the scene gives it and as the run uses it.
struct TimeSpec {
  std::optional<double> fps;  // [1/s]; dt = 1 / (fps * steps_per_frame)
  std::optional<double> dt;   // [s]
  int steps_per_frame = 1;
  std::optional<int> frames;       // after frame 0
  std::optional<double> duration;  // [s], whole frames

  double step_dt() const;    // [s]
  long frame_count() const;  // frames after frame 0
};

struct RoleUse {
  std::string pointer;  // of the value in the scene
  std::string key;      // "fluid", "boundary", ...
  std::string object;
};

struct StageSpec {
  std::string type;
  std::string name;  // defaults to the type
  StageMaker make;
  Describe::Walk walk;  // visits its parameters as read
  std::optional<RowBudget> budget;
  std::function<BoundaryMemory(int dim)> boundary_memory;
  std::function<double(const GridShape&)> row_bytes;
  std::vector<RoleUse> roles;
};

// What of a series is meant: "final", "min", "max", "mean", "integral", "period", "first above
// 0.5", or a time.
struct ExpectMoment {
  enum class Kind { final, min, max, mean, integral, period, first_above, time, unknown };
  Kind kind;
  double figure = 0;  // the threshold, or the time [s]
};
ExpectMoment read_moment(const std::string& text);
inline constexpr const char* expect_moments =
    "final, min, max, mean, integral, period, \"first above <number>\" or a time in seconds";

// A figure of the scene, and what it is in each of the sub-runs of an order, from coarse to fine.
struct Variation {
  std::string pointer;
  std::vector<double> values;
};

// How the difference shrinks over sub-runs.
struct OrderSpec {
  std::vector<Variation> vary;  // the first has the size that the order is of
  double min = 0;               // the least order that will do
};

// A figure the run must reach, with its source.
struct ExpectSpec {
  enum class Norm { max, rms };
  std::string value;                // a series, with `at`: one number
  std::string curve;                // a series against a file of (x, y)
  std::string profile;              // "<object>.<column>" of the last frame along a line
  std::string at = "final";         // value: see ExpectMoment
  std::optional<double> equals;     // value
  FileName file;                    // curve, profile of a grid: two columns, # comments
  double x_scale = 1, y_scale = 1;  // of the file: SI = scale * (its figure) + offset
  double x_offset = 0, y_offset = 0;
  std::vector<double> range;  // the file's x from, to; without one the distance along the line
  Norm norm = Norm::max;
  Vec3d from, to;    // profile: the line [m]
  double width = 0;  // profile of points: rows this near the line count [m]
  int slices = 0;    // likewise: they are averaged in so many parts of the line; 0: not
  std::vector<double>
      line;  // likewise: expected at equal distances from `from` to `to`, linear between
  std::optional<double> abs, rel;  // tolerance; or, in its place,
  std::optional<OrderSpec> order;
  std::string source;
};

// A scene read, checked and filled with its defaults. No memory of the world's size is taken yet.
struct Scene {
  std::filesystem::path file;
  int dim = 3;
  std::int64_t seed = 0;
  Vec3d gravity{{0, -9.81, 0}};  // [m/s^2]
  TimeSpec time;
  std::vector<ObjectSpec> objects;
  std::vector<StageSpec> stages;
  std::vector<Output> output;
  int series_every = 1;                   // steps
  std::optional<long> checkpoint_frames;  // one of these two
  std::optional<double> checkpoint_seconds = 300;
  int checkpoint_keep = 2;  // the newest so many stay; 0: all
  std::vector<ExpectSpec> expect;
  std::string resolved;  // JSON: what really runs, every default filled, --set applied
  std::string identity;  // 16 hex digits over `resolved` without its end time, and with the
                         // contents of files in place of their paths: equal identities, equal bytes
  std::vector<std::string> assets;  // absolute paths of the files it reads
  JsonText source;                  // where its values stand, for scene_problem
};

// Throws Error{bad_input} with every problem, files that cannot be read among them, a line each:
//   scene.json:3:7: /stages/0/stifness: unknown key; did you mean "stiffness"?
// `overrides` are "/json/pointer=value" texts.
Scene read_scene(const std::filesystem::path&, const std::vector<std::string>& overrides,
                 const std::vector<StageType>& catalog);

// As above from a text, with files looked for from `folder` but not opened: the identity holds
// their paths.
Scene read_scene_text(std::string text, const std::string& name,
                      const std::filesystem::path& folder,
                      const std::vector<std::string>& overrides,
                      const std::vector<StageType>& catalog);

// The identity of a scene that was read from a text, with the contents that its files had: paths
// and their XXH3 in hex, as a manifest keeps them.
std::string scene_identity(const Scene&,
                           const std::vector<std::pair<std::string, std::string>>& contents);

// A line for a problem found later (a mesh that is not closed, a missing column), with its place.
std::string scene_problem(const Scene&, const std::string& pointer, const std::string& message);

// JSON Schema (2020-12) of whole scenes, the manual of all stages (Markdown), one stage as text.
std::string scene_schema(const std::vector<StageType>& catalog);
std::string manual(const std::vector<StageType>& catalog);
std::string describe_stage(const StageType&);
std::string describe_stage_json(const StageType&);

}  // namespace rtsim
