#pragma once
#include "param/json_reader.h"
#include "sim/scene.h"

namespace rtsim {

// What no key can say alone: names given twice, roles that name nothing, the wrong kind or one
// object twice, objects that no stage uses. `text` is what the scene was read from.
void check_scene(const Scene&, const JsonText& text, ReadLog&);

// Files that cannot be opened, each where the scene names it.
void check_files(const Scene&, const JsonText& text, ReadLog&);

}  // namespace rtsim
