#!/usr/bin/env python3
"""Draws the charts of a run, which standard.py wrote, each as an SVG file: perf/plot.py perf/results/run.json perf/results

Marks are medians of the repeats, thin bars their range; dashed lines with hollow marks are not BigPile. Axes that are not logarithmic
begin at zero.
"""
import argparse
import json
import math
import pathlib
import statistics
from xml.sax.saxutils import escape

WIDTH, PLOT, LINE, EDGE, INSET = 760, 290, 21, 14, 18
OURS, THEIRS = ["#0b62c4", "#cf4a00", "#008a63", "#a3397d"], ["#5b6470", "#8f6a00", "#0b7285", "#9c3030", "#4d4d9c", "#3f7a2a"]
OUR_MARKS, THEIR_MARKS = ["circle", "square", "up", "diamond"], ["circle", "down", "square", "diamond", "up", "circle"]
STYLE = """<style>
text { font: 13px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; fill: #14181f; }
.title { font-size: 16px; font-weight: 650; }
.small { font-size: 12px; fill: #535c69; }
.grid { stroke: #e6eaf0; }
.axis { stroke: #535c69; }
</style>"""
SCALES = {
    "bytes": [(2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")],
    "ms": [(1e3, "s"), (1, "ms"), (1e-3, "µs"), (1e-6, "ns")],
    "us": [(1e6, "s"), (1e3, "ms"), (1, "µs"), (1e-3, "ns")],
}
COUNTS = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1, "")]


def figure(value, unit):
    """The figure as people read it."""
    scales = SCALES.get(unit, COUNTS)
    factor, name = next(((f, n) for f, n in scales if value >= f * 0.9999999), scales[-1])
    return f"{value / factor:.4g} {'%' if unit == '%' else name}".strip().replace(" ", "\u00a0")


def label(axis):
    named = axis["label"] if axis["unit"] in ("", *SCALES) else f"{axis['label']}, {axis['unit']}"
    return named + (" (logarithmic)" if axis["isLogarithmic"] else "")


def width(text):
    return 7.6 * len(text)


def ticks(axis, values, room, size):
    """The ends of an axis and its labelled figures: the most round ones for which there is room. Below it ends at its figures."""
    low, high = min(values), max(values)
    binary = axis["unit"] == "bytes" or axis["label"] == "threads"
    if axis["isLogarithmic"]:
        if size is None and low < high:  # the axis below
            ends = (low, high)
        else:
            ends = (10 ** math.floor(math.log10(low * 0.9)), 10 ** math.ceil(math.log10(high / 0.9)))
        base = 2 if binary else 10
        powers = range(math.floor(math.log(ends[0], base)) - 1, math.ceil(math.log(ends[1], base)) + 2)
        choices = [[float(base) ** p for p in powers if p % step == 0] for step in (1, 2, 5, 10)]
        if not binary:
            choices.insert(0, [10.0**p * digit for p in powers for digit in (1, 2, 5)])
    else:
        ends, choices = (min(0, low), max(0, high) or 1), []
        base = 2 if binary and high >= 2048 else 10
        power = float(base) ** math.floor(math.log(ends[1] - ends[0], base) - 2)
        for step in [power * base**p * digit for p in range(5) for digit in ((1, 2, 5) if base == 10 else (1,))]:
            choices.append([step * i for i in range(math.floor(ends[0] / step), math.ceil(ends[1] / step) + 1)])
    for choice in choices:
        inside = [t for t in choice if ends[0] * (1 - 1e-9) <= t <= ends[1] * (1 + 1e-9)] if axis["isLogarithmic"] else choice
        need = size or max((width(figure(t, axis["unit"])) for t in inside), default=0) + INSET
        if inside and len(inside) * need <= room:
            break
    return (ends if axis["isLogarithmic"] else (min(ends[0], inside[0]), max(ends[1], inside[-1]))), inside


def position(axis, ends, value):
    if axis["isLogarithmic"]:
        low, high = map(math.log10, ends)
        return min(1, max(0, (math.log10(max(value, ends[0])) - low) / ((high - low) or 1)))
    return (value - ends[0]) / (ends[1] - ends[0])


def mark(shape, x, y, color, hollow):
    paint = f'fill="{"#ffffff" if hollow else color}" stroke="{color}" stroke-width="2" stroke-linejoin="round"'
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" {paint}/>'
    path = {"square": "m-4 -4h8v8h-8Z", "diamond": "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5Z",
            "up": "m0 -5.5l5.2 9.3h-10.4Z", "down": "m0 5.5l5.2 -9.3h-10.4Z"}[shape]
    return f'<path d="M{x:.1f} {y:.1f}{path}" {paint}/>'


