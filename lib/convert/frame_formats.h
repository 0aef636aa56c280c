#pragma once
#include "convert/format.h"

// A function each for the formats that have files of their own for every frame.
namespace rtsim {

void write_frame_vdb(const FrameJob&, FileSink&);
void write_frame_vdb_points(const FrameJob&, FileSink&);
void write_frame_surface(const FrameJob&, FileSink&);  // ply, obj, stl and sdf
void write_frame_points(const FrameJob&, FileSink&);
void write_frame_vtk(const FrameJob&, FileSink&);
void write_frame_vtu(const FrameJob&, FileSink&);
void write_frame_msh(const FrameJob&, FileSink&);
void write_frame_csv(const FrameJob&, FileSink&);
void write_frame_npz(const FrameJob&, FileSink&);
void write_frame_usda(const FrameJob&, FileSink&);

// The scene's layer and what it strings together.
std::vector<WrittenFile> finish_usda(const ConversionPlan&);
// Throws Error{bad_input} where two objects would have one name.
void check_usda(const ConversionPlan&);

}  // namespace rtsim
