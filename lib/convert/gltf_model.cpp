#include "convert/gltf_model.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace rtsim {

GltfModel::GltfModel() {
  model_.asset.version = "2.0";
  model_.asset.generator = "rtsim";
  model_.buffers.resize(1);
  model_.scenes.resize(1);
  model_.defaultScene = 0;
  model_.animations.resize(1);
}

int GltfModel::add_view(const void* data, std::size_t bytes, int target) {
  std::vector<unsigned char>& all = model_.buffers[0].data;
  tinygltf::BufferView view;
  view.buffer = 0;
  view.byteOffset = all.size();
  view.byteLength = bytes;
  view.target = target;
  const auto* from = static_cast<const unsigned char*>(data);
  all.insert(all.end(), from, from + bytes);
  model_.bufferViews.push_back(std::move(view));
  return int(model_.bufferViews.size()) - 1;
}

int GltfModel::add_indices(const std::vector<std::uint32_t>& indices) {
  tinygltf::Accessor a;
  a.bufferView = add_view(indices.data(), indices.size() * sizeof indices[0],
                          TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
  a.componentType = TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT;
  a.type = TINYGLTF_TYPE_SCALAR;
  a.count = indices.size();
  model_.accessors.push_back(std::move(a));
  return int(model_.accessors.size()) - 1;
}

int GltfModel::add_floats(std::span<const float> values, int components, int target) {
  tinygltf::Accessor a;
  a.bufferView = add_view(values.data(), values.size_bytes(), target);
  a.componentType = TINYGLTF_COMPONENT_TYPE_FLOAT;
  a.type = components == 1   ? TINYGLTF_TYPE_SCALAR
           : components == 3 ? TINYGLTF_TYPE_VEC3
                             : TINYGLTF_TYPE_VEC4;
  a.count = values.size() / std::size_t(components);
  for (int c = 0; c < components; ++c) {
    double low = values[std::size_t(c)], high = low;
    for (std::size_t k = std::size_t(c); k < values.size(); k += std::size_t(components))
      low = std::min(low, double(values[k])), high = std::max(high, double(values[k]));
    a.minValues.push_back(low), a.maxValues.push_back(high);
  }
  model_.accessors.push_back(std::move(a));
  return int(model_.accessors.size()) - 1;
}

int GltfModel::add_mesh(tinygltf::Primitive primitive) {
  tinygltf::Mesh mesh;
  mesh.weights.assign(primitive.targets.size(), 0);
  mesh.primitives.push_back(std::move(primitive));
  model_.meshes.push_back(std::move(mesh));
  return int(model_.meshes.size()) - 1;
}

int GltfModel::add_node(const std::string& name, int mesh) {
  tinygltf::Node node;
  node.name = name;
  node.mesh = mesh;
  model_.nodes.push_back(std::move(node));
  const int number = int(model_.nodes.size()) - 1;
  model_.scenes[0].nodes.push_back(number);
  return number;
}

void GltfModel::animate(int node, const std::string& path, int times, int values) {
  tinygltf::Animation& all = model_.animations[0];
  tinygltf::AnimationSampler sampler;
  sampler.input = times;
  sampler.output = values;
  sampler.interpolation = "LINEAR";
  all.samplers.push_back(std::move(sampler));
  tinygltf::AnimationChannel channel;
  channel.sampler = int(all.samplers.size()) - 1;
  channel.target_node = node;
  channel.target_path = path;
  all.channels.push_back(std::move(channel));
}

void GltfModel::write(const std::string& file) {
  if (model_.animations[0].channels.empty()) model_.animations.clear();
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  const bool done = tinygltf::TinyGLTF().WriteGltfSceneToStream(&model_, out, false, true);
  out.close();
  if (done && out) return;
  throw Error(ExitCode::io,
              file + ": cannot write: " + (errno ? std::strerror(errno) : "tinygltf refuses"));
}

}  // namespace rtsim
