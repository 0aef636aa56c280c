#include "sweep/condition.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/nearest.h"

namespace rtsim {

struct Condition::Node {
  std::string operation;  // "": a value, "name": a parameter
  Operand value{0.0};
  std::size_t name = 0;
  std::unique_ptr<Node> left, right;
};

namespace {

using Node = Condition::Node;
using NodePtr = std::unique_ptr<Node>;

[[noreturn]] void fail(const std::string& message) { throw Error(ExitCode::bad_input, message); }

// Operators of two operands, by how tightly they bind; longer ones first.
const std::vector<std::vector<std::string>> levels = {
    {"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/"}};
constexpr int deepest = 100;

class Parser {
 public:
  Parser(const std::string& text, const std::vector<std::string>& names)
      : text_(text), names_(names) {}

  NodePtr whole() {
    NodePtr node = binary(0);
    if (!at_end()) fail(fmt::format("cannot read \"{}\"", text_.substr(at_)));
    return node;
  }

 private:
  NodePtr binary(std::size_t level) {
    if (level == levels.size()) return unary();
    NodePtr left = binary(level + 1);
    for (std::string found = operator_of(level); !found.empty(); found = operator_of(level)) {
      auto node = std::make_unique<Node>();
      node->operation = found, node->left = std::move(left), node->right = binary(level + 1);
      left = std::move(node);
    }
    return left;
  }

  NodePtr unary() {
    if (++depth_ > deepest) fail("is nested too deep");
    NodePtr node;
    if (accept("!") || accept("-")) {
      node = std::make_unique<Node>();
      node->operation = text_[at_ - 1] == '!' ? "not" : "minus";
      node->left = unary();
    } else if (accept("(")) {
      node = binary(0);
      if (!accept(")")) fail("a ) is missing");
    } else {
      node = operand();
    }
    --depth_;
    return node;
  }

  NodePtr operand() {
    auto node = std::make_unique<Node>();
    if (at_end()) fail("ends where a value is due");
    if (accept("\"")) {
      const std::size_t end = text_.find('"', at_);
      if (end == text_.npos) fail("a \" is missing");
      node->value = text_.substr(at_, end - at_);
      at_ = end + 1;
    } else if (std::isalpha(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_') {
      name(*node);
    } else {
      node->value = number();
    }
    return node;
  }

  double number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value))
      fail(fmt::format("wants a number, a name or a text at \"{}\"", text_.substr(at_)));
    at_ += std::size_t(end - begin);
    return value;
  }

  void name(Node& node) {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    node.operation = "name";
    for (node.name = 0; node.name < names_.size(); ++node.name)
      if (names_[node.name] == word) return;
    if (word == "true" || word == "false") {
      node.operation.clear(), node.value = word == "true" ? 1.0 : 0.0;
      return;
    }
    fail(fmt::format("there is no axis \"{}\"{}", word, did_you_mean(word, names_)));
  }

  std::string operator_of(std::size_t level) {
    for (const std::string& o : levels[level])
      if (accept(o)) return o;
    return "";
  }

  bool accept(const std::string& token) {
    skip_blanks();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }

  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  const std::string& text_;
  const std::vector<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

double number_of(const Operand& v, const std::string& operation) {
  if (const auto* number = std::get_if<double>(&v)) return *number;
  fail(fmt::format("\"{}\" is a text, and {} wants a number", std::get<std::string>(v), operation));
}

double arithmetic(const std::string& o, double a, double b) {
  switch (o[0]) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '<':
      return o == "<" ? a < b : a <= b;
    default:
      return o == ">" ? a > b : a >= b;
  }
}

Operand value(const Node& n, const Condition::Lookup& lookup) {
  const auto number = [&](const Node& of) { return number_of(value(of, lookup), n.operation); };
  if (n.operation.empty()) return n.value;
  if (n.operation == "name") return lookup(n.name);
  if (n.operation == "not") return double(number(*n.left) == 0);
  if (n.operation == "minus") return -number(*n.left);
  if (n.operation == "&&") return double(number(*n.left) != 0 && number(*n.right) != 0);
  if (n.operation == "||") return double(number(*n.left) != 0 || number(*n.right) != 0);
  if (n.operation == "==") return double(value(*n.left, lookup) == value(*n.right, lookup));
  if (n.operation == "!=") return double(value(*n.left, lookup) != value(*n.right, lookup));
  return arithmetic(n.operation, number(*n.left), number(*n.right));
}

}  // namespace

Condition::Condition(const std::string& text, const std::vector<std::string>& names)
    : root_(Parser(text, names).whole()) {}
Condition::~Condition() = default;
Condition::Condition(Condition&&) noexcept = default;

bool Condition::holds(const Lookup& lookup) const {
  return number_of(value(*root_, lookup), "a condition") != 0;
}

}  // namespace rtsim
