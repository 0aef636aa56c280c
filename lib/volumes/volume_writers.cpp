#include "volumes/volume_writers.h"

#include "cache/volumes.h"

extern "C" __attribute__((visibility("default"))) const rtsim::VolumeWriters RTSIM_VOLUME_WRITERS{
    rtsim::write_volumes, rtsim::write_vdb_points, rtsim::write_surface_of_particles};
