#include "param/json_cursor.h"

#include <algorithm>

namespace rtsim {

namespace {

void step(Place& place, char c) {
  const bool inside_character = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  if (c == '\n')
    place = {place.line + 1, 1};
  else if (!inside_character)
    ++place.column;
}

}  // namespace

Place JsonCursor::next() {
  skip_blanks();
  if (due_ && at_ < text_.size() && text_[at_] == due_) {
    move_to(at_ + 1);
    skip_blanks();
  }
  due_ = '\0';
  return place_;
}

void JsonCursor::skip_key() {
  next();
  move_to(token_end());
  due_ = ':';
}

void JsonCursor::skip_scalar() {
  next();
  move_to(token_end());
  value_done();
}

void JsonCursor::skip_open() {
  next();
  move_to(at_ + 1);
  ++depth_;
}

void JsonCursor::skip_close() {
  next();
  move_to(at_ + 1);
  --depth_;
  value_done();
}

Place JsonCursor::unexpected(std::size_t bytes_read) {
  const JsonCursor before = *this;
  next();
  if (bytes_read == 0 || at_ < bytes_read) return place_;
  // Two tokens that look like one, such as 01: this walk went past the second.
  *this = before;
  return place_of(text_, bytes_read - 1);
}

std::size_t JsonCursor::token_end() const {
  std::size_t end = at_;
  if (end < text_.size() && text_[end] == '"') {
    for (++end; end < text_.size() && text_[end] != '"'; ++end)
      if (text_[end] == '\\') ++end;
    return end + 1;
  }
  const auto in_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == 'E' || c == '.' || c == '-' ||
           c == '+';
  };
  while (end < text_.size() && in_word(text_[end])) ++end;
  return end;
}

void JsonCursor::skip_blanks() {
  for (;;) {
    const auto rest = text_.substr(at_);
    if (rest.empty()) return;
    if (rest.starts_with("//")) {
      move_to(text_.find('\n', at_));
    } else if (rest.starts_with("/*")) {
      const auto end = text_.find("*/", at_ + 2);
      move_to(end == text_.npos ? end : end + 2);
    } else if (std::string_view(" \t\r\n").find(rest[0]) != std::string_view::npos) {
      move_to(at_ + 1);
    } else {
      return;
    }
  }
}

void JsonCursor::move_to(std::size_t offset) {
  for (offset = std::min(offset, text_.size()); at_ < offset; ++at_) step(place_, text_[at_]);
}

Place place_of(std::string_view text, std::size_t offset) {
  Place place{1, 1};
  for (const char c : text.substr(0, offset)) step(place, c);
  return place;
}

namespace {

// "... while parsing object key - unexpected '}'; last read: '1,}'; expected string literal"
// without its head and what was last read.
std::string core(std::string_view says) {
  if (const auto dash = says.find(" - "); dash != says.npos) says.remove_prefix(dash + 3);
  if (const auto id = says.find("] "); id != says.npos && says.starts_with("["))
    says.remove_prefix(id + 2);
  std::string text(says);
  const auto last = text.find("; last read: '");
  if (last == text.npos) return text;
  const auto expected = text.rfind("'; expected ");
  const auto end = expected == text.npos || expected < last ? text.size() : expected + 1;
  return text.erase(last, end - last);
}

}  // namespace

std::string syntax_message(std::string_view parser_says) {
  const std::string what = core(parser_says);
  const auto says = [&](std::string_view words) { return what.find(words) != what.npos; };
  std::string remedy;
  if (says("unexpected '}'") || says("unexpected ']'"))
    remedy = "; a comma before a closing bracket is not allowed";
  else if (says("unexpected end of input"))
    remedy = "; is a bracket not closed?";
  else if (says("unexpected string literal"))
    remedy = "; is a comma missing before it?";
  else if (says("U+000A") || says("missing closing quote"))
    remedy = "; is a quote not closed?";
  else if (says("invalid literal"))
    remedy = "; texts need double quotes, numbers are written as 0.5 or 1e-3";
  else if (says("number overflow"))
    remedy = "; it does not fit a double";
  return "not JSON: " + what + remedy;
}

}  // namespace rtsim
