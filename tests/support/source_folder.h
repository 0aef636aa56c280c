#pragma once
#include <string>

namespace rtsim {

// Of the checkout. One file knows it, so that two checkouts share the compiled rest of a cache.
std::string source_folder();

}  // namespace rtsim
