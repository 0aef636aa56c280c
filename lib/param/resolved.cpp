#include "param/resolved.h"

#include <nlohmann/json.hpp>

#include "param/value_to_json.h"

namespace rtsim {

using nlohmann::ordered_json;

namespace {

using FileText = std::function<std::string(const std::string&)>;

class Resolver final : public Describe {
 public:
  Resolver(int dim, const FileText& file_text) : dim_(dim), file_text_(file_text) {}

  ordered_json values = ordered_json::object();

  int dim() const override { return dim_; }

 protected:
  void value(const Field& field, Value v) override {
    const auto* const file = std::get_if<FileName*>(&v);
    const auto* const files = std::get_if<FileSequence*>(&v);
    if (file && (*file)->path.empty()) return;  // not given
    values[field.key] = file    ? ordered_json(file_text_((*file)->path))
                        : files ? ordered_json(file_text_((*files)->pattern))
                                : value_json(v, dim_);
  }

  bool choice_value(const Field& field, int& chosen) override {
    for (const Option& o : field.options)
      if (o.value == chosen) values[field.key] = o.name;
    return true;
  }

  void group(const Field& field, bool* present, const Walk& walk) override {
    if (present && !*present) return;
    values[field.key] = resolved_json(walk, dim_, file_text_);
  }

  // An empty list of structs means the same as none.
  void sequence(const Field& field, const std::function<void(std::size_t)>&, std::size_t size,
                const std::function<void(Describe&, std::size_t)>& walk) override {
    if (size == 0) return;
    ordered_json& list = values[field.key] = ordered_json::array();
    for (std::size_t i = 0; i < size; ++i)
      list.push_back(resolved_json([&](Describe& d) { walk(d, i); }, dim_, file_text_));
  }

 private:
  int dim_;
  const FileText& file_text_;
};

}  // namespace

ordered_json resolved_json(const Describe::Walk& walk, int dim, const FileText& file_text) {
  Resolver resolver(dim, file_text);
  walk(resolver);
  return std::move(resolver.values);
}

}  // namespace rtsim
