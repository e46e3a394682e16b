/// `unrolling_chart_svg`: cycles per iteration and bytes of code over the unrolling factor, as a picture.
#pragma once

#include "midend/config.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/span.hpp"
#include "midend/unrolling/unrolling_advice.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// A factor and its numbers.
struct unrolling_point {
  std::uint32_t factor = 1;
  fraction cycles;         ///< per iteration
  std::uint64_t bytes = 0; ///< of all code that replaces the loop
  bool is_chosen = false;
};

/// The evaluated candidates in ascending order, without peeling. Of two with one factor, the chosen or first one.
MIDEND_FUNCTION std::vector<unrolling_point> chart_points(const unrolling_advice& advice);

/// An SVG picture: cycles per iteration over the factor, with the chosen factor in red; below it, the bytes of code.
/// Requires points with ascending factors. Equal points give equal text.
MIDEND_FUNCTION std::string unrolling_chart_svg(span<const unrolling_point> points, std::string_view title);

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/viz/report.hpp"
#include "midend/viz/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Two panels, one above the other, with equal factors on their horizontal axes.
class unrolling_chart {
public:
  explicit unrolling_chart(span<const unrolling_point> points) : points_(points) {
    for (const unrolling_point& p : points) {
      last_factor_ = std::max(last_factor_, p.factor);
      most_cycles_ = std::max(most_cycles_, number(p.cycles));
      most_bytes_ = std::max(most_bytes_, static_cast<double>(p.bytes));
    }
    most_cycles_ = most_cycles_ > 0 ? most_cycles_ : 1;
    most_bytes_ = most_bytes_ > 0 ? most_bytes_ : 1;
  }

  std::string draw(std::string_view title) {
    say("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 500\" font-family=\"sans-serif\" "
        "font-size=\"12\" fill=\"#333\">\n");
    say("<rect width=\"720\" height=\"500\" fill=\"white\"/>\n");
    label(left, 24, "start", title, " font-size=\"15\"");
    panel(cycles_top, cycles_height, "cycles per iteration, at least", most_cycles_);
    panel(bytes_top, bytes_height, "bytes of code", most_bytes_);
    draw_factors();
    draw_cycles();
    draw_bytes();
    say("</svg>\n");
    return out_;
  }

private:
  static constexpr double left = 70;
  static constexpr double width = 620;
  static constexpr double cycles_top = 64;
  static constexpr double cycles_height = 210;
  static constexpr double bytes_top = 316;
  static constexpr double bytes_height = 120;
  static constexpr const char* plain = "#4878a8";
  static constexpr const char* accent = "#d1495b";

  static double number(const fraction& f) {
    return static_cast<double>(f.numerator()) / static_cast<double>(f.denominator());
  }

  void say(std::string_view words) { out_ += words; }

