#include "param/manual_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace rtsim {

namespace {

// A key and those inside it ("drag", "drag.law", "drag.wind"), which are printed in one place.
using Block = ManualRows;

// What several forms share: blocks that are the same but for defaults.
struct Shared {
  std::vector<std::size_t> forms;
  std::vector<Block>
      blocks;  // of the first form; `standard` is "differs" where others have another
};

// A section of fewer words costs the reader more than it saves him.
constexpr std::size_t least_words = 50;
constexpr const char* differs = "differs";

std::string first_key(const std::string& key) { return key.substr(0, key.find_first_of(".[")); }

std::vector<Block> blocks_of(const ManualRows& rows) {
  std::vector<Block> blocks;
  for (const ManualRow& row : rows) {
    if (blocks.empty() || first_key(blocks.back().front().key) != first_key(row.key))
      blocks.emplace_back();
    blocks.back().push_back(row);
  }
  return blocks;
}

// Everything that the reader is told about a block but its defaults.
std::string text_of(const Block& block) {
  std::string text;
  for (const ManualRow& r : block)
    for (const std::string& part :
         {r.key, r.type, r.unit, r.range, r.doc, std::string(r.standard == "required" ? "!" : "")})
      text += part + '\n';
  return text;
}

std::size_t words(const std::vector<Block>& blocks) {
  std::size_t count = 0;
  for (const Block& block : blocks) {
    bool inside = false;
    for (const char c : text_of(block)) {
      const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
      count += !space && !inside;
      inside = !space;
    }
  }
  return count;
}

void mark_differences(Block& shared, const Block& other) {
  for (std::size_t r = 0; r < shared.size(); ++r)
    if (shared[r].standard != other[r].standard) shared[r].standard = differs;
}

// All that several forms share, what most of them share first.
std::vector<Shared> find_shared(const std::vector<std::vector<Block>>& forms) {
  std::map<std::string, std::vector<std::size_t>> owners;
  for (std::size_t f = 0; f < forms.size(); ++f)
    for (const Block& block : forms[f]) owners[text_of(block)].push_back(f);
  std::vector<Shared> found;
  for (std::size_t f = 0; f < forms.size(); ++f)
    for (const Block& block : forms[f]) {
      const std::string text = text_of(block);
      const std::vector<std::size_t>& who = owners[text];
      if (who.size() < 2 || who.front() != f) continue;
      Block shared = block;
      for (const std::size_t other : who)
        for (const Block& same : forms[other])
          if (text_of(same) == text) mark_differences(shared, same);
      const auto place =
          std::find_if(found.begin(), found.end(), [&](const Shared& s) { return s.forms == who; });
      if (place == found.end())
        found.push_back({who, {std::move(shared)}});
      else
        place->blocks.push_back(std::move(shared));
    }
  std::erase_if(found, [&](const Shared& s) {
    return s.forms.size() < forms.size() && words(s.blocks) < least_words;
  });
  std::stable_sort(found.begin(), found.end(), [](const Shared& a, const Shared& b) {
    return a.forms.size() > b.forms.size();
  });
  return found;
}

std::string title_of(const Shared& shared, const std::string& thing,
                     const std::vector<ManualForm>& forms) {
  if (shared.forms.size() == forms.size()) return "every " + thing;
  std::string names;
  for (std::size_t k = 0; k < shared.forms.size(); ++k)
    names += (k == 0                        ? ""
              : k + 1 < shared.forms.size() ? ", "
                                            : " and ") +
             forms[shared.forms[k]].title;
  return fmt::format("shared by the {}s {}", thing, names);
}

// The name that Markdown gives to a heading for links.
std::string anchor(const std::string& title) {
  std::string text;
  for (const char c : title) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) || c == '_' || c == '-')
      text += char(std::tolower(letter));
    else if (c == ' ')
      text += '-';
  }
  return text;
}

ManualRows joined(const std::vector<Block>& blocks) {
  ManualRows rows;
  for (const Block& block : blocks) rows.insert(rows.end(), block.begin(), block.end());
  return rows;
}

// "`dt` 0.1, `steps` 3": the defaults of one form where those of the section differ.
std::string own_defaults(const Shared& shared, const ManualRows& rows) {
  std::string text;
  for (const ManualRow& r : joined(shared.blocks)) {
    if (r.standard != differs) continue;
    const auto own = std::find_if(rows.begin(), rows.end(),
                                  [&](const ManualRow& row) { return row.key == r.key; });
    text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", r.key, own->standard);
  }
  return text;
}

std::string reference(const Shared& shared, const std::string& title, const ManualRows& rows) {
  std::string keys;
  for (const Block& block : shared.blocks)
    keys += fmt::format("{}`{}`", keys.empty() ? "" : ", ", first_key(block.front().key));
  const std::string defaults = own_defaults(shared, rows);
  return fmt::format("- {}: see [{}](#{}){}.\n", keys, title, anchor(title),
                     defaults.empty() ? "" : "; default here: " + defaults);
}

}  // namespace

std::string manual_forms(const std::string& thing, const std::vector<ManualForm>& forms) {
  std::vector<std::vector<Block>> blocks;
  for (const ManualForm& form : forms) blocks.push_back(blocks_of(form.rows));
  const std::vector<Shared> shared = find_shared(blocks);
  std::vector<std::string> references(forms.size());
  std::vector<std::set<std::string>> elsewhere(forms.size());
  std::string text;
  for (const Shared& s : shared) {
    const std::string title = title_of(s, thing, forms);
    text += fmt::format("\n## {}\n\n", title) + manual_markdown(joined(s.blocks));
    for (const std::size_t f : s.forms) {
      references[f] += reference(s, title, forms[f].rows);
      for (const Block& block : s.blocks) elsewhere[f].insert(text_of(block));
    }
  }
  for (std::size_t f = 0; f < forms.size(); ++f) {
    text +=
        fmt::format("\n## {}: {}\n\n{}{}", thing, forms[f].title, forms[f].intro, references[f]);
    std::erase_if(blocks[f], [&](const Block& b) { return elsewhere[f].contains(text_of(b)); });
    if (blocks[f].empty() && !references[f].empty()) continue;
    text += (references[f].empty() ? "" : "\n") + manual_markdown(joined(blocks[f]));
  }
  return text;
}

}  // namespace rtsim
