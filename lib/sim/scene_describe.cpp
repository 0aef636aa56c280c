#include "sim/scene_describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.h"
#include "sim/scene_time.h"

namespace rtsim {

namespace {

constexpr Option formats[] = {
    {"hdf5", int(Format::hdf5), "all columns, VTKHDF for ParaView."},
    {"vdb", int(Format::vdb),
     "OpenVDB volumes: of particles fog and level set, of a grid its columns."},
    {"surface", int(Format::surface),
     "the surface of particles in space, or of a mesh: triangles, level set."},
};

constexpr Option norms[] = {
    {"max", int(ExpectSpec::Norm::max), "the worst place."},
    {"rms", int(ExpectSpec::Norm::rms), "root of the mean square."},
};

}  // namespace

void check_name(Describe& d, const std::string& name) {
  constexpr const char* letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (!d.given("name") || (!name.empty() && name.find_first_not_of(letters) == name.npos)) return;
  d.fault("name", "must consist of letters, digits, _ and -, as it names files and series");
}

void refuse(Describe& d, std::initializer_list<const char*> keys, const std::string& why) {
  for (const char* key : keys)
    if (d.given(key)) d.fault(key, why);
}

namespace {

// Null, with a problem, where the catalog has no such type.
const StageType* find_type(Describe& d, const StageEntry& e) {
  std::vector<std::string> names;
  for (const StageType& t : *e.catalog) {
    if (t.name == e.spec.type) return &t;
    names.emplace_back(t.name);
  }
  if (e.spec.type.empty()) return nullptr;
  const std::string near = did_you_mean(e.spec.type, names);
  d.fault("type", fmt::format("there is no stage type \"{}\"{}", e.spec.type,
                              near.empty() ? "; `rtsim list` shows them" : near));
  return nullptr;
}

}  // namespace

void describe(Describe& d, StageEntry& e) {
  d.required("type", e.spec.type, "One of `rtsim list`; it decides the other keys.");
  const bool read_before = bool(e.spec.walk);
  const StageType* const type = read_before ? nullptr : find_type(d, e);
  if (!read_before && !type) return d.ignore_rest();
  if (e.spec.name.empty()) e.spec.name = e.spec.type;
  d("name", e.spec.name, "Its name in the series; unless given, its type.");
  check_name(d, e.spec.name);
  if (d.given("name") && e.spec.name.starts_with('_'))
    d.fault("name", "must not start with _, which marks the stages that a run puts in itself");
  if (read_before) return e.spec.walk(d);
  StageParams params = type->read(d);
  e.spec.make = std::move(params.make);
  e.spec.walk = std::move(params.walk);
  e.spec.budget = std::move(params.budget);
  e.spec.boundary_memory = std::move(params.boundary_memory);
  e.spec.row_bytes = std::move(params.row_bytes);
}

namespace {

void refuse_surface(Describe& d) {
  refuse(d, {"files", "voxels_per_spacing", "kernels", "smoothing"}, "is for format \"surface\"");
}

void describe_table(Describe& d, Output& o) {
  d("columns", o.columns,
    "Columns to write; none: all of the state and what derives from it. Of bodies \"touches\" "
    "stands for the table of where they touch, \"joints\" for that of their joints.");
  d("bits", o.bits, "", between(0, 52),
    "Bits of the mantissa kept in real columns but positions; 0 keeps all.");
  refuse(d, {"voxel", "half"}, "is for format \"vdb\"");
  refuse_surface(d);
}

void describe_volume(Describe& d, Output& o) {
  d("columns", o.columns, "Of a grid: columns to write; none: all.");
  d("voxel", o.voxel, "m", at_least(0),
    "Of particles and height fields: side of a voxel; 0: their spacing.");
  d("half", o.half, "16-bit values.");
  refuse(d, {"bits"}, "is for format \"hdf5\"; here \"half\" makes files smaller");
  refuse_surface(d);
}

void describe_surface(Describe& d, Output& o) {
  describe(d, o.surface);
  refuse(d, {"columns", "bits"}, "is for format \"hdf5\"; a surface is made of positions alone");
  refuse(d, {"voxel", "half"}, "is for format \"vdb\"; a surface has \"voxels_per_spacing\"");
  if (d.dim() == 2)
    d.fault("format",
            "\"surface\" is for particles and meshes in space; this scene's \"dim\" is 2");
}

}  // namespace

void describe(Describe& d, Output& o) {
  ObjectName object{o.object};
  d.role("object", object, {}, "What is written.");
  o.object = object.name;
  const bool known = d.choice("format", o.format, formats, "File format:");
  d("every", o.every, "frames", at_least(1), "Writes every so many frames.");
  if (!known)
    d.ignore_rest();
  else if (o.format == Format::vdb)
    describe_volume(d, o);
  else if (o.format == Format::surface)
    describe_surface(d, o);
  else
    describe_table(d, o);
}

namespace {

void check_range(Describe& d, const std::vector<double>& range) {
  if (!d.given("range") || range.empty()) return;
  if (range.size() != 2 || !(range[0] < range[1]))
    d.fault("range", "must be two numbers, the smaller one first");
}

}  // namespace

ExpectMoment read_moment(const std::string& text) {
  using Kind = ExpectMoment::Kind;
  constexpr std::pair<const char*, Kind> names[] = {
      {"final", Kind::final}, {"min", Kind::min},           {"max", Kind::max},
      {"mean", Kind::mean},   {"integral", Kind::integral}, {"period", Kind::period}};
  for (const auto& [name, kind] : names)
    if (text == name) return {kind};
  const std::string above = "first above ";
  const bool first = text.starts_with(above);
  const auto figure = parse_number(first ? text.substr(above.size()) : text);
  if (!figure) return {Kind::unknown};
  return {first ? Kind::first_above : Kind::time, *figure};
}

namespace {

void describe_value(Describe& d, ExpectSpec& e) {
  d.required(
      "value", e.value,
      "The series held against a number, such as \"wcsph.water.front\", or the difference of two, "
      "\"one - other\".");
  d("at", e.at,
    "\"final\", \"min\", \"max\", \"mean\" or \"integral\" of the series, the \"period\" of its "
    "swings about its mean, the time at which it is \"first above 0.5\", or a time in seconds "
    "(\"0.5\").");
  d("range", e.range, "s", any(), "First and last time that count; none: all.");
  double equals = e.equals.value_or(0);
  d.required("equals", equals, "", any(), "What it should be, in the series' unit.");
  e.equals = equals;
  if (read_moment(e.at).kind == ExpectMoment::Kind::unknown)
    d.fault("at", fmt::format("must be {}", expect_moments));
  check_range(d, e.range);
}

// Two columns of figures with their units, and the points of them that count.
void describe_file(Describe& d, ExpectSpec& e, const char* columns, const char* x_doc) {
  d.required("file", e.file, columns);
  d("x_scale", e.x_scale, "", any(), x_doc);
  d("x_offset", e.x_offset, "", any(), "See x_scale.");
  d("y_scale", e.y_scale, "", any(),
    "Value in SI = y_scale * the file's second column + y_offset.");
  d("y_offset", e.y_offset, "", any(), "See y_scale.");
  d("range", e.range, "", any(), "First and last x of the file that count; none: all.");
  d.choice("norm", e.norm, norms, "How differences become one figure:");
  check_range(d, e.range);
}

void describe_curve(Describe& d, ExpectSpec& e) {
  d.required("curve", e.curve, "The series held against a file, such as \"wcsph.water.front\".");
  describe_file(d, e, "Two columns, time and value; # starts a comment.",
                "Time in seconds = x_scale * the file's first column + x_offset.");
}

void describe_line(Describe& d, ExpectSpec& e, const char* doc) {
  d.required("profile", e.profile, doc);
  d.required("from", e.from, "m", any(), "Where the line starts.");
  d.required("to", e.to, "m", any(), "Where it ends.");
  if (d.given("from") && d.given("to") && e.from == e.to)
    d.fault("to", "is where the line starts; the line must have a length");
}

void describe_profile(Describe& d, ExpectSpec& e) {
  describe_line(d, e, "\"<object>.<column>\" of the last frame, for the points near a line.");
  d.required("width", e.width, "m", above(0), "Rows this near the line count.");
  d("slices", e.slices, "", between(0, 10000),
    "Rows are averaged in so many equal parts of the line, against thermal noise; 0 takes each by "
    "itself.");
  d.required("line", e.line, "", any(),
             "Values expected at equal distances from `from` to `to`, linear between.");
  d("range", e.range, "m", any(), "First and last distance from `from` that count; none: all.");
  d.choice("norm", e.norm, norms, "How differences become one figure:");
  if (d.given("line") && e.line.size() < 2) d.fault("line", "must be two numbers or more");
  check_range(d, e.range);
}

void describe_grid_profile(Describe& d, ExpectSpec& e) {
  describe_line(
      d, e,
      "\"<object>.<column>\" of the last frame of a grid or a height field, with .x, .y or "
      ".z after a vector; linear between the centres of cells.");
  describe_file(d, e, "Two columns, distance from `from` and value; # starts a comment.",
                "Distance in metres = x_scale * the file's first column + x_offset.");
}

// Which form the given keys are of; none, and a fault, unless they are of one.
std::optional<ExpectForm> form_of(Describe& d, const ExpectSpec& e) {
  const bool profile = d.given("profile") || !e.profile.empty();
  const bool file = d.given("file") || !e.file.path.empty();
  const bool forms[] = {d.given("value") || !e.value.empty(), d.given("curve") || !e.curve.empty(),
                        profile && !file, profile && file};
  if (std::ranges::count(forms, true) == 1)
    return ExpectForm(std::ranges::find(forms, true) - std::begin(forms));
  d.fault("", "give one of \"value\", \"curve\" and \"profile\"");
  d.ignore_rest();
  return {};
}

void check_variations(Describe& d, const std::vector<Variation>& vary) {
  if (!d.given("vary")) return;
  for (const Variation& v : vary)
    if (v.values.size() != vary[0].values.size())
      d.fault("vary", "all that varies must have as many values, one for each sub-run");
  if (vary.empty() || vary[0].values.size() < 2)
    return d.fault("vary", "wants two values at least, of two sub-runs");
  const std::vector<double>& x = vary[0].values;
  const bool falls = x[1] < x[0];
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(x[i] > 0) || (i > 0 && !(falls ? x[i] < x[i - 1] : x[i] > x[i - 1])))
      return d.fault("vary", "the first values must be above 0 and rise or fall throughout");
}

}  // namespace