  /// A coordinate, rounded to a tenth.
  static std::string at(double value) {
    std::array<char, 32> digits{};
    char* const end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, 1).ptr;
    return {digits.data(), end};
  }

  void label(double x, double y, std::string_view anchor, std::string_view text, std::string_view more = "") {
    say("<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + std::string(anchor) + "\"" +
        std::string(more) + ">");
    say(xml_text(text));
    say("</text>\n");
  }

  void line(double x1, double y1, double x2, double y2, std::string_view color) {
    say("<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) + "\" stroke=\"" +
        std::string(color) + "\"/>\n");
  }

  double place_of(std::uint32_t factor) const { return left + width * (factor - 0.5) / last_factor_; }

  /// A step of 1, 2 or 5 times a power of ten, so that there are three to seven steps.
  static double grid_step(double most) {
    double step = 1;
    while (most / step < 3) {
      step /= 10;
    }
    while (most / step > 70) {
      step *= 10;
    }
    for (const double more : {1.0, 2.0, 5.0, 10.0}) {
      if (most / (step * more) <= 7) {
        return step * more;
      }
    }
    return step * 10;
  }

  /// The value of the highest grid line.
  static double grid_top(double most) {
    const double step = grid_step(most);
    double top = step;
    while (top < most) {
      top += step;
    }
    return top;
  }

  void panel(double top, double height, std::string_view what, double most) {
    label(left, top - 12, "start", what);
    const double step = grid_step(most);
    const double highest = grid_top(most);
    for (double value = 0; value < highest + step / 2; value += step) {
      const double y = top + height * (1 - value / highest);
      line(left, y, left + width, y, value == 0 ? "#888" : "#ddd");
      std::array<char, 32> digits{};
      const char* const end =
          std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 6).ptr;
      label(left - 8, y + 4, "end", {digits.data(), end});
    }
  }

  /// Draws as many factors as fit, and always the chosen one.
  void draw_factors() {
    double last = -width;
    const double y = bytes_top + bytes_height + 18;
    for (const unrolling_point& p : points_) {
      const double x = place_of(p.factor);
      if (p.is_chosen) {
        label(x, y, "middle", std::to_string(p.factor), std::string(" font-weight=\"bold\" fill=\"") + accent + "\"");
        last = x;
      } else if (x - last >= 20 && !is_near_chosen(x)) {
        label(x, y, "middle", std::to_string(p.factor));
        last = x;
      }
    }
    label(left + width / 2, y + 24, "middle", "factor");
  }

  bool is_near_chosen(double x) const {
    return std::any_of(points_.begin(), points_.end(), [&](const unrolling_point& p) {
      const double distance = place_of(p.factor) - x;
      return p.is_chosen && distance < 20 && distance > -20;
    });
  }

  void draw_cycles() {
    const auto height_of = [&](const unrolling_point& p) {
      return cycles_top + cycles_height * (1 - number(p.cycles) / grid_top(most_cycles_));
    };
    std::string path;
    for (const unrolling_point& p : points_) {
      path += (path.empty() ? "M" : " L") + at(place_of(p.factor)) + " " + at(height_of(p));
    }
    say("<path d=\"" + path + "\" fill=\"none\" stroke=\"#b8c8d8\"/>\n");
    for (const unrolling_point& p : points_) {
      const std::string where = "cx=\"" + at(place_of(p.factor)) + "\" cy=\"" + at(height_of(p)) + "\"";
      say("<circle " + where + " r=\"" + (p.is_chosen ? "6" : "3.5") + "\" fill=\"" + (p.is_chosen ? accent : plain) +
          "\"><title>" + std::to_string(p.factor) + ": " + exact_text(p.cycles) + "</title></circle>\n");
      if (p.is_chosen) {
        const std::string color = std::string(" font-weight=\"bold\" fill=\"") + accent + "\"";
        const bool is_low = height_of(p) > cycles_top + cycles_height - 30;
        label(place_of(p.factor), height_of(p) + (is_low ? -12 : 22), "middle", exact_text(p.cycles), color);
      }
    }
  }

  void draw_bytes() {
    const double bar = std::min(18.0, 0.7 * width / last_factor_);
    for (const unrolling_point& p : points_) {
      const double height = bytes_height * static_cast<double>(p.bytes) / grid_top(most_bytes_);
      say("<rect x=\"" + at(place_of(p.factor) - bar / 2) + "\" y=\"" + at(bytes_top + bytes_height - height) +
          "\" width=\"" + at(bar) + "\" height=\"" + at(height) + "\" fill=\"" + (p.is_chosen ? accent : plain) +
          "\"><title>" + std::to_string(p.factor) + ": " + std::to_string(p.bytes) + "</title></rect>\n");
    }
  }

  span<const unrolling_point> points_;
  std::string out_;
  std::uint32_t last_factor_ = 1;
  double most_cycles_ = 0;
  double most_bytes_ = 0;
};

} // namespace detail

MIDEND_FUNCTION std::vector<unrolling_point> chart_points(const unrolling_advice& advice) {
  std::vector<unrolling_point> points;
  for (const unrolling_candidate& c : advice.candidates) {
    const bool is_chosen = &c == &advice.decision();
    const bool is_better = points.empty() || points.back().factor != c.factor || is_chosen;
    if (!c.is_evaluated || c.kind == unrolling_kind::peel || !is_better) {
      continue;
    }
    if (!points.empty() && points.back().factor == c.factor) {
      points.pop_back();
    }
    points.push_back({c.factor, c.cycles_per_iteration, c.total_bytes, is_chosen});
  }
  return points;
}

MIDEND_FUNCTION std::string unrolling_chart_svg(span<const unrolling_point> points, std::string_view title) {
  return detail::unrolling_chart(points).draw(title);
}

MIDEND_END_NAMESPACE

#endif
