#pragma once
#include <string>

#include "exec/exec.h"

namespace rtsim {

// Makes the mistake of that name; 0 if what it then sees is as it should be.
int control(const Exec&, const std::string& what);

}  // namespace rtsim
