#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "cache/durable.h"
#include "cache/frame_reader.h"
#include "cache/mesh_faces.h"
#include "cache/volumes.h"
#include "convert/body_poses.h"
#include "convert/columns.h"
#include "convert/frame_formats.h"
#include "convert/usd_text.h"

// Pixar's Universal Scene Description, as text. Points and meshes have a layer of their own for
// each frame, which the scene's layer strings together as value clips: so frames are written, and
// read, each by itself. Bodies move on curves of few numbers, in one layer. Time codes are frames.
namespace rtsim {

namespace fs = std::filesystem;

std::string usd_name(std::string_view name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) ? "_" + out : out;
}

namespace {

// Frames a second: they are at even times, from 0 on.
double codes_per_second(const ConversionPlan& plan) {
  const CommittedFrame &first = plan.frames.front(), &last = plan.frames.back();
  if (!(last.time > first.time)) return last.time > 0 ? double(last.frame) / last.time : 24;
  const double rate = double(last.frame - first.frame) / (last.time - first.time);
  return std::round(rate * 1e9) / 1e9;
}

// "Z" where gravity says so; without any, or along another axis, y is up as in USD itself.
std::string up_axis(const ConversionPlan& plan) {
  const auto scene =
      nlohmann::json::parse(read_file(plan.run / "scene.resolved.json"), nullptr, false);
  if (!scene.is_object() || !scene.contains("gravity")) return "Y";
  const nlohmann::json& g = scene["gravity"];
  if (!g.is_array() || g.size() != 3) return "Y";
  const auto at = [&](std::size_t k) {
    return g[k].is_number() ? std::abs(g[k].get<double>()) : 0;
  };
  return at(2) > at(0) && at(2) > at(1) ? "Z" : "Y";
}

std::string layer_head(const ConversionPlan& plan, const std::string& prim,
                       const std::string& more = "") {
  return fmt::format("#usda 1.0\n(\n    defaultPrim = \"{}\"\n    timeCodesPerSecond = {}\n{})\n\n",
                     prim, codes_per_second(plan), more);
}

enum class Prim { points, mesh, curves };

Prim prim_of(const FrameObject& o) {
  if (o.kind == Kind::height_field) return Prim::mesh;
  if (o.kind != Kind::mesh) return Prim::points;
  return o.cells.corners == 2 ? Prim::curves : Prim::mesh;
}

const char* type_of(Prim p) {
  return p == Prim::points ? "Points" : p == Prim::mesh ? "Mesh" : "BasisCurves";
}

// What a frame shows of an object: the rows in the order that USD has them.
struct Shown {
  const FrameObject& object;
  std::vector<float> places;         // x, y, z of the rows [m]
  std::vector<std::int32_t> corner;  // of curves: the row of each end; empty: all rows in order
  std::vector<std::int32_t> faces;   // of meshes: three rows each

