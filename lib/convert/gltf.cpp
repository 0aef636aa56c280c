#include <cstring>

#include "base/error.h"
#include "base/hash.h"
#include "cache/durable.h"
#include "cache/frame_reader.h"
#include "cache/mesh_faces.h"
#include "convert/body_poses.h"
#include "convert/columns.h"
#include "convert/gltf_model.h"
#include "convert/moving_points.h"
#include "convert/sequence_formats.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// Edges, triangles, or the points alone.
tinygltf::Primitive primitive_of(const FrameObject& o, GltfModel& model) {
  tinygltf::Primitive p;
  std::vector<std::uint32_t> corners;
  p.mode = TINYGLTF_MODE_TRIANGLES;
  if (o.kind == Kind::mesh && o.cells.corners == 2) {
    p.mode = TINYGLTF_MODE_LINE;
    corners.assign(o.cells.points.begin(), o.cells.points.end());
  } else if (o.kind == Kind::mesh || o.kind == Kind::height_field) {
    for (const auto& t : shown_triangles(o).triangles)
      corners.insert(corners.end(), t.begin(), t.end());
  } else {
    p.mode = TINYGLTF_MODE_POINTS;
  }
  if (!corners.empty()) p.indices = model.add_indices(corners);
  return p;
}

// What has come together of one object.
struct Track {
  std::vector<float> times;        // [s]
  std::vector<std::string> parts;  // points, or poses of all bodies
};

class Gltf : public Sequence {
 public:
  explicit Gltf(const ConversionPlan& plan)
      : plan_(plan), file_(plan.out / "cache/scene.glb"), part_(file_.string() + ".part") {
    make_folders(file_.parent_path());
  }

  std::string prepare(const CommittedFrame&, const WrittenFile& f) const override {
    if (plan_.first.at(object_of(f)).kind != Kind::bodies) return moving_points_of(plan_.run, f);
    const FrameObject o = read_frame(plan_.run, f);
    std::string bytes;
    for (std::size_t b = 0; b < std::size_t(o.rows); ++b) {
      const BodyPose p = pose_of(o, b);
      bytes.append(reinterpret_cast<const char*>(&p), sizeof p);
    }
    return bytes;
  }
  void add(const CommittedFrame& frame, const WrittenFile& f, std::string part) override {
    Track& track = tracks_[object_of(f)];
    track.times.push_back(float(frame.time));
    track.parts.push_back(std::move(part));
  }
  void sync() override {}

  std::vector<WrittenFile> finish() override {
    GltfModel model;
    for (const auto& [name, track] : tracks_) {
      const FrameObject& o = plan_.first.at(name);
      if (o.rows == 0) continue;
      (o.kind == Kind::bodies ? add_bodies : add_points)(o, track, model);
    }
    model.write(part_.string());
    const WrittenFile written{"cache/scene.glb", fs::file_size(part_), hash_file(part_)};
    sync_path(part_);
    rename_file(part_, file_);
    sync_path(file_.parent_path());
    return {written};
  }

 private:
  static void add_bodies(const FrameObject& o, const Track& track, GltfModel& model) {
    const int times = model.add_floats(track.times, 1);
    for (std::size_t b = 0; b < std::size_t(o.rows); ++b) {
      const BodyMesh mesh = mesh_of(o, b);
      if (mesh.corners.empty()) continue;
      tinygltf::Primitive p;
      p.mode = TINYGLTF_MODE_TRIANGLES;
      p.attributes["POSITION"] = model.add_floats(mesh.points, 3, TINYGLTF_TARGET_ARRAY_BUFFER);
      p.indices = model.add_indices(mesh.corners);
      const int node =
          model.add_node(o.name + "." + std::to_string(b), model.add_mesh(std::move(p)));
      std::vector<float> x, q;
      BodyPose last = pose_of(o, b);
      for (const std::string& part : track.parts) {
        BodyPose pose;
        std::memcpy(&pose, part.data() + b * sizeof pose, sizeof pose);
        keep_sign(pose, last);
        x.insert(x.end(), pose.x, pose.x + 3), q.insert(q.end(), pose.q, pose.q + 4);
        last = pose;
      }
      model.animate(node, "translation", times, model.add_floats(x, 3));
      model.animate(node, "rotation", times, model.add_floats(q, 4));
    }
  }

  // Each later frame is a target, how far the points have gone since the first; its weight is 1 at
  // its own time and falls to 0 at those beside it, so that points move on straight lines between.
  static void add_points(const FrameObject& o, const Track& track, GltfModel& model) {
    const std::vector<float> first = moving_points(o);
    tinygltf::Primitive p = primitive_of(o, model);
    p.attributes["POSITION"] = model.add_floats(first, 3, TINYGLTF_TARGET_ARRAY_BUFFER);
    const std::size_t targets = track.parts.size() - 1;
    std::vector<float> weights(targets * track.parts.size());
    for (std::size_t k = 1; k < track.parts.size(); ++k) {
      std::vector<float> gone(first.size());
      std::memcpy(gone.data(), track.parts[k].data(), gone.size() * sizeof(float));
      for (std::size_t i = 0; i < gone.size(); ++i) gone[i] -= first[i];
      p.targets.push_back({{"POSITION", model.add_floats(gone, 3, TINYGLTF_TARGET_ARRAY_BUFFER)}});
      weights[k * targets + k - 1] = 1;
    }
    const int node = model.add_node(o.name, model.add_mesh(std::move(p)));
    if (targets > 0)
      model.animate(node, "weights", model.add_floats(track.times, 1),
                    model.add_floats(weights, 1));
  }

  const ConversionPlan& plan_;
  fs::path file_, part_;
  std::map<std::string, Track> tracks_;
};

}  // namespace

std::unique_ptr<Sequence> begin_gltf(const ConversionPlan& plan, std::size_t) {
  return std::make_unique<Gltf>(plan);
}

}  // namespace rtsim
