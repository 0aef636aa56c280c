#include "base/numbered_files.h"

#include <algorithm>
#include <charconv>

namespace rtsim {

namespace fs = std::filesystem;

namespace {

struct Pattern {
  std::string before, after;  // of the run of #, in the name
  std::size_t digits = 0;
  bool single = false;  // one run, and not more
};

Pattern pattern_of(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  const std::size_t begin = name.find('#');
  if (begin == std::string::npos) return {};
  std::size_t end = name.find_first_not_of('#', begin);
  if (end == std::string::npos) end = name.size();
  return {name.substr(0, begin), name.substr(end), end - begin,
          name.find('#', end) == std::string::npos};
}

std::optional<std::int64_t> number_in_name(const Pattern& p, const std::string& name) {
  if (!p.single || name.size() < p.before.size() + p.digits + p.after.size()) return {};
  if (!name.starts_with(p.before) || !name.ends_with(p.after)) return {};
  const char* begin = name.data() + p.before.size();
  const char* end = name.data() + name.size() - p.after.size();
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool padded = *begin == '0' && std::size_t(end - begin) > p.digits;
  if (!std::all_of(begin, end, is_digit) || padded) return {};
  std::int64_t number = 0;
  if (std::from_chars(begin, end, number).ec != std::errc()) return {};
  return number;
}

std::string name_with(const Pattern& p, std::int64_t number) {
  const std::string digits = std::to_string(number);
  const std::size_t zeros = p.digits > digits.size() ? p.digits - digits.size() : 0;
  return p.before + std::string(zeros, '0') + digits + p.after;
}

}  // namespace

std::optional<std::int64_t> number_in(const std::string& pattern, const std::string& path) {
  if (fs::path(pattern).parent_path() != fs::path(path).parent_path()) return {};
  return number_in_name(pattern_of(pattern), fs::path(path).filename().string());
}

std::vector<NumberedFile> numbered_files(const std::string& pattern) {
  std::vector<NumberedFile> files;
  const Pattern p = pattern_of(pattern);
  std::error_code failed;
  for (fs::directory_iterator at(fs::path(pattern).parent_path(), failed), end;
       !failed && at != end; at.increment(failed))
    if (const auto number = number_in_name(p, at->path().filename().string()))
      files.push_back({*number, at->path().string()});
  std::ranges::sort(files, {}, &NumberedFile::number);
  return files;
}

std::string why_no_sequence(const std::string& pattern) {
  const Pattern p = pattern_of(pattern);
  if (!p.single)
    return "the name of a sequence has one run of # in place of the digits, as walk_####.obj";
  const std::vector<NumberedFile> files = numbered_files(pattern);
  if (files.empty())
    return "no file fits; sequences are looked for from the scene's folder, and # are as many as "
           "the least digits";
  std::int64_t step = 0;
  for (std::size_t i = 1; i < files.size(); ++i) {
    const std::int64_t s = files[i].number - files[i - 1].number;
    step = i == 1 ? s : std::min(step, s);
  }
  for (std::size_t i = 1; i < files.size(); ++i)
    if (files[i].number - files[i - 1].number != step)
      return "the sequence has a hole: " +
             (fs::path(pattern).parent_path() / name_with(p, files[i - 1].number + step)).string() +
             " is missing";
  return "";
}

}  // namespace rtsim