void describe(Describe& d, Variation& v) {
  d.required("pointer", v.pointer, "JSON pointer of a number in the scene, such as \"/time/dt\".");
  d.required("values", v.values, "", any(), "What it is, in one sub-run after the other.");
}

void describe(Describe& d, OrderSpec& o) {
  d.one_or_many("vary", o.vary, "What differs between sub-runs.", "variation", Need::required);
  d.required("min", o.min, "", any(), "The least order that will do.");
  check_variations(d, o.vary);
}

void describe(Describe& d, ExpectSpec& e, ExpectForm form) {
  if (form == ExpectForm::value) describe_value(d, e);
  if (form == ExpectForm::curve) describe_curve(d, e);
  if (form == ExpectForm::profile) describe_profile(d, e);
  if (form == ExpectForm::grid_profile) describe_grid_profile(d, e);
  d("abs", e.abs, "", above(0), "Greatest difference, in the unit of the quantity.");
  d("rel", e.rel, "", above(0), "Greatest difference over the expected value.");
  d.nested("order", e.order,
           "How fast differences, in the unit of the quantity, fall over sub-runs. Each runs this "
           "scene whole, in `expect/` inside the run's folder, with --expect alone. The order is "
           "the slope of log(difference) over log of the first values, or of their inverses where "
           "they rise as numbers of cells do, by least squares.",
           "order");
  d.required("source", e.source, "Where the expected figures come from.");
  if (d.given("order"))
    refuse(d, {"abs", "rel"}, "is for a single run; an \"order\" has \"min\"");
  else
    require_one(d, "abs", "rel");
}

