#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cache/surface_params.h"
#include "world/world.h"

namespace rtsim {

struct FrameColumn {
  std::string name;
  std::string unit;
  ElementType type;
  std::vector<std::byte> bytes;
  int keep_bits = 0;  // of the mantissa; 0 keeps all
};

// What joins the points of a mesh, all cells alike: 2 corners (lines), 3 (triangles), 4
// (tetrahedra).
struct FrameCells {
  int corners = 0;
  std::vector<std::int32_t> points;  // of one cell after the other
};

// What bodies look like, where they are.
struct FrameSurface {
  std::vector<Real> points;             // [m] x, y, z of one after the other
  std::vector<std::int32_t> triangles;  // corners of one after the other
  std::vector<std::int32_t> body;       // whose each triangle is: a row
};

// Rows of their own, under /<name>.
struct FrameTable {
  std::string name;
  std::vector<FrameColumn> columns;
};

// One object at one time, on the host. Particles and boundary samples are points: `position` is
// the first column, and vectors have `dim` components. A grid's rows are its cells, those of
// bodies the bodies.
struct FrameObject {
  std::string name;
  Kind kind;
  int dim;
  double spacing;  // [m]
  Index rows;
  std::vector<FrameColumn> columns;
  std::optional<GridShape> grid = {};   // of a grid or a height field
  FrameCells cells = {};                // of a mesh
  FrameSurface surface = {};            // of bodies
  std::vector<FrameTable> beside = {};  // of bodies: where they touch, and their joints
};

enum class Format { hdf5, vdb, surface };

// A line of the scene's `output`.
struct Output {
  std::string object;
  Format format = Format::hdf5;
  std::vector<std::string> columns;  // empty: all state and derived columns
  int every = 1;                     // frames
  int bits = 0;       // of the mantissa kept in real columns but positions; 0 keeps all
  double voxel = 0;   // [m], vdb of particles; 0: their spacing
  bool half = false;  // vdb: 16-bit values
  SurfaceParams surface;
};

struct FrameFile {
  Output output;
  FrameObject object;
};

// What the writer gets for one frame: one file an output, or
// one for each form of a surface.
struct Frame {
  long index;
  long step;
  double time;  // [s]
  std::vector<FrameFile> files;
};

}  // namespace rtsim
