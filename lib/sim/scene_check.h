#pragma once
#include "param/json_reader.h"
#include "sim/scene.h"

namespace rtsim {

// What no key can say alone: names given twice, roles that name nothing or the wrong kind, objects
// that no stage uses. `text` is what the scene was read from.
void check_scene(const Scene&, const JsonText& text, ReadLog&);

}  // namespace rtsim