void describe(Describe& d, ExpectSpec& e) {
  if (const auto form = form_of(d, e)) describe(d, e, *form);
}

namespace {

void describe_stages(Describe& d, Scene& s, const std::vector<StageType>& catalog) {
  std::vector<StageEntry> entries;
  for (const StageSpec& spec : s.stages) entries.push_back({&catalog, spec});
  d.list("stages", entries, "What advances the world, in the order of a step.", "stage",
         Need::required, StageEntry{&catalog, {}});
  s.stages.clear();
  for (StageEntry& e : entries) s.stages.push_back(std::move(e.spec));
}

void describe_checkpoints(Describe& d, Scene& s) {
  FramesOrTime every{{}, s.checkpoint_seconds};
  if (s.checkpoint_frames) every.frames = int(*s.checkpoint_frames);
  d("checkpoint_every", every,
    "Writes a checkpoint every so many frames, or so much wall-clock time.");
  s.checkpoint_frames.reset();
  if (every.frames) s.checkpoint_frames = *every.frames;
  s.checkpoint_seconds = every.seconds;
  d("checkpoint_keep", s.checkpoint_keep, "", at_least(0),
    "How many checkpoints stay, the newest; 0: all, so that `rtsim branch` can go on from each.");
}

}  // namespace

void describe(Describe& d, Scene& s, const std::vector<StageType>& catalog) {
  int version = scene_version;
  d.required("rtsim", version, "", any(), "Version of the scene format: 1.");
  if (version != scene_version)
    d.fault("rtsim", fmt::format("scene format {} is not known; this version reads {}", version,
                                 scene_version));
  d("dim", s.dim, "", between(2, 3), "Dimensions of space: vectors have as many entries.");
  d("seed", s.seed, "", at_least(0), "Of all random numbers.");
  d.vector("gravity", s.gravity, "m/s^2", "Acceleration of everything with mass.");
  d.nested("time", s.time, "Frames, steps and the end.");
  d.list("objects", s.objects, "What there is.", "object");
  describe_stages(d, s, catalog);
  d.list("output", s.output, "What is written to the cache.", "output");
  d("series_every", s.series_every, "steps", at_least(1), "Writes the series every so many steps.");
  describe_checkpoints(d, s);
  d.list("expect", s.expect, "Figures that the run must reach.", "expectation");
}

}  // namespace rtsim
