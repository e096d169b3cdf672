#!/usr/bin/env python3
"""Searches for the most expensive request of each route: the one that costs the server most for what it takes to send.

  perf/http/dearest.py [--server DLL] [--seconds S] [--seed N] [--json FILE] [--again FILE]

Starts a server on its own pile. For S seconds per route it mutates a request at random, and keeps a mutation that costs more processor
time, more processor time per byte sent, or more bytes allocated and answered per byte sent. Prints the ten most expensive by processor
time, with the server's allocations. The same seed makes the same first requests; what is kept depends on the clock. The figures come from
/v1/stats, so other load on the machine adds little to them.
--again sends the requests that an earlier search wrote with --json, for example to another server, instead of searching.
"""
import argparse, base64, gzip, http.client, json, os, random, shutil, signal, socket, struct, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Zeros in brotli: so many MiB in so few bytes.
BOMBS = {1: "W///j38CIB4LBHLvHwA=", 4: "m///P/gnAOKxQCD3/gc=", 16: "y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v3f",
         32: "y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC6938D"}
KEYS = 20_000
GENES = 9
CURSOR = [b""]


class Server:
    def __init__(self, dll, *settings):
        self.directory = tempfile.mkdtemp()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = open(os.path.join(self.directory, "log"), "w+")
        self.process = subprocess.Popen(
            ["dotnet", dll, f"--urls=http://127.0.0.1:{self.port}", f"--Pile:Directory={self.directory}/pile", "--Server:LoadSample=false",
             "--Serilog:MinimumLevel:Default=Error", *settings], stdout=self.log, stderr=self.log)
        while True:
            try:
                if self.send("GET", "/health/ready")[0] == 200:
                    return
            except OSError:
                pass
            if self.process.poll() is not None:
                self.log.seek(0)
                sys.exit(self.log.read())
            time.sleep(0.05)

    def send(self, method, path, body=None, headers={}, timeout=600):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            length = 0
            while part := answer.read(1 << 20):
                length += len(part)
            return answer.status, length
        finally:
            connection.close()

    def figures(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("GET", "/v1/stats")
        process = json.loads(connection.getresponse().read())["process"]
        connection.close()
        return process["processorSeconds"], process["allocatedBytes"]

    def fill(self):
        value = "x" * 100
        for start in range(0, KEYS, 5_000):
            items = ",".join(f'{{"key":"{i}","text":"{value}","tags":["t{i % 100}"]}}' for i in range(start, start + 5_000))
            assert self.send("POST", "/v1/tables/t:mset", f'{{"items":[{items}]}}'.encode())[0] == 200
        self.send("PUT", "/v1/tables/t/entries/large", bytes(1 << 20))
        self.send("PUT", "/v1/tables/t/entries/bomb", base64.b64decode(BOMBS[16]), {"Content-Encoding": "br"})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("GET", "/v1/tables/t/keys?limit=1")
        cursor = json.loads(connection.getresponse().read())["cursor"]
        connection.close()
        CURSOR[0] = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))

    def stop(self):
        started = time.time()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait()
        self.log.close()
        shutil.rmtree(self.directory)
        return code, time.time() - started


# ---- routes: each makes a request (method, path, body, headers) from genes, which are numbers from 0 to 1

def some(gene, *values):
    return values[min(int(gene * len(values)), len(values) - 1)]


def count(gene, most):
    return max(1, int(most ** gene))


def get(g):
    key = some(g[0], "1", "none", "large", "bomb")
    return "GET", f"/v1/tables/t/entries/{key}", None, {"Accept-Encoding": some(g[1], "identity", "br", "*;q=0.1, " * 50), "If-None-Match": some(g[2], '"x"', '"x",' * 500 + '"y"')}


def put(g):
    kind = some(g[0], "plain", "br", "gzip")
    if kind == "plain":
        return "PUT", "/v1/tables/p/entries/k", bytes(count(g[1], 1 << 20)), {"BigPile-Tags": ",".join(f"t{i}" for i in range(count(g[2], 16)))}
    body = base64.b64decode(BOMBS[some(g[1], 1, 4, 16, 32)]) if kind == "br" else gzip.compress(bytes(count(g[1], 31 << 20)), 9)
    return "PUT", "/v1/tables/p/entries/k", body, {"Content-Encoding": kind}


