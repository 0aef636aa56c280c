#include "command_texts.h"

#include <CLI/CLI.hpp>

namespace rtsim {
namespace {

// CLI11 writes what a value may be behind its type: "WHAT:{series,frames}".
void read_type(const CLI::Option& o, OptionText& text) {
  const std::string type = o.get_type_name();
  text.value = type.substr(0, type.find(':'));
  if (text.value.empty() && text.positional) text.value = text.names[0];
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open == type.npos || close == type.npos) return;
  std::string list = type.substr(open + 1, close - open - 1);
  for (std::size_t comma = 0; comma != list.npos; list.erase(0, comma + 1)) {
    comma = list.find(',');
    text.choices.push_back(list.substr(0, comma));
    if (comma == list.npos) break;
  }
}

OptionText option_text(const CLI::Option& o) {
  OptionText text;
  text.doc = o.get_description();
  text.required = o.get_required();
  text.positional = o.get_positional();
  if (text.positional) text.names.push_back(o.get_name(true));
  for (const std::string& name : o.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : o.get_lnames()) text.names.push_back("--" + name);
  text.many = text.positional && o.get_items_expected_max() > 1;
  if (o.get_items_expected_min() > 0) read_type(o, text);
  return text;
}

void add(const CLI::App& app, const std::string& path, std::vector<CommandText>& all) {
  CommandText text{path, app.get_description(), {}, {}};
  for (const CLI::Option* o : app.get_options())
    if (!o->get_group().empty()) text.options.push_back(option_text(*o));
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* c : commands) text.below.push_back(c->get_name());
  all.push_back(std::move(text));
  for (const CLI::App* c : commands) add(*c, path + (path.empty() ? "" : " ") + c->get_name(), all);
}

}  // namespace

std::vector<CommandText> command_texts(const CLI::App& app) {
  std::vector<CommandText> all;
  add(app, "", all);
  return all;
}

}  // namespace rtsim
