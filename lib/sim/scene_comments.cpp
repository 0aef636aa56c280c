#include "sim/scene_comments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "param/field_text.h"
#include "param/json_text.h"
#include "sim/scene_describe.h"

namespace rtsim {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t width = 100;

// What there is to say of each key that the scene gives, and which of them are files.
class Meanings final : public Describe {
 public:
  Meanings(std::string pointer, const ordered_json& text, int dim,
           std::map<std::string, std::string>& docs, std::map<std::string, std::string>& files)
      : pointer_(std::move(pointer)), text_(text), dim_(dim), docs_(docs), files_(files) {}

 protected:
  void value(const Field& f, Value v) override {
    note(f, unit_text(f.unit, dim_));
    if (const auto* file = std::get_if<FileName*>(&v); file && !(*file)->path.empty())
      files_[child_pointer(pointer_, f.key)] = (*file)->path;
    else if (const auto* sequence = std::get_if<FileSequence*>(&v))
      files_[child_pointer(pointer_, f.key)] = (*sequence)->pattern;
  }
  bool choice_value(const Field& f, int&) override {
    note(f, "", " " + options_text(f) + ".");
    return true;
  }
  void group(const Field& f, bool* present, const Walk& walk) override {
    note(f, "");
    if (!present || *present) visit(child_pointer(pointer_, f.key), walk);
  }
  void sequence(const Field& f, const std::function<void(std::size_t)>&, std::size_t size,
                const std::function<void(Describe&, std::size_t)>& walk) override {
    note(f, "");
    const std::string here = child_pointer(pointer_, f.key);
    const ordered_json::json_pointer list(here);
    const bool single = f.one_or_many && text_.contains(list) && text_[list].is_object();
    for (std::size_t i = 0; i < size; ++i)
      visit(single ? here : child_pointer(here, std::to_string(i)),
            [&](Describe& d) { walk(d, i); });
  }

 private:
  void note(const Field& f, const std::string& unit, const std::string& more = "") {
    docs_[child_pointer(pointer_, f.key)] =
        f.doc + more + (unit.empty() ? "" : fmt::format(" [{}]", unit));
  }
  void visit(std::string pointer, const Walk& walk) {
    Meanings inner(std::move(pointer), text_, dim_, docs_, files_);
    walk(inner);
  }

  std::string pointer_;
  const ordered_json& text_;
  int dim_;
  std::map<std::string, std::string>&docs_, &files_;
};

// { "min": [0, 0], "max": [1, 1] }
std::string in_line(const ordered_json& j) {
  if (!j.is_structured() || j.empty()) return j.dump();
  std::string text;
  for (const auto& [key, value] : j.items())
    text += (text.empty() ? "" : ", ") +
            (j.is_object() ? fmt::format("{}: ", ordered_json(key).dump()) : std::string()) +
            in_line(value);
  return j.is_object() ? "{ " + text + " }" : "[" + text + "]";
}

class Writer {
 public:
  explicit Writer(const std::map<std::string, std::string>& docs) : docs_(docs) {}

  std::string object(const ordered_json& j, const std::string& pointer, std::size_t indent,
                     const std::string& head = "") {
    std::string text = "{\n" + comment(head, indent + 2);
    std::size_t k = 0;
    for (const auto& [key, value] : j.items()) {
      const std::string here = child_pointer(pointer, key);
      text += told(here, indent + 2);
      text += fmt::format("{:{}}{}: ", "", indent + 2, ordered_json(key).dump());
      text += this->value(value, here, indent + 2);
      text += ++k < j.size() ? ",\n" : "\n";
    }
    return text + fmt::format("{:{}}}}", "", indent);
  }

 private:
  // Things with keys that have something to say stand on lines of their own, values in one.
  std::string value(const ordered_json& j, const std::string& pointer, std::size_t indent) {
    const std::string line = in_line(j);
    const bool has_keys = j.is_object() && !j.empty() && speaks(j, pointer);
    const bool fits = indent + pointer.size() + line.size() < width;
    if (has_keys || (j.is_object() && !j.empty() && !fits)) return object(j, pointer, indent);
    if (!j.is_array() || j.empty() || !j[0].is_structured()) return line;
    std::string text = "[\n";
    for (std::size_t i = 0; i < j.size(); ++i)
      text += fmt::format("{:{}}{}{}\n", "", indent + 2,
                          value(j[i], child_pointer(pointer, std::to_string(i)), indent + 2),
                          i + 1 < j.size() ? "," : "");
    return text + fmt::format("{:{}}]", "", indent);
  }

  // Whether a key of it, or of what it holds, has a comment that was not made yet.
  bool speaks(const ordered_json& j, const std::string& pointer) const {
    for (const auto& [key, value] : j.items()) {
      const std::string here = child_pointer(pointer, key);
      const auto doc = docs_.find(here);
      if (doc != docs_.end() && !said_.contains(doc->second)) return true;
      if (value.is_structured() && speaks(value, here)) return true;
    }
    return false;
  }

  std::string told(const std::string& pointer, std::size_t indent) {
    const auto doc = docs_.find(pointer);
    if (doc == docs_.end() || !said_.insert(doc->second).second) return "";
    return comment(doc->second, indent);
  }

  static std::string comment(const std::string& text, std::size_t indent) {
    std::string lines;
    std::istringstream all(text);
    for (std::string paragraph; std::getline(all, paragraph);) {
      std::istringstream words(paragraph);
      std::string line;
      for (std::string word; words >> word;) {
        if (!line.empty() && indent + 3 + line.size() + 1 + word.size() > width) {
          lines += fmt::format("{:{}}// {}\n", "", indent, line);
          line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
      }
      lines += fmt::format("{:{}}// {}\n", "", indent, line);
    }
    return lines;
  }

  const std::map<std::string, std::string>& docs_;
  std::set<std::string> said_;
};

}  // namespace

std::string commented_scene(const Scene& scene, const std::string& text, const std::string& head,
                            const std::map<std::string, std::string>& files) {
  ordered_json j = ordered_json::parse(text, nullptr, true, true);
  j.erase("expect");
  std::map<std::string, std::string> docs, paths;
  Scene copy = scene;  // describing may move values
  Meanings meanings("", j, scene.dim, docs, paths);
  describe(meanings, copy, {});
  for (const auto& [pointer, path] : paths)
    if (const ordered_json::json_pointer at(pointer); j.contains(at))
      j[at] = files.contains(path) ? files.at(path)  // a sequence's files keep their names
                                   : std::filesystem::path(path).filename().string();
  return Writer(docs).object(j, "", 0, head) + "\n";
}

}  // namespace rtsim
