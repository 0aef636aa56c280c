#pragma once
#include <string>
#include <string_view>

#include "param/json_text.h"

namespace rtsim {

// Where tokens stand in a JSON text. It walks beside a parser that reports only values: every event
// moves it over one token, so it needs no more of the grammar than where tokens end.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  Place next();  // of the token that comes next
  void skip_key();
  void skip_scalar();
  void skip_open();   // [ or {
  void skip_close();  // ] or }

  // Of the token that the parser refused after reading so many bytes.
  Place unexpected(std::size_t bytes_read);

 private:
  std::size_t token_end() const;
  void skip_blanks();
  void value_done() { due_ = depth_ ? ',' : '\0'; }
  void move_to(std::size_t offset);

  std::string_view text_;
  std::size_t at_ = 0;
  Place place_{1, 1};
  int depth_ = 0;
  char due_ = '\0';  // the separator before the next token
};

Place place_of(std::string_view text, std::size_t offset);

// The parser's words for a syntax error, in ours, with a remedy for the common mistakes.
std::string syntax_message(std::string_view parser_says);

}  // namespace rtsim
