#include "sim/scene_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "base/nearest.h"
#include "base/numbered_files.h"
#include "sim/scene_describe.h"

namespace rtsim {

namespace {

using nlohmann::json;

std::string element(const char* list, std::size_t i) { return fmt::format("/{}/{}", list, i); }

// Reports every name that an earlier element of the list has.
template <class T>
void check_unique(const std::vector<T>& list, const char* key, ReadLog& log) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name.empty()) continue;
    const auto [earlier, is_new] = first.try_emplace(list[i].name, i);
    if (!is_new)
      log.problems.push_back({element(key, i) + "/name",
                              fmt::format("'{}' is the name of {} already; names are unique",
                                          list[i].name, element(key, earlier->second))});
  }
}

const ObjectSpec* find_object(const Scene& scene, const std::string& name) {
  for (const ObjectSpec& o : scene.objects)
    if (o.name == name) return &o;
  return nullptr;
}

std::string missing_object(const Scene& scene, const std::string& name) {
  std::vector<std::string> known;
  std::string list;
  for (const ObjectSpec& o : scene.objects) {
    known.push_back(o.name);
    list += (list.empty() ? "" : ", ") + o.name;
  }
  const std::string near = did_you_mean(name, known);
  const std::string others = list.empty() ? "; the scene has none" : "; the objects are " + list;
  return fmt::format("there is no object '{}'{}", name, near.empty() ? others : near);
}

// "/stages/0" of "/stages/0/boundary/1"; empty outside of stages.
std::string stage_of(const std::string& pointer) {
  if (!pointer.starts_with("/stages/")) return "";
  return pointer.substr(0, pointer.find('/', std::string("/stages/").size()));
}

// An object that plays two roles in a stage would meet itself, and be counted twice.
void check_repeated(const Scene& scene, ReadLog& log) {
  std::map<std::pair<std::string, std::string>, std::string> first;  // of stage and object
  for (const ObjectUse& use : log.uses) {
    const std::string stage = stage_of(use.pointer);
    if (stage.empty() || !find_object(scene, use.object)) continue;
    const auto [earlier, is_new] = first.try_emplace({stage, use.object}, use.pointer);
    if (!is_new)
      log.problems.push_back({use.pointer, fmt::format("'{}' is named by {} already; a stage takes "
                                                       "an object once",
                                                       use.object, earlier->second)});
  }
}

void check_uses(const Scene& scene, ReadLog& log) {
  for (const ObjectUse& use : log.uses) {
    const ObjectSpec* object = find_object(scene, use.object);
    if (!object) {
      log.problems.push_back({use.pointer, missing_object(scene, use.object)});
      continue;
    }
    const std::string kind = to_string(object->kind());
    if (use.kinds.empty() || std::count(use.kinds.begin(), use.kinds.end(), kind)) continue;
    log.problems.push_back(
        {use.pointer, fmt::format("'{}' is of kind {}; \"{}\" needs {}", use.object, kind, use.key,
                                  fmt::join(use.kinds, " or "))});
  }
}

// Whether a text in a stage is the name, or likely meant to be.
bool mentioned(const json& stages, const std::string& name) {
  if (stages.is_string()) {
    const auto& text = stages.get_ref<const std::string&>();
    return text == name || !did_you_mean(text, std::vector{name}).empty();
  }
  return stages.is_structured() && std::any_of(stages.begin(), stages.end(),
                                               [&](const json& j) { return mentioned(j, name); });
}

void check_used(const Scene& scene, const JsonText& text, ReadLog& log) {
  const auto in_stages = [](const auto& p) { return p.pointer.starts_with("/stages/"); };
  // A mistake in a stage may hide which objects it uses: no second message for those.
  const bool doubtful = std::any_of(log.problems.begin(), log.problems.end(), in_stages);
  const auto used = [&](const std::string& name) {
    if (doubtful && mentioned((*text.value)["stages"], name)) return true;
    return std::any_of(log.uses.begin(), log.uses.end(),
                       [&](const ObjectUse& use) { return in_stages(use) && use.object == name; });
  };
  const auto of_known_kind = [&](std::size_t i) {
    return std::none_of(log.problems.begin(), log.problems.end(), [&](const Problem& p) {
      return p.pointer == element("objects", i) + "/kind";
    });
  };
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const std::string& name = scene.objects[i].name;
    if (!name.empty() && of_known_kind(i) && !used(name))
      log.problems.push_back(
          {element("objects", i),
           fmt::format("no stage uses '{}'; name it in a stage or remove it", name)});
  }
}

void check_outputs(const Scene& scene, ReadLog& log) {
  std::map<std::pair<std::string, Format>, std::size_t> first;
  for (std::size_t i = 0; i < scene.output.size(); ++i) {
    const Output& o = scene.output[i];
    const auto [earlier, is_new] = first.try_emplace({o.object, o.format}, i);
    if (!is_new && !o.object.empty())
      log.problems.push_back(
          {element("output", i), fmt::format("'{}' is written in this format by {} already",
                                             o.object, element("output", earlier->second))});
  }
}

// Visits the parameters as read, with the pointer that each has in the text.
class FileCheck final : public Describe {
 public:
  FileCheck(std::string pointer, const json& text, std::vector<Problem>& problems)
      : pointer_(std::move(pointer)), text_(text), problems_(problems) {}

 protected:
  void value(const Field& field, Value v) override {
    if (const auto* const files = std::get_if<FileSequence*>(&v)) return check(field, **files);
    const auto* const file = std::get_if<FileName*>(&v);
    if (!file || (*file)->path.empty()) return;
    const std::string why = why_unreadable((*file)->path, largest_mesh);
    if (!why.empty())
      problems_.push_back({child_pointer(pointer_, field.key),
                           fmt::format("{}: {}; files are looked for from the scene's folder",
                                       (*file)->path, why)});
  }
  void check(const Field& field, const FileSequence& files) {
    if (const std::string why = why_no_sequence(files.pattern); !why.empty())
      problems_.push_back(
          {child_pointer(pointer_, field.key), fmt::format("{}: {}", files.pattern, why)});
  }
  bool choice_value(const Field&, int&) override { return true; }
  void group(const Field& field, bool* present, const Walk& walk) override {
    if (!present || *present) visit(child_pointer(pointer_, field.key), walk);
  }
  void sequence(const Field& field, const std::function<void(std::size_t)>&, std::size_t size,
                const std::function<void(Describe&, std::size_t)>& walk) override {
    const std::string here = child_pointer(pointer_, field.key);
    const json::json_pointer list(here);
    const bool single = field.one_or_many && text_.contains(list) && text_[list].is_object();
    for (std::size_t i = 0; i < size; ++i)
      visit(single ? here : child_pointer(here, std::to_string(i)),
            [&](Describe& d) { walk(d, i); });
  }

 private:
  void visit(std::string pointer, const Walk& walk) {
    FileCheck inner(std::move(pointer), text_, problems_);
    walk(inner);
  }

  std::string pointer_;
  const json& text_;
  std::vector<Problem>& problems_;
};

}  // namespace

void check_files(const Scene& scene, const JsonText& text, ReadLog& log) {
  Scene copy = scene;  // describing may move values
  FileCheck files("", *text.value, log.problems);
  describe(files, copy, {});
}

void check_scene(const Scene& scene, const JsonText& text, ReadLog& log) {
  check_unique(scene.objects, "objects", log);
  check_unique(scene.stages, "stages", log);
  check_uses(scene, log);
  check_repeated(scene, log);
  check_used(scene, text, log);
  check_outputs(scene, log);
}

}  // namespace rtsim