def item(g, i):
    kind = some(g[0], "bomb", "text", "value", "escaped", "wrong", "gzip")
    if kind == "bomb":
        return f'{{"key":"{i}","encoding":"br","base64":"{BOMBS[some(g[1], 1, 4, 16, 32)]}"}}'
    if kind == "gzip":
        return f'{{"key":"{i}","encoding":"gzip","base64":"{base64.b64encode(gzip.compress(bytes(count(g[1], 1 << 20)))).decode()}"}}'
    if kind == "value":
        depth = count(g[1], 60)
        return f'{{"key":"{i}","value":{"[" * depth}{"]" * depth}}}'
    if kind == "escaped":
        return f'{{"key":"{"%05d" % i}{chr(92)}u00e9","text":"{(chr(92) + "u0041") * count(g[1], 200)}"}}'
    if kind == "wrong":
        return f'{{"key":"{i}","{"n" * count(g[1], 500)}":1}}'
    return f'{{"key":"{i}","text":"{"x" * count(g[1], 1000)}","ttl":"1h","tags":["a","b","c","d"]}}'


def mset(g):
    items = ",".join(item(g[1:], i) for i in range(count(g[0], 10_000)))
    return "POST", "/v1/tables/p:mset", f'{{"items":[{items}]}}'.encode(), {"Content-Type": "application/json"}


def frames(g):
    payload = base64.b64decode(BOMBS[16]) if g[1] < 0.5 else bytes(count(g[2], 1000))
    parts = [struct.pack("<IHBBHHIQ", len(payload), 6, 0, 2 if g[1] < 0.5 else 0, 0, 0, 0, 0) + b"%06d" % i + payload for i in range(count(g[0], 10_000))]
    return "POST", "/v1/tables/p:mset", b"".join(parts), {"Content-Type": "application/vnd.bigpile.batch"}


def keys_of(g, name):
    n = count(g[0], 10_000)
    kind = some(g[1], "hit", "miss", "large", "escaped", "long")
    keys = {"hit": lambda i: str(i), "miss": lambda i: f"m{i}", "large": lambda i: "large", "escaped": lambda i: "\\u00e9" * 20 + str(i),
            "long": lambda i: "k" * 900 + str(i)}[kind]
    text = ",".join(f'"{keys(i)}"' for i in range(n))
    return f'{{"{name}":[{text}]}}'.encode()


def mget(g):
    form = some(g[2], "application/json", "multipart/mixed", "application/vnd.bigpile.batch")
    return "POST", "/v1/tables/t:mget", keys_of(g, "keys"), {"Content-Type": "application/json", "Accept": form}


def mdelete(g):
    return "POST", "/v1/tables/p:mdelete", keys_of(g, "keys"), {"Content-Type": "application/json"}


def evict(g):
    return "POST", "/v1/tables/p:evict", keys_of(g, "tags"), {"Content-Type": "application/json"}


def load(g):
    lines = "".join(item(g[2:], i) + "\n" for i in range(count(g[0], 20_000))).encode()
    if g[1] < 0.3:
        lines = gzip.compress(some(g[2], lines, b"\n" * count(g[0], 16 << 20), b"{}\n" * count(g[0], 4 << 20), b"x\n" * count(g[0], 4 << 20), b"{\n" * count(g[0], 4 << 20)), 9)
        return "POST", "/v1/tables/p:load", lines, {"Content-Encoding": "gzip"}
    return "POST", "/v1/tables/p:load" + ("?key=key" if g[1] > 0.8 else ""), lines, {}


def cursor_of(g):
    """A cursor of the table, with each of its words left as it is or made up; only the last four bytes say what it is good for."""
    real = CURSOR[0] + b"\0" * (-len(CURSOR[0]) % 8)
    words = [some(x, word, 0, 1, 1 << int(x * 631) % 63) for x, word in zip(g[4:], struct.unpack(f"<{len(real) // 8}Q", real))]
    made = struct.pack(f"<{len(words)}Q", *words)[:len(CURSOR[0]) - 4] + CURSOR[0][-4:]
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def listing(g):
    cursor = f"&cursor={cursor_of(g)}" if g[3] < 0.5 else ""
    return ("GET", f"/v1/tables/t/keys?limit={count(g[0], 10_000)}&prefix={some(g[1], '', '1', 'none', 'x' * 4000)}{cursor}", None,
            {"Accept": some(g[2], "*/*", "application/x-ndjson")})


