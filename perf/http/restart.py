#!/usr/bin/env python3
"""Measures how long a published server with a large table takes, from its exec, until it answers a GET of an entry of the time before.

  perf/http/restart.py --server SERVER --data DIRECTORY [--entries N,N,...] [--value-bytes B] [--starts N] [--json FILE] [-- --Name=value ...]

For each number of entries, fills a pile in DIRECTORY with a table of that size. Then repeatedly: connections put new entries and replace
old ones for some seconds; meanwhile the server is ended, first by kill -9 and later by SIGTERM; a new one is started. The first GET asks
for an entry that was put just before the end, and must return it. Then other entries whose puts had returned are compared. For a put that
had not returned, the old and the new value are both right; any other value makes the exit code 1. All files are removed at the end.

"connect", "get" and "ready" are milliseconds from the exec, awaited one after the other. "end" is the milliseconds from the signal to the
end of the previous process. "cpu" is the new process's processor time until its first answer, over all threads: the figure that other load
on the machine affects least.
"""
import argparse, asyncio, http.client, json, os, random, shutil, signal, statistics, struct, sys, tempfile, threading, time

from start import PARTS, Server

TABLE = "/v1/tables/restart"
BATCH = "application/vnd.bigpile.batch"
ITEMS = 2_500         # of a batch of the fill: with more bytes batches would take turns
FILLERS = 2
CONNECTIONS = 4
SECONDS = 3
COMPARED = 500        # entries after each start
ENDS = {"kill": signal.SIGKILL, "stop": signal.SIGTERM}
COLUMNS = ["end", *PARTS, "cpu"]
BLOCK = b"@@@@@@"     # of a key: the number of its batch; four digits of the item follow


def entry_bytes(value_bytes):
    return value_bytes + 80  # with its key, its header, slack, and its share of the index


def key_of(number):
    return b"%06d%04d" % divmod(number, ITEMS)


