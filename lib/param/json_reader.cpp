#include "param/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "base/nearest.h"
#include "base/numbered_files.h"
#include "param/field_text.h"
#include "param/value_from_json.h"

// A value by its JSON pointer; the line and column of one are json_text.cpp's.
namespace rtsim {

using nlohmann::json;

namespace {

class JsonReader final : public Describe {
 public:
  JsonReader(const json& object, const std::string& pointer, ReadLog& log)
      : object_(object), pointer_(pointer), log_(log) {}

  void report_unknown_keys() {
    if (ignore_rest_) return;
    for (const auto& [key, value] : object_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        fault_at(key, "unknown key" + suggestion(key));
  }

  void fault(const char* key, const std::string& message) override {
    if (*key == '\0') return log_.problems.push_back({pointer_, message});
    known_.push_back(key);
    fault_at(key, message);
  }
  bool given(const char* key) const override {
    return object_.contains(key) && !object_[key].is_null();
  }
  void ignore_rest() override { ignore_rest_ = true; }
  int dim() const override { return log_.dim; }

 protected:
  void value(const Field& field, Value target) override {
    const std::string must = must_be(field, target, dim());
    const json* j = find(field, must, holds_null(target));
    if (!j) return;
    const std::string wrong = read_value(*j, field, target, dim());
    if (!wrong.empty()) return fault_at(field.key, wrong);
    note_names(field, target);
  }

  bool choice_value(const Field& field, int& chosen) override {
    const json* j = find(field, options_text(field));
    if (!j) return !field.required;
    const auto o = std::find_if(field.options.begin(), field.options.end(),
                                [&](const Option& option) { return *j == option.name; });
    if (o == field.options.end())
      fault_at(field.key, fmt::format("must be {}, got {}", options_text(field), short_text(*j)));
    else if (!o->available)
      fault_at(field.key, fmt::format("\"{}\" is not available in this version; use {}", o->name,
                                      options_text(field)));
    else
      chosen = o->value;
    return o != field.options.end() && o->available;
  }

  void group(const Field& field, bool* present, const Walk& walk) override {
    const json* j = find(field, "an object");
    if (present) *present = j && j->is_object();
    if (j && !j->is_object())
      return fault_at(field.key, "must be an object, got " + short_text(*j));
    if (!j && present) return;
    static const json nothing = json::object();
    read_json(j ? *j : nothing, child_pointer(pointer_, field.key), log_, walk);
  }

  void sequence(const Field& field, const std::function<void(std::size_t)>& resize, std::size_t,
                const std::function<void(Describe&, std::size_t)>& walk) override {
    const char* const must =
        field.one_or_many ? "an object or a list of objects" : "a list of objects";
    const json* j = find(field, must);
    if (!j) return;
    const std::string here = child_pointer(pointer_, field.key);
    if (field.one_or_many && j->is_object()) {
      resize(1);
      return read_json(*j, here, log_, [&](Describe& d) { walk(d, 0); });
    }
    if (!j->is_array())
      return fault_at(field.key, fmt::format("must be {}, got {}", must, short_text(*j)));
    if (field.required && j->empty()) fault_at(field.key, "must hold at least one object");
    const auto read = [&](std::size_t count) {
      resize(count);
      for (std::size_t i = 0; i < count; ++i)
        read_json((*j)[i], child_pointer(here, std::to_string(i)), log_,
                  [&](Describe& d) { walk(d, i); });
    };
    // Where a thousand are wrong all may be, and would take memory only to be refused.
    constexpr std::size_t sample = 1000;
    if (j->size() > sample) {
      const ReadLog before = log_;
      read(sample);
      if (log_.problems.size() >= before.problems.size() + sample)
        return log_.problems.push_back(
            {here,
             fmt::format("{} elements, with problems throughout the first {}; the rest was not "
                         "read",
                         j->size(), sample)});
      log_ = before;
    }
    read(j->size());
  }

 private:
  // The value of the key; null, with a problem, where it is missing and required.
  const json* find(const Field& field, const std::string& must, bool null_is_absent = false) {
    known_.push_back(field.key);
    const auto found = object_.find(field.key);
    if (found != object_.end() && !(null_is_absent && found->is_null())) return &*found;
    if (field.required) fault_at(field.key, "missing; must be " + must);
    return nullptr;
  }

  void fault_at(const std::string& key, const std::string& message) {
    log_.problems.push_back({child_pointer(pointer_, key), message});
  }

  std::string suggestion(const std::string& key) const {
    const std::string near = did_you_mean(key, known_);
    if (!near.empty()) return near;
    std::string list;
    for (const std::string& k : known_) list += (list.empty() ? "" : ", ") + k;
    return "; the keys here are " + list;
  }

  // Whom and what the value names: objects for the scene to check, files for the folder.
  void note_names(const Field& field, Value target) {
    const std::string here = child_pointer(pointer_, field.key);
    const std::vector<std::string> kinds(field.kinds.begin(), field.kinds.end());
    if (const auto* one = std::get_if<ObjectName*>(&target)) {
      log_.uses.push_back({here, field.key, (*one)->name, kinds});
    } else if (const auto* many = std::get_if<ObjectNames*>(&target)) {
      const auto& names = (*many)->names;
      for (std::size_t i = 0; i < names.size(); ++i)
        log_.uses.push_back({child_pointer(here, std::to_string(i)), field.key, names[i], kinds});
    } else if (const auto* file = std::get_if<FileName*>(&target)) {
      if (find_from_folder(field, (*file)->path)) log_.files.push_back((*file)->path);
    } else if (const auto* files = std::get_if<FileSequence*>(&target)) {
      if (!find_from_folder(field, (*files)->pattern)) return;
      for (const NumberedFile& f : numbered_files((*files)->pattern)) log_.files.push_back(f.path);
    }
  }

  bool find_from_folder(const Field& field, std::string& path) {
    path = (log_.folder / path).lexically_normal().string();
    const bool told = is_utf8(path);
    if (!told) fault_at(field.key, "the scene's folder has a name that is not UTF-8; rename it");
    return told;
  }

  const json& object_;
  const std::string& pointer_;
  ReadLog& log_;
  std::vector<std::string> known_;
  bool ignore_rest_ = false;
};

}  // namespace

void read_json(const json& object, const std::string& pointer, ReadLog& log,
               const Describe::Walk& walk) {
  if (!object.is_object())
    return log.problems.push_back({pointer, "must be an object, got " + short_text(object)});
  JsonReader reader(object, pointer, log);
  walk(reader);
  reader.report_unknown_keys();
}

std::string read_json_file(const std::filesystem::path& file, int dim, const Describe::Walk& walk) {
  JsonText text = parse_json(read_input(file, largest_text), file.string());
  if (text.problems.empty()) {
    ReadLog log{.dim = dim, .folder = file.parent_path(), .problems = {}, .uses = {}, .files = {}};
    read_json(*text.value, "", log, walk);
    text.problems = log.problems;
  }
  return text.lines(text.problems);
}

}  // namespace rtsim
