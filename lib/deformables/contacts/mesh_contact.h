#pragma once
#include "deformables/contacts/contact.h"
#include "stage/stage_type.h"

namespace rtsim {

struct MeshContactParams {
  ObjectNames meshes;
  ContactParams contact;
};

void describe(Describe&, MeshContactParams&);
double row_bytes(const MeshContactParams&, const GridShape&);

StageType mesh_contact_type();

}  // namespace rtsim
