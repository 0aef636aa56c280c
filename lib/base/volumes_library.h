#pragma once

namespace rtsim {

// A table that the library of what needs OpenVDB exports under this name. It takes 40 ms to load,
// ten times as long as all else that a short command does, so it lies in a file of its own, which
// is loaded by whoever first asks for it. `purpose` says for what: "writes volumes". Throws
// Error{io} where the file is missing, or of another build, after which the names of tables are
// called.
const void* volumes_table(const char* name, const char* purpose);

}  // namespace rtsim