  std::size_t size() const { return corner.empty() ? std::size_t(object.rows) : corner.size(); }
  std::size_t row(std::size_t i) const { return corner.empty() ? i : std::size_t(corner[i]); }
};

Shown shown_of(const FrameObject& o) {
  Shown s{o, {}, {}, {}};
  const std::vector<double> x = places(o);
  s.places.assign(x.begin(), x.end());
  if (prim_of(o) == Prim::curves) s.corner = o.cells.points;
  if (prim_of(o) == Prim::mesh)
    for (const auto& t : shown_triangles(o).triangles)
      s.faces.insert(s.faces.end(), t.begin(), t.end());
  return s;
}

// An attribute that a frame gives values to.
struct Attribute {
  std::string declaration;  // "vector3f[] velocities"
  std::string metadata;     // "interpolation = \"vertex\""; may be empty
  const FrameColumn* column = nullptr;
  int components = 3;
};

Attribute attribute_of(const FrameColumn& c) {
  if (c.name == "velocity") return {"vector3f[] velocities", "", &c, 3};
  if (c.name == "id") return {"int64[] ids", "", &c, 1};
  const char* scalar = is_real(c) ? "float" : c.type.scalar == Scalar::i64 ? "int64" : "int";
  if (c.type.scalar == Scalar::u32) scalar = "uint";
  if (c.type.scalar == Scalar::u8) scalar = "uchar";
  const int n = is_of_plane(c) ? 3 : c.type.components;
  const bool tuple = is_real(c) && (n == 3 || n == 4);
  std::string metadata = "interpolation = \"vertex\"";
  if (n > 1 && !tuple) metadata += fmt::format("\n            elementSize = {}", n);
  return {
      fmt::format("{}{}[] primvars:{}", scalar, tuple ? std::to_string(n) : "", usd_name(c.name)),
      metadata, &c, n};
}

// Meshes have no ids in USD.
std::vector<Attribute> attributes_of(const FrameObject& o, const std::vector<std::string>& chosen) {
  std::vector<Attribute> all;
  for (const FrameColumn& c : o.columns)
    if (c.name != "position" && is_chosen(o, c.name, chosen) &&
        (c.name != "id" || prim_of(o) == Prim::points))
      all.push_back(attribute_of(c));
  return all;
}

template <class T>
void put_column(UsdText& text, const Shown& s, const Attribute& a) {
  const FrameColumn& c = *a.column;
  const int in_row = c.type.components, n = a.components;
  const bool tuple = n == 1 || a.metadata.find("elementSize") == std::string::npos;
  const auto* const data = reinterpret_cast<const T*>(c.bytes.data());
  const auto at = [&](std::size_t i, int k) {
    using Number = std::conditional_t<std::is_same_v<T, double>, float, T>;
    return k < in_row ? Number(data[s.row(i) * std::size_t(in_row) + std::size_t(k)]) : Number(0);
  };
  if (tuple) return text.array(s.size(), n, at);
  const auto flat = std::size_t(n);
  text.array(s.size() * flat, 1, [&](std::size_t i, int) { return at(i / flat, int(i % flat)); });
}

void put_values(UsdText& text, const Shown& s, const Attribute& a) {
  switch (a.column->type.scalar) {
    case Scalar::f32:
      return put_column<float>(text, s, a);
    case Scalar::f64:
      return put_column<double>(text, s, a);
    case Scalar::i32:
      return put_column<std::int32_t>(text, s, a);
    case Scalar::u32:
      return put_column<std::uint32_t>(text, s, a);
    case Scalar::i64:
      return put_column<std::int64_t>(text, s, a);
    case Scalar::u8:
      return put_column<std::uint8_t>(text, s, a);
  }
}

// The corners of the box that holds all points, half a width apart.
std::vector<float> extent_of(const std::vector<float>& places, float width) {
  if (places.empty()) return std::vector<float>(6, 0);
  std::vector<float> box{places[0], places[1], places[2], places[0], places[1], places[2]};
  for (std::size_t i = 0; i < places.size(); i += 3)
    for (std::size_t a = 0; a < 3; ++a) {
      box[a] = std::min(box[a], places[i + a]);
      box[3 + a] = std::max(box[3 + a], places[i + a]);
    }
  for (std::size_t a = 0; a < 3; ++a) box[a] -= width / 2, box[3 + a] += width / 2;
  return box;
}

float width_of(const FrameObject& o) {
  return prim_of(o) == Prim::points ? float(o.spacing) : 0.0f;
}

// Writes one attribute of a frame.
class FrameLayer {
 public:
  FrameLayer(UsdText& text, long frame) : text_(text), frame_(frame) {}

  template <class Values>
  void attribute(const std::string& declaration, const Values& values) {
    text_.put("    " + declaration + ".timeSamples = {\n        ");
    text_.number(frame_);
    text_.put(": ");
    values();
    text_.put(",\n    }\n");
  }

