#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace rtsim {

// Text as HTML: what means something to a browser is spelt out, bytes that are no UTF-8 and control
// characters become question marks.
std::string escaped(std::string_view);

std::string base64(std::string_view bytes);

// A cell of a table: its text, and how it looks ("number", "good", "bad"; empty: as text).
struct HtmlCell {
  std::string text;
  std::string look = {};
};
using HtmlRow = std::vector<HtmlCell>;

// `head` may be empty. Cells are escaped.
std::string html_table(const std::vector<std::string>& head, const std::vector<HtmlRow>& rows);

// A section with a heading; nothing where the body is empty. The body is HTML already.
std::string html_section(const std::string& heading, const std::string& body);

// A whole page that asks for nothing from elsewhere: no scripts, no fonts, no pictures but its own.
// After `renew` seconds, if any, a browser loads it again.
std::string html_page(const std::string& title, const std::string& body, double renew = 0);

}  // namespace rtsim
