#pragma once
#include <tiny_gltf.h>

#include <span>
#include <vector>

namespace rtsim {

// A glTF 2.0 model with one buffer, which arrays are put behind; each call returns the number of
// what it added. Only .cpp files of glTF include this.
class GltfModel {
 public:
  GltfModel();

  int add_indices(const std::vector<std::uint32_t>&);
  // Rows of `components` (1, 3 or 4) floats; with their bounds, which positions and times need.
  int add_floats(std::span<const float>, int components, int target = 0);
  int add_mesh(tinygltf::Primitive);
  int add_node(const std::string& name, int mesh);
  // Values of a property of a node ("translation", "rotation", "weights") at times.
  void animate(int node, const std::string& path, int times, int values);

  void write(const std::string& file);

 private:
  int add_view(const void* data, std::size_t bytes, int target);

  tinygltf::Model model_;
};

}  // namespace rtsim
