#include "report/html.h"

#include <fmt/format.h>

#include <array>

namespace rtsim {

namespace {

// How many bytes the UTF-8 character at the front has; 0: it is none.
std::size_t character(std::string_view s) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
  const unsigned char b = byte(0);
  const std::size_t n = b < 0x80                ? 1
                        : b >= 0xc2 && b < 0xe0 ? 2
                        : b >= 0xe0 && b < 0xf0 ? 3
                        : b >= 0xf0 && b < 0xf5 ? 4
                                                : 0;
  if (n == 0 || n > s.size()) return 0;
  for (std::size_t k = 1; k < n; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool overlong = (b == 0xe0 && byte(1) < 0xa0) || (b == 0xf0 && byte(1) < 0x90);
  const bool forbidden = (b == 0xed && byte(1) > 0x9f) || (b == 0xf4 && byte(1) > 0x8f);
  return overlong || forbidden ? 0 : n;
}

constexpr const char* style = R"(
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1b1f; background: #fff; margin: 2em auto; max-width: 76em; padding: 0 1.5em; }
h1 { margin-bottom: 0; } h2 { margin-top: 2em; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .15em 1em .15em 0; vertical-align: top; }
th { font-weight: 600; border-bottom: 1px solid #ccc; } tr + tr td { border-top: 1px solid #eee; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.good { color: #00693e; font-weight: 600; } .bad { color: #b3261e; font-weight: 600; }
td { overflow-wrap: break-word; } .wide { overflow-x: auto; }
.pictures { display: flex; flex-wrap: wrap; gap: 1em; } figure { margin: 0; } figcaption { color: #555; }
img, svg { max-width: 100%; height: auto; }
pre { background: #f5f5f7; padding: 1em; overflow-x: auto; }
)";

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t n = character(text);
    const char c = text[0];
    if (n == 0 || (n == 1 && ((c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == 0x7f)))
      out += '?';
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += text.substr(0, n);
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? std::uint32_t(std::uint8_t(bytes[i + k])) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string html_table(const std::vector<std::string>& head, const std::vector<HtmlRow>& rows) {
  if (rows.empty()) return "";
  std::string out = "<div class=\"wide\"><table>\n";
  if (!head.empty()) {
    out += "<tr>";
    for (const std::string& h : head) out += fmt::format("<th>{}</th>", escaped(h));
    out += "</tr>\n";
  }
  for (const HtmlRow& row : rows) {
    out += "<tr>";
    for (const HtmlCell& c : row)
      out +=
          fmt::format("<td{}>{}</td>", c.look.empty() ? "" : fmt::format(" class=\"{}\"", c.look),
                      escaped(c.text));
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string html_section(const std::string& heading, const std::string& body) {
  return body.empty() ? "" : fmt::format("<h2>{}</h2>\n{}", escaped(heading), body);
}

std::string html_page(const std::string& title, const std::string& body, double renew) {
  const std::string again =
      renew > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{:.0f}\">\n", renew) : "";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n{}"
      "<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escaped(title), again, style, body);
}

}  // namespace rtsim
