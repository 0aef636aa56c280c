#pragma once
#include "convert/format.h"

// Those of the formats that hold many frames in one file.
namespace rtsim {

std::string no_pc2(const FrameObject&, const Output&);
std::unique_ptr<Sequence> begin_pc2(const ConversionPlan&, std::size_t done);
std::unique_ptr<Sequence> begin_gltf(const ConversionPlan&, std::size_t done);
std::unique_ptr<Sequence> begin_keyframes(const ConversionPlan&, std::size_t done);
std::unique_ptr<Sequence> begin_packed(const ConversionPlan&, std::size_t done);

// Throws Error{bad_input} unless each object has the same points, joined in the same way, in all of
// its frames.
void check_constant(const ConversionPlan&);

}  // namespace rtsim
