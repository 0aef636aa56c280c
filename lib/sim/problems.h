#pragma once
#include <string>

#include "base/error.h"
#include "sim/scene.h"

namespace rtsim {

// Collects problems of the scene; all are reported together.
class Problems {
 public:
  explicit Problems(const Scene& scene) : scene_(scene) {}
  void add(const std::string& pointer, const std::string& message) {
    text_ += (text_.empty() ? "" : "\n") + scene_problem(scene_, pointer, message);
  }
  // Runs `work`; what it throws about bad input becomes a problem at `pointer`.
  template <class Work>
  void guard(const std::string& pointer, const Work& work) {
    try {
      work();
    } catch (const Error& e) {
      if (e.code() != ExitCode::bad_input) throw;
      add(pointer, e.what());
    }
  }
  void throw_if_any() const {
    if (!text_.empty()) throw Error(ExitCode::bad_input, text_);
  }

 private:
  const Scene& scene_;
  std::string text_;
};

}  // namespace rtsim
