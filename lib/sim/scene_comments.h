#pragma once
#include <map>
#include <string>

#include "sim/scene.h"

namespace rtsim {

// A scene as one would write it by hand, with what each of its keys means as a comment where it
// first stands. `head` are the comment's lines at the top. `files` are the names that stand for its
// assets, by their absolute paths. What is expected of the run is left out.
std::string commented_scene(const Scene&, const std::string& text, const std::string& head,
                            const std::map<std::string, std::string>& files);

}  // namespace rtsim