 private:
  UsdText& text_;
  long frame_;
};

template <class T>
void put_flat(UsdText& text, const std::vector<T>& values, int components) {
  text.array(values.size() / std::size_t(components), components, [&](std::size_t i, int k) {
    return values[i * std::size_t(components) + std::size_t(k)];
  });
}

void put_topology(FrameLayer& layer, UsdText& text, const Shown& s) {
  if (prim_of(s.object) == Prim::mesh) {
    layer.attribute("int[] faceVertexCounts",
                    [&] { text.array(s.faces.size() / 3, 1, [](std::size_t, int) { return 3; }); });
    layer.attribute("int[] faceVertexIndices", [&] { put_flat(text, s.faces, 1); });
  }
  if (prim_of(s.object) == Prim::curves)
    layer.attribute("int[] curveVertexCounts",
                    [&] { text.array(s.size() / 2, 1, [](std::size_t, int) { return 2; }); });
}

void put_frame(UsdText& text, const FrameJob& job) {
  const FrameObject& o = job.object;
  const Shown s = shown_of(o);
  text.put(layer_head(job.plan, usd_name(o.name)));
  text.put(fmt::format("def {} \"{}\"\n{{\n", type_of(prim_of(o)), usd_name(o.name)));
  FrameLayer layer(text, job.frame.index);
  layer.attribute("float3[] extent", [&] { put_flat(text, extent_of(s.places, width_of(o)), 3); });
  layer.attribute("point3f[] points", [&] {
    text.array(s.size(), 3,
               [&](std::size_t i, int k) { return s.places[3 * s.row(i) + std::size_t(k)]; });
  });
  for (const Attribute& a : attributes_of(o, job.plan.columns))
    layer.attribute(a.declaration, [&] { put_values(text, s, a); });
  put_topology(layer, text, s);
  text.put("}\n");
}

// Files of an object, from the folder of the scene's layer.
std::string clip_path(const WrittenFile& f, const char* ending) {
  const fs::path path = f.path;
  return fmt::format("./{}/{}.{}", object_of(f), path.stem().string(), ending);
}

std::vector<std::pair<long, std::string>> clips_of(const ConversionPlan& plan,
                                                   const std::string& object, const char* ending) {
  std::vector<std::pair<long, std::string>> clips;
  for (const CommittedFrame& frame : plan.frames)
    for (const WrittenFile& f : frame.files)
      if (object_of(f) == object) clips.emplace_back(frame.frame, clip_path(f, ending));
  return clips;
}

std::string with_metadata(const Attribute& a) {
  return a.metadata.empty()
             ? fmt::format("        {}\n", a.declaration)
             : fmt::format("        {} (\n            {}\n        )\n", a.declaration, a.metadata);
}

// What the clips hold, which nobody then has to look for in all of them.
std::string manifest_layer(const ConversionPlan& plan, const FrameObject& o) {
  std::string text = layer_head(plan, usd_name(o.name));
  text += fmt::format("def {} \"{}\"\n{{\n    float3[] extent\n    point3f[] points\n",
                      type_of(prim_of(o)), usd_name(o.name));
  for (const Attribute& a : attributes_of(o, plan.columns))
    text += fmt::format("    {}\n", a.declaration);
  if (prim_of(o) == Prim::mesh) text += "    int[] faceVertexCounts\n    int[] faceVertexIndices\n";
  if (prim_of(o) == Prim::curves) text += "    int[] curveVertexCounts\n";
  return text + "}\n";
}

// Which time of its clip each time of the scene shows. Between frames values are blended, but for
// those of particles, whose rows change places: they stand until the next clip begins.
std::string clip_times(const std::vector<std::pair<long, std::string>>& clips, bool stand) {
  std::string times;
  for (std::size_t k = 0; k < clips.size(); ++k) {
    const long frame = clips[k].first;
    if (k > 0) times += ", ";
    if (k > 0 && stand) times += fmt::format("({}, {}), ", frame, clips[k - 1].first);
    times += fmt::format("({0}, {0})", frame);
  }
  return times;
}

std::string clip_prim(const ConversionPlan& plan, const FrameObject& o) {
  const auto clips = clips_of(plan, o.name, "usda");
  std::string paths, active;
  for (std::size_t k = 0; k < clips.size(); ++k) {
    const char* comma = k == 0 ? "" : ", ";
    paths += fmt::format("{}@{}@", comma, clips[k].second);
    active += fmt::format("{}({}, {})", comma, clips[k].first, k);
  }
  const std::string times = clip_times(clips, prim_of(o) == Prim::points);
  std::string text = fmt::format(
      "    def {0} \"{1}\" (\n        clips = {{\n            dictionary default = {{\n"
      "                double2[] active = [{2}]\n                asset[] assetPaths = [{3}]\n"
      "                asset manifestAssetPath = @./{4}/{4}.manifest.usda@\n"
      "                string primPath = \"/{1}\"\n                double2[] times = [{5}]\n"
      "            }}\n        }}\n    )\n    {{\n",
      type_of(prim_of(o)), usd_name(o.name), active, paths, o.name, times);
  if (prim_of(o) == Prim::points && o.spacing > 0)
    text += fmt::format(
        "        float[] widths = [{}] (\n            interpolation = \"constant\"\n"
        "        )\n",
        float(o.spacing));
  if (prim_of(o) == Prim::mesh)
    text +=
        "        uniform bool doubleSided = 1\n"
        "        uniform token subdivisionScheme = \"none\"\n";
  if (prim_of(o) == Prim::curves) text += "        uniform token type = \"linear\"\n";
  for (const Attribute& a : attributes_of(o, plan.columns)) text += with_metadata(a);
  return text + "    }\n";
}

// A grid: each of its columns is a field in the file of the frame.
std::string volume_prim(const ConversionPlan& plan, const FrameObject& o) {
  std::string files;
  for (const auto& [frame, path] : clips_of(plan, o.name, "vdb"))
    files += fmt::format("                {}: @{}@,\n", frame, path);
  std::string fields, relations;
  for (const FrameColumn& c : o.columns) {
    if (!is_real(c) || !is_chosen(o, c.name, plan.columns)) continue;
    const std::string name = usd_name(c.name);
    relations += fmt::format("        rel field:{0} = </scene/{1}/{0}>\n", name, usd_name(o.name));
    fields += fmt::format(
        "        def OpenVDBAsset \"{}\"\n        {{\n            token fieldName = \"{}\"\n"
        "            asset filePath.timeSamples = {{\n{}            }}\n        }}\n",
        name, c.name, files);
  }
  const GridShape& g = *o.grid;
  const auto corner = [&](bool high) {
    float x[3];
    for (int a = 0; a < 3; ++a)
      x[a] = float(g.low[a] + (high && g.spans[a] ? double(g.cells[a]) * g.spacing : 0));
    return fmt::format("({}, {}, {})", x[0], x[1], x[2]);
  };
  return fmt::format(
      "    def Volume \"{}\"\n    {{\n        float3[] extent = [{}, {}]\n{}\n{}    }}\n",
      usd_name(o.name), corner(false), corner(true), relations, fields);
}

// Poses of all bodies in one frame after the other, each with the sign nearest to the last.
class BodyTracks {
 public:
  BodyTracks(const ConversionPlan& plan, const FrameObject& first) : first_(first) {
    const auto poses = [](const FrameObject&, const std::string& c) {
      return c == "position" || c == "orientation";
    };
    for (const CommittedFrame& frame : plan.frames)
      for (const WrittenFile& f : frame.files) {
        if (object_of(f) != first.name) continue;
        add(frame.frame, read_frame(plan.run, f, poses));
      }
  }