def draw(chart):
    """The chart as SVG."""
    x_axis, y_axis, ours, theirs, legend, out = chart["x"], chart["y"], 0, 0, [], []
    left, row = EDGE, 0
    for series in chart["series"]:  # the colour and mark of each, and its place in the legend
        theirs, ours = theirs + series["isBaseline"], ours + (not series["isBaseline"])
        number, colors, marks = (theirs, THEIRS, THEIR_MARKS) if series["isBaseline"] else (ours, OURS, OUR_MARKS)
        if left > EDGE and left + 37 + width(series["name"]) > WIDTH - EDGE:
            left, row = EDGE, row + 1
        legend.append((series, colors[(number - 1) % len(colors)], marks[(number - 1) % len(marks)], left, EDGE + 37 + row * LINE))
        left += 62 + width(series["name"])
    top = EDGE + 84 + row * LINE
    bottom = top + PLOT

    places = [point["x"] for series in chart["series"] for point in series["points"]]
    heights = [v for s in chart["series"] for p in s["points"] for v in p["repeats"] if v > 0 or not y_axis["isLogarithmic"]]
    y_ends, y_ticks = ticks(y_axis, heights or [1], PLOT, 28)
    from_left = EDGE + 10 + max(width(figure(t, y_axis["unit"])) for t in y_ticks)
    to_right, inset = WIDTH - EDGE - 14, INSET if x_axis["isLogarithmic"] else 0
    x_ends, x_ticks = ticks(x_axis, places, to_right - from_left, None)

    def at_x(value):
        return from_left + inset + position(x_axis, x_ends, value) * (to_right - from_left - INSET - inset)

    def at_y(value):
        return bottom - position(y_axis, y_ends, value) * PLOT

    def line(x1, y1, x2, y2, what):
        out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {what}/>')

    def text(x, y, anchor, words, style=""):
        kind = f' class="{style}"' if style else ""
        out.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(words)}</text>')

    text(EDGE, EDGE + 16, "start", chart["title"], "title")
    text(EDGE, top - 16, "start", label(y_axis), "small")
    for tick in y_ticks:
        line(from_left, at_y(tick), to_right, at_y(tick), 'class="grid"')
        text(from_left - 8, at_y(tick) + 4.5, "end", figure(tick, y_axis["unit"]))
    line(from_left, bottom, to_right, bottom, 'class="axis"')
    for tick in x_ticks:
        line(at_x(tick), bottom, at_x(tick), bottom + 5, 'class="axis"')
        text(at_x(tick), bottom + 20, "middle", figure(tick, x_axis["unit"]))
    text((from_left + to_right) / 2, bottom + 40, "middle", label(x_axis), "small")

    for series, color, shape, key_x, key_y in legend:
        stroke = f'fill="none" stroke="{color}" stroke-width="2"' + (' stroke-dasharray="6 5"' if series["isBaseline"] else "")
        points = [(p["x"], statistics.median(p["repeats"]), min(p["repeats"]), max(p["repeats"])) for p in series["points"]]
        out.append(f'<polyline points="{" ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y, _, _ in points)}" {stroke}/>')
        for x, median, low, high in points:
            what = f"{series['name']}, {x_axis['label']} {figure(x, x_axis['unit'])}: {figure(median, y_axis['unit'])}"
            out.append(f"<g><title>{escape(what)}</title>")
            if low < high:
                line(at_x(x), at_y(low), at_x(x), at_y(high), f'stroke="{color}" opacity="0.75"')
            out.append(mark(shape, at_x(x), at_y(median), color, series["isBaseline"]) + "</g>")
        line(key_x, key_y, key_x + 30, key_y, stroke)
        out.append(mark(shape, key_x + 15, key_y, color, series["isBaseline"]))
        text(key_x + 37, key_y + 4.5, "start", series["name"])

    height = bottom + 56
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(chart["title"])}" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}">', STYLE,
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="10" fill="#ffffff" stroke="#d8dde5"/>', *out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="the result file")
    parser.add_argument("out", type=pathlib.Path, help="the directory of the pictures")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for chart in json.loads(arguments.run.read_text())["charts"]:
        file = arguments.out / f"{chart['id']}.svg"
        file.write_text(draw(chart), encoding="utf-8")
        print(file)


if __name__ == "__main__":
    main()
