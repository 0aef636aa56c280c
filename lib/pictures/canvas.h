#pragma once
#include <filesystem>
#include <functional>
#include <string>

typedef struct _cairo cairo_t;

namespace rtsim {

// Draws into an .svg or .png file of so many pixels on white; the file is whole or not there.
// Throws Error{usage} for other endings, Error{io} where it cannot be written.
void draw_file(const std::filesystem::path&, int width, int height,
               const std::function<void(cairo_t*)>& draw);

// The same as an SVG element, to stand inside of a page.
std::string svg_element(int width, int height, const std::function<void(cairo_t*)>& draw);

// Of the file's ending: .svg or .png. Throws Error{usage}.
void check_picture_name(const std::filesystem::path&);

}  // namespace rtsim
