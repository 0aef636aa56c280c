#include "support/source_folder.h"

namespace rtsim {

std::string source_folder() { return RTSIM_SOURCE; }

}  // namespace rtsim
