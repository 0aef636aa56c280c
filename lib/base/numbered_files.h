#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rtsim {

// Files that differ by a number in their names. In a pattern the run of # in the last part stands
// for its digits: #### for 0012, or 12345.
struct NumberedFile {
  std::int64_t number;
  std::string path;
};

// The number that a path has where the pattern has #, if it fits.
std::optional<std::int64_t> number_in(const std::string& pattern, const std::string& path);

// Those there are, by their numbers; none where the folder cannot be read.
std::vector<NumberedFile> numbered_files(const std::string& pattern);

// Why these files are no sequence: the pattern has no run of # or more than one, nothing fits it,
// or numbers are missing between the first and the last; empty if they are.
std::string why_no_sequence(const std::string& pattern);

}  // namespace rtsim
