#!/usr/bin/env python3
"""Runs the standard set of loads, each in a process of its own, and writes what it measured to one result file.

    perf/standard.py --quick --out run.json

The whole set runs once for each of the repeats, so that the repeats of a figure lie minutes apart. A load that does not fit the machine, or
fails, is left out, and the result says so. plot.py draws the result, compare.py compares two.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONSOLE = ROOT / "artifacts/bin/BigPile.Perf/release/BigPile.Perf.dll"
MIB = 1 << 20
SYNTHETIC = ["zipf", "scan", "loop", "shift", "bursts"]
PERCENTILES = {"p50": "p50", "p99": "p99", "p99.9": "p999"}


def axis(label, unit="", logarithmic=True):
    return {"label": label, "unit": unit, "isLogarithmic": logarithmic}


RATE = axis("operations a second", logarithmic=False)
OBJECTS, SIZE, TIME = axis("live objects"), axis("size of the data", "bytes"), axis("time of one operation", "us")


class Run:
    """The figures by chart, series and place, as they come in."""

    def __init__(self, console, quick):
        self.console, self.quick, self.charts, self.left_out = console, quick, {}, []

    def chart(self, name, title, x, y, more_is_better, how_made):
        if name not in self.charts:
            self.charts[name] = {"id": name, "title": title, "howMade": how_made, "x": x, "y": y, "moreIsBetter": more_is_better,
                                 "series": []}

    def add(self, chart, series, x, figure, baseline=False):
        known = self.charts[chart]["series"]
        line = next((one for one in known if one["name"] == series), None)
        if not line:
            known.append(line := {"name": series, "isBaseline": baseline, "points": []})
        point = next((one for one in line["points"] if one["x"] == x), None)
        if not point:
            line["points"].append(point := {"x": x, "repeats": []})
            line["points"].sort(key=lambda one: one["x"])
        point["repeats"].append(figure)

    def measure(self, *arguments):
        """What the console prints, or None."""
        command = [str(argument) for argument in arguments]
        print("  " + " ".join(command), flush=True)
        mapped = "mapped" in command or command[0] == "restart"
        with tempfile.TemporaryDirectory() as directory:
            place = ["--dir", os.path.join(directory, "pile")] if mapped else []
            done = subprocess.run(["dotnet", self.console, *command, *place, "--json"], capture_output=True, text=True)
        if done.returncode == 0:
            return json.loads(done.stdout)
        reason = f"{' '.join(command)}: {done.stderr.strip()}"
        if reason not in self.left_out:
            print("    left out: " + reason, file=sys.stderr)
            self.left_out.append(reason)
        return None


def pause(run, _):
    seconds = 3 if run.quick else 8
    run.chart("pause", "Longest pause of the garbage collector", OBJECTS, axis("longest pause", "ms"), False,
              f"Persons of seven fields in an array (managed heap) or in a pile with an array of pointers; {seconds} s of replacing and "
              "getting them at random; then the longest of five forced full collections (pause --holder heap|pile).")
    run.chart("memory", "Memory per object", OBJECTS, axis("memory per object", "bytes", False), False,
              "The same objects: live bytes of the managed heap, and of the pile its pages in use as well, with the array of them.")
    for count in (250_000, 1_000_000, 4_000_000) if run.quick else [n * 1_000_000 for n in (1, 2, 5, 10, 20, 50)]:
        for holder, name in (("heap", "managed heap"), ("pile", "pile")):
            if report := run.measure("pause", "--holder", holder, "--count", count, "--seconds", seconds):
                run.add("pause", f"{name}, at work", count, report["longestPauseMs"], holder == "heap")
                run.add("pause", f"{name}, full collection", count, report["fullCollectionMs"], holder == "heap")
                run.add("memory", name, count, report["bytesPerObject"], holder == "heap")


def threads(run, _):
    count = 2_000_000 if run.quick else 5_000_000
    fields = {"put": ("Put", "putPerSecond"), "get": ("Get in the order of the puts", "getPerSecond"),
              "random": ("Get at random", "randomGetPerSecond"), "batch": ("Get at random, 64 in a call", "randomBatchGetPerSecond")}
    for name, (title, _) in fields.items():
        run.chart(f"threads-{name}", f"{title}: throughput against threads", axis("threads"), RATE, True,
                  f"{count:,} strings of 32 characters, divided among the threads, on memory used before (insert --threads T).")
    number = 1
    while number <= max(2, os.cpu_count() * 2):
        for store in ("native", "managed", "mapped"):
            if report := run.measure("insert", "--store", store, "--count", count, "--threads", number):
                for name, (_, field) in fields.items():
                    run.add(f"threads-{name}", store, number, report[field])
        number *= 2


def size(run, _):
    operations = 2_000_000 if run.quick else 8_000_000
    made = f"Objects of 100 bytes in native memory, one thread, {operations:,} operations at each size (scale --mebibytes N)."
    run.chart("size-throughput", "Throughput against the size of the data", SIZE, RATE, True, made)
    run.chart("size-get", "Time of a get against the size of the data", SIZE, TIME, False, made)
    run.chart("size-put", "Time of a put against the size of the data", SIZE, TIME, False, made)
    for mebibytes in (1, 64, 512) if run.quick else (1, 8, 64, 512, 4096):
        if report := run.measure("scale", "--mebibytes", mebibytes, "--operations", operations):
            run.add("size-throughput", "get at random", mebibytes * MIB, report["getPerSecond"])
            run.add("size-throughput", "put, and delete another", mebibytes * MIB, report["putPerSecond"])
            for name, field in PERCENTILES.items():
                run.add("size-get", name, mebibytes * MIB, report["getUs"][field])
                run.add("size-put", name, mebibytes * MIB, report["putUs"][field])


def latency(run, _):
    run.chart("latency", "Time of single calls beside flushes", axis("one of so many calls took longer"), axis("time of one call", "us"),
              False, "A table in a mapped pile that is flushed each second (latency --store mapped --flush-every 1). At 2 is the median, "
              "at 100 p99, and so on; the last is the longest. Nothing: an empty call, which shows what the machine takes.")
    small = ["--mebibytes", 64, "--seconds", 3] if run.quick else []
    for row in (run.measure("latency", "--store", "mapped", "--flush-every", 1, *small) or [])[1:]:
        places = {2: "p50", 1e2: "p99", 1e3: "p999", 1e4: "p9999", 1e5: "p99999", row["rate"] * row["seconds"]: "max"}
        for place, field in places.items():
            run.add("latency", row["call"], place, max(0.001, row["serviceUs"][field]), row["call"] == "nothing")


def restart(run, _):
    run.chart("restart", "Time until a durable table is back", axis("entries"), axis("time", "ms"), False,
              "Another process fills a table with values of 60 bytes, and closes it or is killed while it changes them. Then a new process "
              "opens it, its files in the system's cache, and gets an entry (restart --entries N).")
    for entries in (100_000, 1_000_000) if run.quick else (100_000, 1_000_000, 8_000_000):
        if report := run.measure("restart", "--entries", entries):
            for name, field in (("closed", "afterClose"), ("killed", "afterKill"), ("without its index", "withoutIndex")):
                run.add("restart", name, entries, report[field]["newProcess"]["sumMs"])


def trace(run, recorded):
    for file in [f"synthetic:{name}" for name in SYNTHETIC] + recorded:
        name = os.path.basename(file).removeprefix("synthetic:")
        report = run.measure("trace", file, "--capacity-fraction", "0.01,0.02,0.05,0.1,0.15,0.25,0.5")
        chart = "trace-" + "".join(c if c.isalnum() else "-" for c in name.lower())
        run.chart(chart, f"Hit ratio of a table with a limit: {name}", axis("capacity, in entries of all different keys", "%"),
                  axis("accesses that found their key", "%", False), True,
                  "Each access gets its key, and puts it when it is missing; the optimum knows what is asked for later (trace FILE).")
        for row in report["rows"] if report else []:
            place = row["capacityFraction"] * 100
            run.add(chart, "table", place, row["hitRatioPercent"])
            for policy, ratios in row["policies"].items():
                run.add(chart, policy, place, ratios["hitRatioPercent"], True)


def http(run, _):
    run.chart("http", "HTTP requests a second", axis("connections"), axis("requests a second", logarithmic=False), True,
              "The service in a process of its own, 1,000 values of each size got at random; the load runs on the same processors (http).")
    for row in (run.measure("http", "--seconds", 1 if run.quick else 2) or {"rows": []})["rows"]:
        run.add("http", f"{row['valueBytes']:,} bytes", row["connections"], row["requestsPerSecond"])


PARTS = {part.__name__: part for part in (pause, threads, size, latency, restart, trace, http)}


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def processor():
    try:
        return next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default="run.json", help="the result file; run.json by default")
    parser.add_argument("--quick", action="store_true", help="smaller loads: a few minutes for each repetition")
    parser.add_argument("--repeats", type=int, default=3, help="how often each figure is measured; 3 by default")
    parser.add_argument("--parts", type=lambda text: text.split(","), default=list(PARTS), help="some of " + ",".join(PARTS))
    parser.add_argument("--traces", nargs="+", default=[], help="recorded accesses to replay beside the synthetic ones")
    parser.add_argument("--console", default=str(CONSOLE), help="BigPile.Perf.dll")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"--parts {', '.join(unknown)} is unknown; there are {', '.join(PARTS)}")
    if options.out.exists():
        parser.error(f"{options.out} exists. Name another file with --out.")
    if not os.path.exists(options.console):
        parser.error(f"{options.console} was not found. Build it: dotnet build perf/BigPile.Perf -c Release; or name it with --console.")
    started, start = datetime.datetime.now(datetime.timezone.utc), time.monotonic()
    run = Run(options.console, options.quick)
    for number in range(options.repeats):
        for part in options.parts:
            print(f"round {number + 1} of {options.repeats}: {part}", flush=True)
            PARTS[part](run, options.traces)
    charts = [chart for chart in run.charts.values() if chart["series"]]
    if not charts:
        sys.exit("No load fits this machine.")
    result = {
        "format": 1, "commit": output_of("git", "rev-parse", "HEAD") or "unknown", "startedAt": started.isoformat(),
        "minutes": round((time.monotonic() - start) / 60, 2),
        "machine": {"processor": processor(), "cores": os.cpu_count(), "system": platform.platform(),
                    "runtime": ".NET SDK " + output_of("dotnet", "--version")},
        "options": {"quick": "yes" if options.quick else "no", "repeats": str(options.repeats), "parts": ", ".join(options.parts),
                    **({"left out": "; ".join(run.left_out)} if run.left_out else {})},
        "charts": charts,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    print(options.out)


if __name__ == "__main__":
    main()
