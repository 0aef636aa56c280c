#pragma once
#include "sim/scene.h"

namespace rtsim {

// A stage as the scene's list holds it: its type decides the rest of its keys.
struct StageEntry {
  const std::vector<StageType>* catalog = nullptr;
  StageSpec spec;
};

enum class ExpectForm { value, curve, profile, grid_profile };

// A fault at "name" where it holds other letters than file names may.
void check_name(Describe&, const std::string& name);
// A fault at each of these keys that is given: they belong to another form of the same thing.
void refuse(Describe&, std::initializer_list<const char*> keys, const std::string& why);

void describe(Describe&, TimeSpec&);
void describe(Describe&, ObjectSpec&);
void describe(Describe&, StageEntry&);
void describe(Describe&, Output&);
void describe(Describe&, Variation&);
void describe(Describe&, OrderSpec&);
void describe(Describe&, ExpectSpec&);
void describe(Describe&, ExpectSpec&, ExpectForm);
void describe(Describe&, Scene&, const std::vector<StageType>& catalog);

}  // namespace rtsim
