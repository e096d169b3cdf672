#!/usr/bin/env python3
"""Sets the load console's sequence beside tkrzw_file_perf and tkrzw_dbm_perf, in turn, in the same directory.

  perf/files/compare.py [--layers file,hash] [--files std,mmap-para,mmap-atom,pos-para,pos-atom] [--threads 1,2] [--rounds 5]
      [--count 1000000] [--size 100] [--value-size 8] [--random] [--directory DIRECTORY] [--console BigPile.Perf.dll] [--json FILE]

Each run is a process of its own with a new file, and a round has one of each, in changing order. The table has the medians of the rounds in
millions of operations a second, the least and the most of them, and the ratio of the medians. Keys have 8 bytes on both sides, and the hash
database as many buckets as records. The others don't compare what they read. They are in Debian's package tkrzw-utils.
"""
import argparse, json, os, re, shutil, statistics, subprocess, sys, tempfile

KINDS = ["std", "mmap-para", "mmap-atom", "pos-para", "pos-atom"]
LAYERS = {"file": ["set", "get"], "hash": ["set", "get", "remove"]}
PROGRAMS = {"file": "tkrzw_file_perf", "hash": "tkrzw_dbm_perf"}
THEIR_WORDS = {"Writing": "set", "Reading": "get", "Setting": "set", "Getting": "get", "Removing": "remove"}
THEIR_LINE = re.compile(r"^(\w+) done: elapsed_time=([0-9.]+)", re.MULTILINE)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONSOLE = os.path.join(ROOT, "artifacts", "bin", "BigPile.Perf", "release", "BigPile.Perf.dll")
HEAD = f"{'layer':<6}{'file':<11}{'threads':>7}  {'phase':<8}{'console':>8}{'least-most':>16}{'tkrzw':>9}{'least-most':>16}{'ratio':>8}"


def run(command):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {result.returncode}:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.stdout


def run_ours(options, layer, kind, threads, directory):
    """Gives the operations a second of each phase."""
    sizes = ["--size", options.size] if layer == "file" else ["--key-size", 8, "--value-size", options.value_size]
    command = ["dotnet", options.console, "sequence", "--layer", layer, "--file", kind, "--count", options.count, "--threads", threads]
    command += [*sizes, "--directory", directory, "--json"] + (["--random"] if options.random else [])
    row = json.loads(run([str(part) for part in command]))[0]
    return {phase: row[f"{phase}PerSecond"] for phase in LAYERS[layer]}


def run_theirs(options, layer, kind, threads, directory):
    """Gives the operations a second of each phase."""
    command = [PROGRAMS[layer], "sequence", "--file", kind, "--iter", options.count // threads, "--threads", threads]
    path = os.path.join(directory, "casket.tkh")
    if layer == "file":
        command += ["--size", options.size] + (["--random"] if options.random else []) + [path]
    else:
        command += ["--dbm", "hash", "--size", options.value_size, "--buckets", options.count, "--path", path]
        command += ["--set_only", "--get_only", "--remove_only"] + (["--random_key"] if options.random else [])
    os.mkdir(directory)
    found = THEIR_LINE.findall(run([str(part) for part in command]))
    shutil.rmtree(directory)
    rates = {THEIR_WORDS[word]: options.count / float(seconds) for word, seconds in found}
    if list(rates) != LAYERS[layer]:
        sys.exit(f"{PROGRAMS[layer]} printed times of {', '.join(rates) or 'nothing'}, and those of {LAYERS[layer]} are needed.")
    return rates


def measure(options, directory):
    """Gives all rates of each side, by layer, threads, kind and phase."""
    sides = {"console": run_ours, "tkrzw": run_theirs}
    rates = {}
    for number in range(options.rounds):
        for layer in options.layers:
            for threads in options.threads:
                for kind in options.files:
                    for side in sorted(sides, reverse=number % 2 == 1):
                        os.sync()  # what an earlier run wrote is not to be written during this one
                        figures = sides[side](options, layer, kind, threads, os.path.join(directory, side))
                        for phase, rate in figures.items():
                            rates.setdefault((layer, threads, kind, phase), {}).setdefault(side, []).append(rate)
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    return rates


def figures_of(rates):
    return f"{statistics.median(rates) / 1e6:.3f}", f"{min(rates) / 1e6:.3f}-{max(rates) / 1e6:.3f}"


def report(rates):
    print(HEAD)
    ratios = {}
    for (layer, threads, kind, phase), sides in rates.items():
        ratio = statistics.median(sides["console"]) / statistics.median(sides["tkrzw"])
        (ours, our_spread), (theirs, their_spread) = figures_of(sides["console"]), figures_of(sides["tkrzw"])
        print(f"{layer:<6}{kind:<11}{threads:>7}  {phase:<8}{ours:>8}{our_spread:>16}{theirs:>9}{their_spread:>16}{ratio:>8.2f}")
        ratios.setdefault(kind.split("-")[0], []).append((ratio, f"{layer} {kind}, threads: {threads}, {phase}"))
    for family, found in ratios.items():
        least, where = min(found)
        print(f"least ratio of {family}: {least:.2f} ({where})")


def check(options):
    for layer in options.layers:
        if layer not in LAYERS:
            sys.exit(f"--layers '{layer}' is unknown. Use file, hash or both.")
        if shutil.which(PROGRAMS[layer]) is None:
            sys.exit(f"{PROGRAMS[layer]} was not found. Install Debian's package tkrzw-utils: apt-get install tkrzw-utils")
    for kind in options.files:
        if kind not in KINDS:
            sys.exit(f"--files '{kind}' is unknown. Use any of {', '.join(KINDS)}.")
    for threads in options.threads:
        if threads < 1 or options.count < 1 or options.count % threads != 0:
            sys.exit(f"--count {options.count} can't be shared by {threads} threads: tkrzw gives each the same number.")
    if options.rounds < 1:
        sys.exit("--rounds must be a number from 1.")
    if not os.path.exists(options.console):
        sys.exit(f"{options.console} was not found. Build it: dotnet build perf/BigPile.Perf -c Release; or name it with --console.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=lambda text: text.split(","), default=list(LAYERS))
    parser.add_argument("--files", type=lambda text: text.split(","), default=KINDS)
    parser.add_argument("--threads", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--value-size", type=int, default=8)
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--directory", help="where the files are to be; the temporary directory by default")
    parser.add_argument("--console", default=CONSOLE)
    parser.add_argument("--json", help="a file for all figures")
    options = parser.parse_args()
    check(options)
    with tempfile.TemporaryDirectory(prefix="bigpile-compare-", dir=options.directory) as directory:
        rates = measure(options, directory)
    report(rates)
    if options.json:
        rows = [dict(zip(("layer", "threads", "file", "phase"), key)) | sides for key, sides in rates.items()]
        with open(options.json, "w") as file:
            json.dump(rows, file)


if __name__ == "__main__":
    main()
