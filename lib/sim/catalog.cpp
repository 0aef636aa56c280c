#include "sim/catalog.h"

#include "solvers/wcsph.h"
#include "sources/emit.h"
#include "sources/remove.h"

namespace rtsim {

// Every stage a scene may name. To add one: include its header, add its line.
std::vector<StageType> stage_catalog() {
  return {
      wcsph_type(),
      emit_type(),
      remove_type(),
  };
}

}  // namespace rtsim