  void put(UsdText& text, std::size_t body) const {
    text.put("        float3 xformOp:translate.timeSamples = {\n");
    samples(text, body, [](UsdText& t, const BodyPose& p) {
      tuple<float>(t, {p.x[0], p.x[1], p.x[2]});
    });
    // Of length 1 to a double's digits: the library finds the angle by its cosine, which shows each
    // wrong digit of a small one twice as early.
    text.put("        quatd xformOp:orient.timeSamples = {\n");
    samples(text, body, [](UsdText& t, const BodyPose& p) {
      double length = 0;
      for (const float q : p.q) length += double(q) * q;
      length = std::sqrt(length);
      tuple<double>(t, {p.q[3] / length, p.q[0] / length, p.q[1] / length, p.q[2] / length});
    });
  }

 private:
  void add(long frame, const FrameObject& o) {
    if (o.rows != first_.rows)
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' has {} bodies in frame {}, and {} in the first one: usda wants "
                              "the same; choose --frames",
                              o.name, o.rows, frame, first_.rows));
    frames_.push_back(frame);
    for (std::size_t b = 0; b < std::size_t(o.rows); ++b) {
      poses_.push_back(pose_of(o, b));
      if (frames_.size() > 1)
        keep_sign(poses_.back(), poses_[poses_.size() - 1 - std::size_t(o.rows)]);
    }
  }

  template <class T>
  static void tuple(UsdText& text, std::initializer_list<T> values) {
    const char* before = "(";
    for (const T v : values) text.put(before), text.number(v), before = ", ";
    text.put(")");
  }

  void samples(UsdText& text, std::size_t body, const auto& value) const {
    for (std::size_t k = 0; k < frames_.size(); ++k) {
      text.put("            ");
      text.number(frames_[k]);
      text.put(": ");
      value(text, poses_[k * std::size_t(first_.rows) + body]);
      text.put(",\n");
    }
    text.put("        }\n");
  }

  const FrameObject& first_;
  std::vector<long> frames_;
  std::vector<BodyPose> poses_;
};

