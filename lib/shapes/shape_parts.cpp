#include "shapes/shape_parts.h"

#include "base/error.h"

namespace rtsim {

void Shape::write(ShapeParts&) const {
  throw Error(ExitCode::bad_input, "is a shape of the plane, which nothing in space can touch");
}

void ShapeParts::add(ShapePart part) {
  part.rotation = rotation_, part.translation = translation_, part.scale = scale_;
  list_.push_back(std::move(part));
}

}  // namespace rtsim
