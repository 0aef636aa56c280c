#include "shapes/level_set.h"

#include "base/error.h"
#include "base/input_file.h"
#include "base/volumes_library.h"
#include "shapes/mesh_text.h"
#include "shapes/shape.h"
#include "shapes/weld.h"

namespace rtsim {

TriangleMesh read_level_set(const VolumeSpec& s) {
  static const auto* const reader =
      static_cast<const VolumeReader*>(volumes_table(RTSIM_VOLUME_READER, "reads volumes"));
  if (const std::string why = why_unreadable(s.file.path, largest_mesh); !why.empty())
    mesh_fault(s.file.path,
               "cannot be opened: " + why + "; files are looked for from the scene's folder");
  TriangleMesh mesh = weld(reader->read(s.file.path, s.grid, s.least_density));
  if (mesh.triangles.empty())
    mesh_fault(s.file.path, s.least_density
                                ? "has no surface: its density is nowhere above \"least_density\""
                                : "has no surface: the level set is nowhere below zero");
  return mesh;
}

}  // namespace rtsim