def value_of(key, version, value_bytes):
    return (b"%s=%09d;" % (key, version) * (value_bytes // 10 + 1))[:value_bytes]


def fill(server, entries, value_bytes):
    """Puts the entries in batches, on connections of their own; gives the seconds."""
    def item(number):
        key = BLOCK + b"%04d" % number
        return struct.pack("<IHBBHHIQ", value_bytes, len(key), 0, 0, 0, 0, 0, 0) + key + value_of(key, 0, value_bytes)

    items = [item(number) for number in range(ITEMS)]
    whole, failures = b"".join(items), []

    def put(first):
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        try:
            for block in range(first, (entries + ITEMS - 1) // ITEMS, FILLERS):
                count = min(ITEMS, entries - block * ITEMS)
                body = whole if count == ITEMS else b"".join(items[:count])
                connection.request("POST", TABLE + ":mset", body.replace(BLOCK, b"%06d" % block), {"Content-Type": BATCH, "Accept": BATCH})
                answer = connection.getresponse()
                heads = answer.read()
                if answer.status != 200 or len(heads) != 24 * count or not set(heads[8::24]) <= {200, 201, 204}:
                    raise ValueError(f"a batch was answered with {answer.status}: {heads[:300]}")
        except Exception as failure:
            failures.append(failure)

    started = time.perf_counter()
    threads = [threading.Thread(target=put, args=(first,)) for first in range(FILLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        server.end(signal.SIGKILL)
        sys.exit(f"The table could not be filled: {failures[0]}")
    return time.perf_counter() - started


class Load:
    """Puts to a server until it ends, and what must be there then."""

    def __init__(self, entries, value_bytes):
        self.entries, self.value_bytes = entries, value_bytes
        self.right = {}   # of each key that was put: the values that are right
        self.version = 0
        self.last = None  # the key of the put that returned last

    def draw(self, connection):
        """A key of a connection's own: of an entry that was there, or a new one."""
        self.version += 1
        if random.random() < 0.5:
            return b"new-%d-%09d" % (connection, self.version)
        return key_of(random.randrange(self.entries // CONNECTIONS) * CONNECTIONS + connection)

    async def put(self, server, connection):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            while True:
                key = self.draw(connection)
                value = value_of(key, self.version, self.value_bytes)
                before = self.right.get(key) or ([None] if key.startswith(b"new") else [value_of(key, 0, self.value_bytes)])
                self.right[key] = before + [value]
                writer.write(b"PUT %s/entries/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (
                    TABLE.encode(), key, len(value), value))
                head = await reader.readuntil(b"\r\n\r\n")
                if not head.startswith((b"HTTP/1.1 201", b"HTTP/1.1 204")):
                    break  # the server stops
                self.right[key], self.last = [value], key
        except (OSError, asyncio.IncompleteReadError):
            pass  # the server ended
        finally:
            writer.close()

    async def run(self, server, how):
        puts = [asyncio.create_task(self.put(server, connection)) for connection in range(CONNECTIONS)]
        await asyncio.sleep(SECONDS)
        ended = time.perf_counter()
        server.process.send_signal(how)
        await asyncio.gather(*puts)
        await asyncio.to_thread(server.process.wait)
        if self.last is None:
            sys.exit("No put had returned when the server was ended.")
        return (time.perf_counter() - ended) * 1e3

    def compare(self, server):
        """Compares entries: all of unfinished puts, and some of the others."""
        unsure = [key for key, values in self.right.items() if len(values) > 1]
        some = random.sample(list(self.right), min(COMPARED, len(self.right)))
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        wrong = 0
        for key in unsure + some:
            connection.request("GET", f"{TABLE}/entries/{key.decode()}")
            answer = connection.getresponse()
            found = answer.read() if answer.status == 200 else answer.read() and None
            wrong += found not in self.right[key]
            self.right[key] = [found]
        connection.close()
        return wrong


def processor_ms(server):
    with open(f"/proc/{server.process.pid}/stat") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * 1e3 / os.sysconf("SC_CLK_TCK")


def measure(server, load):
    path, right = f"{TABLE}/entries/{load.last.decode()}", load.right[load.last]
    misses = 0

    def get():
        nonlocal misses
        status, body = server.fetch("GET", path)
        if status == 200 and body not in right:
            server.end(signal.SIGKILL)
            sys.exit(f"The entry {load.last.decode()} came back as {body}, and {right} was put.")
        misses += status == 404
        return status == 200

    figures = {"connect": server.wait(server.connects), "get": server.wait(get), "cpu": processor_ms(server)}
    return {**figures, "ready": server.wait(lambda: server.send("GET", "/health/ready") == 200), "misses": misses}


def row(name, figures):
    print(f"{name:>8}" + "".join(f"{figures[column]:>12.1f}" for column in COLUMNS), flush=True)


def restart(options, data, log, server, load, end):
    starts = []
    print(f"{end + ', ms':>8}" + "".join(f"{column:>12}" for column in COLUMNS))
    try:
        for number in range(1, options.starts + 1):
            ms = asyncio.run(load.run(server, ENDS[end]))
            server = Server(options.server, data, options.settings, log)
            figures = {"end": ms, **measure(server, load), "wrong": load.compare(server)}
            starts.append(figures)
            row(number, figures)
    except BaseException:
        server.end(signal.SIGKILL)
        raise
    median = {column: statistics.median(one[column] for one in starts) for column in COLUMNS}
    row("median", median)
    print(f"{len(load.right):,} entries put beside; missed before the first get: {sum(one['misses'] for one in starts)}, "
          f"wrong after it: {sum(one['wrong'] for one in starts)}", flush=True)
    return server, {"starts": starts, "median": median}


def run(options, entries, data, log):
    server = Server(options.server, data, options.settings, log)
    try:
        server.wait(lambda: server.send("GET", "/health/ready") == 200)
        seconds = fill(server, entries, options.value_bytes)
        print(f"\n{entries:,} entries of {options.value_bytes} bytes, put in {seconds:.1f} s", flush=True)
        load = Load(entries, options.value_bytes)
        figures = {"entries": entries, "fillSeconds": seconds}
        for end in ENDS:
            server, figures[end] = restart(options, data, log, server, load, end)
        return figures
    finally:
        server.end(signal.SIGKILL)


def require_room(directory, entries, value_bytes):
    needed, free = entries * entry_bytes(value_bytes) + (1 << 30), shutil.disk_usage(directory).free
    if needed > free:
        sys.exit(f"{entries:,} entries of {value_bytes} bytes need {needed / 1e9:.1f} GB in {directory}, and {free / 1e9:.1f} are free.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", type=os.path.abspath, required=True, help="the executable or the BigPile.Server.dll of a publish")
    parser.add_argument("--data", type=os.path.abspath, required=True, help="a directory, in which one is made and removed")
    parser.add_argument("--entries", type=lambda text: [int(part) for part in text.split(",")], default=[1_000_000, 8_000_000, 40_000_000])
    parser.add_argument("--value-bytes", type=int, default=60)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--json", help="a file for the figures; - prints nothing else")
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:end])
    options.settings = sys.argv[end + 1:]
    if min(options.entries) < CONNECTIONS or options.value_bytes < 20:
        parser.error(f"a table has {CONNECTIONS} entries at least, and a value 20 bytes")
    out = sys.stdout
    if options.json == "-":
        sys.stdout = open(os.devnull, "w")
    made = not os.path.exists(options.data)
    os.makedirs(options.data, exist_ok=True)
    require_room(options.data, max(options.entries), options.value_bytes)
    all_figures = []
    for entries in options.entries:
        with tempfile.TemporaryDirectory(dir=options.data) as own, open(os.path.join(own, "log"), "w+") as log:
            all_figures.append(run(options, entries, os.path.join(own, "pile"), log))
    if made:
        os.rmdir(options.data)
    ratios = {}
    for end in ENDS:
        medians = [figures[end]["median"]["get"] for figures in all_figures]
        ratios[end] = max(medians) / min(medians)
        print(f"\n{end}: exec to the first get, {', '.join(f'{ms:.1f}' for ms in medians)} ms; the largest is {ratios[end]:.2f} times the smallest")
    figures = {"server": options.server, "valueBytes": options.value_bytes, "tables": all_figures, "ratios": ratios}
    if options.json == "-":
        json.dump(figures, out)
    elif options.json:
        with open(options.json, "w") as file:
            json.dump(figures, file)
    if any(one["wrong"] for table in all_figures for end in ENDS for one in table[end]["starts"]):
        sys.exit(1)


if __name__ == "__main__":
    main()
