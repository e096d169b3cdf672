#!/usr/bin/env python3
"""Compares two result files of standard.py: perf/compare.py before/run.json after/run.json

Each series has the ratio of its medians, the geometric mean over its points, turned so that above 1 the second run is better. Its noise is
what the repeats scatter, three standard errors of it, and 3 % at least; series that are not BigPile show what the machine did
meanwhile. Exit code 1: a series lost more than --loss percent, beyond its noise.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys

LEAST_NOISE = 0.03


def series_of(run):
    for chart in run["charts"]:
        for series in chart["series"]:
            yield (chart["id"], series["name"]), chart["moreIsBetter"], series


def logs(point):
    return [math.log(max(figure, 1e-15)) for figure in point["repeats"]]


def compare(before, after, more_is_better):
    """The log of the ratio, and its noise; without repeats the scatter of the points tells it."""
    others, ratios, errors = {point["x"]: logs(point) for point in after["points"]}, [], []
    for point in before["points"]:
        if point["x"] in others:
            pair = logs(point), others[point["x"]]
            ratios.append((statistics.median(pair[1]) - statistics.median(pair[0])) * (1 if more_is_better else -1))
            errors.append(sum(statistics.variance(one) / len(one) for one in pair if len(one) > 1))
    if not ratios:
        return None
    error = math.sqrt(sum(errors)) / len(ratios)
    if len(ratios) > 1:
        error = max(error, statistics.stdev(ratios) / math.sqrt(len(ratios)))
    return statistics.mean(ratios), max(LEAST_NOISE, 3 * error)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--loss", type=float, default=10, help="the loss that is allowed, in percent; 10 by default")
    options = parser.parse_args()
    first, second = (json.loads(file.read_text()) for file in (options.before, options.after))
    for what in ("machine", "options"):
        if first[what] != second[what]:
            print(f"The runs differ in their {what}.", file=sys.stderr)
    others, lines, lost = {key: series for key, _, series in series_of(second)}, [], 0
    for key, more_is_better, series in series_of(first):
        result = compare(series, others[key], more_is_better) if key in others else None
        if not result:
            continue
        ratio, noise = result
        verdict = "" if abs(ratio) <= noise else "better" if ratio > 0 else "worse"
        if verdict == "worse" and not series["isBaseline"] and math.exp(ratio) < 1 - options.loss / 100:
            verdict, lost = f"worse by more than {options.loss:g} %", lost + 1
        machine = " (not BigPile)" if verdict and series["isBaseline"] else ""
        noise_percent = 100 * (math.exp(noise) - 1)
        lines.append(f"{key[0]:<22} {key[1]:<32} {math.exp(ratio):>7.3f} {noise_percent:>5.1f} % {verdict}{machine}".rstrip())
    if not lines:
        sys.exit("The runs have no series in common.")
    print(f"{'chart':<22} {'series':<32} {'ratio':>7} {'noise':>7}", *lines, sep="\n")
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
