#pragma once
#include "convert/format.h"

namespace rtsim {

// Every format that `convert` writes.
const std::vector<FormatInfo>& conversion_formats();

// Throws Error{usage} for a name that is none of them.
const FormatInfo& find_format(const std::string& name);

// What speaks against an object in this format; empty if nothing.
std::string obstacle(const FormatInfo&, const FrameObject&, const Output&);

}  // namespace rtsim
