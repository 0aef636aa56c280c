#pragma once
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace rtsim {

// A number, or a text.
using Operand = std::variant<double, std::string>;

// A condition on named values, read once and asked of every case:
//   nu * 10 < spacing && (mode == "fast" || spacing >= 0.02)
// Operators bind as in C: ! and -, * /, + -, < <= > >=, == !=, &&, ||. True is any number but 0.
class Condition {
 public:
  struct Node;
  using Lookup = std::function<Operand(std::size_t)>;  // the value of a name, by its place

  // Throws Error{bad_input}, without a place, where the text is no condition or names something
  // that is not among `names`.
  Condition(const std::string& text, const std::vector<std::string>& names);
  ~Condition();
  Condition(Condition&&) noexcept;

  bool holds(const Lookup&) const;

 private:
  std::unique_ptr<Node> root_;
};

}  // namespace rtsim
