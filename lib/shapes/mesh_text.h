#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/vec.h"
#include "shapes/mesh_file.h"

namespace rtsim {

// "name: message" and "name:line: message", exit code bad_input.
[[noreturn]] void mesh_fault(const std::string& name, const std::string& message);
[[noreturn]] void mesh_fault(const std::string& name, int line, const std::string& message);

// A text cut into lines (LF, CR LF or CR) and these into words at blanks.
class MeshText {
 public:
  MeshText(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  bool next_line();              // false at the end of the text
  std::string_view word();       // of this line; empty at its end
  std::string_view next_word();  // going on to further lines; a fault at the end of the text
  int line() const { return line_number_; }
  std::size_t bytes_left() const { return line_.size() + rest_.size(); }
  std::string_view rest() const { return rest_; }
  std::string_view take(
      std::size_t bytes);  // behind this line; a fault where there are not so many

  // A finite number, or a fault that says what it was to be.
  double number(std::string_view word, const char* what) const;
  std::int64_t integer(std::string_view word, const char* what) const;
  [[noreturn]] void fail(const std::string& message) const {
    mesh_fault(name_, line_number_, message);
  }

 private:
  std::string_view rest_, line_;
  std::string name_;
  int line_number_ = 0;
};

// Cuts a polygon of three or more corners (indices into vertices) into triangles.
void append_polygon(TriangleMesh&, const std::vector<std::int32_t>& corners);

TriangleMesh read_obj(std::string_view text, const std::string& name);
TriangleMesh read_ply(std::string_view text, const std::string& name);
TriangleMesh read_stl(std::string_view text, const std::string& name);

}  // namespace rtsim
