#include "convert/formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "convert/frame_formats.h"
#include "convert/sequence_formats.h"

namespace rtsim {

namespace {

using enum Kind;

const std::vector<Kind> all{particles, mesh, grid, height_field, bodies, boundary};
const std::vector<Kind> shown{particles, mesh, height_field, bodies};

std::string no_surface(const FrameObject& o, const Output& output) {
  if (o.kind == particles)
    return o.dim == 3 ? ""
                      : "lies in the plane; surfaces are made of particles in space only, --to "
                        "points, vtk and vdb take both";
  if (o.kind == grid || o.kind == boundary)
    return "consists of no particles; volumes are made of particles and grids, surfaces also of "
           "meshes, bodies and height fields";
  if (o.kind == mesh && o.cells.corners == 2) return "consists of edges and has no surface";
  if (output.surface.shapes_particles())
    return "has triangles of its own; the keys given shape surfaces of particles";
  if (std::ranges::count(output.surface.files, "sdf") > 0)
    return "has triangles; a level set is made of particles only, --to ply, obj and stl take both";
  return "";
}

}  // namespace

const std::vector<FormatInfo>& conversion_formats() {
  static const std::vector<FormatInfo> formats{
      {.name = "vdb",
       .files = ".vdb",
       .kinds = {particles, grid, height_field},
       .summary = "OpenVDB volumes: fog and level set of particles, the columns of grids",
       .write_frame = write_frame_vdb},
      {.name = "vdb_points",
       .files = ".vdb",
       .kinds = {particles, boundary},
       .summary = "OpenVDB points of particles, their columns as attributes",
       .write_frame = write_frame_vdb_points},
      {.name = "sdf",
       .files = ".surface.*.vdb",
       .kinds = {particles},
       .summary = "OpenVDB level set of the surface of particles in space",
       .is_surface = true,
       .has_columns = false,
       .obstacle = no_surface,
       .write_frame = write_frame_surface},
      {.name = "ply",
       .files = ".surface.*.ply",
       .kinds = shown,
       .summary = "triangles, binary",
       .is_surface = true,
       .has_columns = false,
       .obstacle = no_surface,
       .write_frame = write_frame_surface},
      {.name = "obj",
       .files = ".surface.*.obj",
       .kinds = shown,
       .summary = "triangles, text",
       .is_surface = true,
       .has_columns = false,
       .obstacle = no_surface,
       .write_frame = write_frame_surface},
      {.name = "stl",
       .files = ".surface.*.stl",
       .kinds = shown,
       .summary = "triangles, binary",
       .is_surface = true,
       .has_columns = false,
       .obstacle = no_surface,
       .write_frame = write_frame_surface},
      {.name = "points",
       .files = ".ply",
       .kinds = all,
       .summary = "PLY of the rows as vertices, with their columns, binary",
       .write_frame = write_frame_points},
      {.name = "vtk",
       .files = ".vtk",
       .kinds = all,
       .summary = "legacy VTK with all columns, binary",
       .write_frame = write_frame_vtk},
      {.name = "vtu",
       .files = ".vtu",
       .kinds = {particles, mesh},
       .summary = "VTK's XML of particles and meshes with all columns, binary, for meshio as well",
       .write_frame = write_frame_vtu},
      {.name = "msh",
       .files = ".msh",
       .kinds = {mesh},
       .summary = "Gmsh 4.1 of meshes, text: points, cells, columns as views",
       .write_frame = write_frame_msh},
      {.name = "csv",
       .files = ".csv",
       .kinds = all,
       .summary = "a line for each row, units in the header",
       .write_frame = write_frame_csv},
      {.name = "npz",
       .files = ".npz",
       .kinds = all,
       .summary = "NumPy arrays, uncompressed",
       .write_frame = write_frame_npz},
      {.name = "usda",
       .files = "scene.usda and .usda, .vdb",
       .kinds = all,
       .summary = "USD, text: points, meshes, bodies that move, grids as volumes",
       .write_frame = write_frame_usda,
       .finish = finish_usda,
       .check = check_usda},
      {.name = "obj_pc2",
       .files = ".obj and .pc2",
       .kinds = {particles, mesh, height_field, bodies, boundary},
       .summary = "first frame and the points of all: Blender's Mesh Cache",
       .has_columns = false,
       .obstacle = no_pc2,
       .sequence = begin_pc2,
       .check = check_constant},
      {.name = "gltf",
       .files = "scene.glb",
       .kinds = {particles, mesh, height_field, bodies, boundary},
       .summary = "one animated scene: a node for each body, morph targets of all else",
       .has_columns = false,
       .sequence = begin_gltf,
       .check = check_constant,
       .goes_on = false},
      {.name = "keyframes",
       .files = ".json",
       .kinds = {bodies},
       .summary = "how each body moves, as the `motion` of a boundary of another scene takes it",
       .has_columns = false,
       .sequence = begin_keyframes,
       .check = check_constant,
       .goes_on = false},
      {.name = "hdf5",
       .files = "frames.h5",
       .kinds = all,
       .summary = "all frames and their times in one file, chunks copied as they are",
       .has_columns = false,
       .sequence = begin_packed,
       .goes_on = false},
      {.name = "well",
       .files = "data/train/*.hdf5",
       .kinds = {grid, height_field},
       .summary = "for learning, a run or a sweep: fields in the layout of The Well, HDF5",
       .is_dataset = true},
      {.name = "gns",
       .files = "train.npz, ..., metadata.json",
       .kinds = {particles, boundary},
       .summary = "for learning, a run or a sweep: particles for graph network simulators",
       .has_columns = false,
       .is_dataset = true},
  };
  return formats;
}

const FormatInfo& find_format(const std::string& name) {
  std::vector<std::string> names;
  for (const FormatInfo& f : conversion_formats()) {
    if (f.name == name || (name == "pc2" && std::string("obj_pc2") == f.name)) return f;
    names.push_back(f.name);
  }
  throw Error(ExitCode::usage,
              fmt::format("--to {}: no such format{}; there are {}; see `rtsim convert --help`",
                          name, did_you_mean(name, names), fmt::join(names, ", ")));
}

std::string obstacle(const FormatInfo& f, const FrameObject& o, const Output& output) {
  if (f.obstacle)
    if (const std::string why = f.obstacle(o, output); !why.empty()) return why;
  const auto holds = [&](const FormatInfo& g) {
    return std::ranges::find(g.kinds, o.kind) != g.kinds.end();
  };
  if (holds(f)) return "";
  std::vector<std::string> others;
  for (const FormatInfo& g : conversion_formats())
    if (holds(g) && !(g.obstacle && !g.obstacle(o, output).empty())) others.push_back(g.name);
  return fmt::format("is of kind {}, which {} does not hold; these do: {}", to_string(o.kind),
                     f.name, fmt::join(others, ", "));
}

}  // namespace rtsim
