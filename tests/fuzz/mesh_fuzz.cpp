#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "shapes/mesh_file.h"

// The first byte chooses the format; the rest is the file. Any text must give a mesh whose indices
// hold, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* extensions[] = {".obj", ".ply", ".stl"};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const rtsim::TriangleMesh mesh = rtsim::read_mesh(text, extensions[data[0] % 3], "fuzz");
    rtsim::open_edges(mesh);
    for (const auto& t : mesh.triangles)
      for (const std::int32_t v : t)
        if (v < 0 || std::size_t(v) >= mesh.vertices.size()) __builtin_trap();
  } catch (const rtsim::Error&) {
  }
  return 0;
}
