#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "pictures/picture.h"

namespace rtsim {

// Pictures of one size into an .mp4 (H.264), by the program ffmpeg. Throws Error{bad_input} where
// it is not installed, Error{io} where it fails; the file appears at the end, whole.
class Film {
 public:
  Film(std::filesystem::path file, int width, int height, double fps);
  ~Film();
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  void add(const Picture&);
  void finish();

 private:
  std::filesystem::path file_, temporary_;
  std::FILE* pipe_ = nullptr;
  void (*before_)(int) = nullptr;  // what SIGPIPE did
};

}  // namespace rtsim