def reports(g):
    return "GET", some(g[0], "/v1/access", "/v1/tables", "/v1/tables/t", "/v1/tables/t/entries/large?look=true", "/v1/stats", "/v1/memory", "/metrics", "/v1/operations", "/openapi/v1.json", "/"), None, {}


def export(g):
    return "GET", "/v1/tables/t:export", None, {}


def table(g):
    member = some(g[0], '"defaultTtl":"1h"', '"x":1', '"collisionMode":"durable"', f'"initialEntries":{count(g[2], 1 << 36)}', f'"maximumBytes":{count(g[2], 1 << 62)}')
    return "PUT", "/v1/tables/p", ("{" + ",".join([member] * count(g[1], 20_000)) + "}").encode(), {}


ROUTES = {"GET entry": get, "PUT entry": put, ":mset (JSON)": mset, ":mset (binary)": frames, ":mget": mget, ":mdelete": mdelete, ":evict": evict,
          ":load": load, "keys": listing, "reports": reports, ":export": export, "PUT table": table}


RANKS = (lambda one: one["cpu_ms"], lambda one: one["cpu_ms"] / one["sent"], lambda one: (one["allocated"] + one["answer"]) / one["sent"])


def sent_bytes(request):
    method, path, body, headers = request
    return len(method) + len(path) + 60 + len(body or b"") + sum(len(k) + len(v) + 4 for k, v in headers.items())


def measure(server, request, least_seconds=0.05, most=40):
    before, allocated = server.figures()
    times = 0
    while True:
        try:
            status, length = server.send(*request)
        except OSError:
            status, length = "reset", 0
        times += 1
        if times in (1, 5, 15, most):
            after, now = server.figures()
            if after - before >= least_seconds or times == most:
                return {"status": status, "cpu_ms": (after - before) / times * 1000, "allocated": (now - allocated) / times,
                        "sent": sent_bytes(request), "answer": length}


def search(server, name, seconds, rng, rank):
    best = None
    genes = None
    end = time.time() + seconds
    while time.time() < end or best is None:
        tried = [rng.random() for _ in range(GENES)] if genes is None or rng.random() < 0.4 else [
            min(1, max(0, x + rng.gauss(0, 0.2))) if rng.random() < 0.4 else x for x in genes]
        request = ROUTES[name](tried)
        found = measure(server, request)
        found.update(route=name, request=f"{request[0]} {request[1][:60]}", headers=request[3], start=(request[2] or b"")[:60].decode("latin1"))
        if best is None or rank(found) > rank(best):
            best, genes = found, tried
            best["_request"] = request
    return best


def again(server, file):
    found = []
    for one in json.load(open(file)):
        method, path, body, headers = one["sent_request"]
        request = (method, path, base64.b64decode(body) or None, headers)
        one.update(measure(server, request), _request=request)
        found.append(one)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default=os.path.join(ROOT, "artifacts/bin/BigPile.Server/release/BigPile.Server.dll"))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--json")
    parser.add_argument("--again")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    print(f"seed {options.seed}")
    rng = random.Random(options.seed)
    server = Server(options.server)
    try:
        server.fill()
        found = again(server, options.again) if options.again else []
        for name in ROUTES if not options.again else ():
            for rank in RANKS:
                found.append(search(server, name, options.seconds / len(RANKS), rng, rank))
        found.sort(key=lambda one: -one["cpu_ms"])
        print(f"{'route':16} {'CPU ms':>9} {'us/byte':>9} {'sent B':>9} {'answer B':>10} {'alloc B':>11} status  request")
        for one in found[:10]:
            print(f"{one['route']:16} {one['cpu_ms']:9.2f} {one['cpu_ms'] * 1000 / one['sent']:9.3f} {one['sent']:9} {one['answer']:10} "
                  f"{one['allocated']:11.0f} {one['status']:6}  {one['request']} {str(one['headers'])[:60]} {one['start']!r}")
        if options.json:
            for one in found:
                method, path, body, headers = one.pop("_request")
                one["sent_request"] = [method, path, base64.b64encode(body or b"").decode(), headers]
            with open(options.json, "w") as file:
                json.dump(found, file, indent=1)
    finally:
        print("stop:", server.stop())


if __name__ == "__main__":
    main()