void put_body_mesh(UsdText& text, const BodyMesh& mesh) {
  text.put("\n        def Mesh \"shape\"\n        {\n            float3[] extent = ");
  put_flat(text, extent_of(mesh.points, 0), 3);
  text.put("\n            int[] faceVertexCounts = ");
  text.array(mesh.corners.size() / 3, 1, [](std::size_t, int) { return 3; });
  text.put("\n            int[] faceVertexIndices = ");
  put_flat(text, mesh.corners, 1);
  text.put("\n            point3f[] points = ");
  put_flat(text, mesh.points, 3);
  text.put("\n            uniform token subdivisionScheme = \"none\"\n        }\n");
}

void put_bodies(UsdText& text, const ConversionPlan& plan, const FrameObject& o) {
  const BodyTracks tracks(plan, o);
  text.put(layer_head(plan, usd_name(o.name)));
  text.put(fmt::format("def Xform \"{}\"\n{{\n", usd_name(o.name)));
  for (std::size_t b = 0; b < std::size_t(o.rows); ++b) {
    text.put(fmt::format("    def Xform \"body_{}\"\n    {{\n", b));
    tracks.put(text, b);
    text.put(
        "        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
    if (const BodyMesh mesh = mesh_of(o, b); !mesh.corners.empty()) put_body_mesh(text, mesh);
    text.put("    }\n");
  }
  text.put("}\n");
}

std::string prim_text(const ConversionPlan& plan, const FrameObject& o) {
  if (o.kind == Kind::bodies)
    return fmt::format(
        "    def Xform \"{0}\" (\n        prepend references = @./{1}/{1}.usda@\n    )\n    {{\n"
        "    }}\n",
        usd_name(o.name), o.name);
  return o.kind == Kind::grid ? volume_prim(plan, o) : clip_prim(plan, o);
}

}  // namespace

void check_usda(const ConversionPlan& plan) {
  std::map<std::string, std::string> names;
  for (const auto& [name, object] : plan.first) {
    const auto [at, is_new] = names.try_emplace(usd_name(name), name);
    if (!is_new)
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' and '{}' would both be called {} in USD, which has letters, "
                              "digits and _ alone; choose one by --objects",
                              at->second, name, at->first));
  }
}

void write_frame_usda(const FrameJob& job, FileSink& sink) {
  if (job.object.kind == Kind::grid) return write_frame_vdb(job, sink);
  if (job.object.kind == Kind::bodies) return;  // see finish_usda
  sink.stream(converted_path(job, "usda"), [&](FileStream& to) {
    UsdText text(to);
    put_frame(text, job);
  });
}

std::vector<WrittenFile> finish_usda(const ConversionPlan& plan) {
  FileSink sink(plan.out);
  for (const auto& [name, object] : plan.first) {
    if (object.kind == Kind::bodies)
      sink.stream(fmt::format("cache/{0}/{0}.usda", name), [&, &o = object](FileStream& to) {
        UsdText text(to);
        put_bodies(text, plan, o);
      });
    else if (object.kind != Kind::grid)
      sink.bytes(fmt::format("cache/{0}/{0}.manifest.usda", name), manifest_layer(plan, object));
  }
  std::string scene = layer_head(
      plan, "scene",
      fmt::format("    framesPerSecond = {}\n    startTimeCode = {}\n    endTimeCode = {}\n"
                  "    metersPerUnit = 1\n    upAxis = \"{}\"\n",
                  codes_per_second(plan), plan.frames.front().frame, plan.frames.back().frame,
                  up_axis(plan)));
  scene += "def Xform \"scene\" (\n    kind = \"component\"\n)\n{\n";
  for (const auto& [name, object] : plan.first) scene += prim_text(plan, object);
  sink.bytes("cache/scene.usda", scene + "}\n");
  for (const WrittenFile& f : sink.written()) sync_path(plan.out / f.path);
  sync_path(plan.out / "cache");
  return sink.written();
}

}  // namespace rtsim
