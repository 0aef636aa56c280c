#pragma once
// Halves are converted by intrinsics where __CUDA_ARCH__ is defined, which it is not here.
