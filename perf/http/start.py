#!/usr/bin/env python3
"""Measures how long a published server takes from its exec until it listens, answers a GET of an entry, and reports that it is ready.

  perf/http/start.py SERVER [--data DIRECTORY] [--starts N] [--kill] [--json FILE] [-- --Name=value ...]

SERVER is the executable or the BigPile.Server.dll of a publish. With --kill each server but the last is ended by kill -9, so that the next
finds a pile that was not closed; otherwise by SIGTERM. The first start is not counted: it warms the page cache, and puts the entry into
DIRECTORY's pile (a temporary one by default) if it has none. The three are awaited one after the other, all measured from the exec: the
readiness, which only the full HTTP stack answers, includes that stack's first request.
"""
import argparse, http.client, json, os, signal, socket, statistics, subprocess, sys, tempfile, time

ENTRY = "/v1/tables/start/entries/one"
PARTS = ["connect", "get", "ready"]
PATIENCE = 600


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server that was just started."""

    def __init__(self, path, data, settings, log):
        self.port = free_port()
        self.log = log
        command = ["dotnet", path] if path.endswith(".dll") else [path]
        command += [f"--urls=http://127.0.0.1:{self.port}", f"--Pile:Directory={data}", "--Server:LoadSample=false", *settings]
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=os.path.dirname(data))

    def wait(self, attempt):
        """Makes attempts until one gives true; gives the milliseconds since the exec."""
        while True:
            try:
                if attempt():
                    return (time.perf_counter() - self.started) * 1e3
            except (OSError, http.client.HTTPException):
                pass
            if self.process.poll() is not None or time.perf_counter() - self.started > PATIENCE:
                self.end(signal.SIGKILL)
                self.log.seek(0)
                sys.exit("The server ended, or was never ready:\n" + self.log.read())
            time.sleep(0.0005)

    def connects(self):
        socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE).close()
        return True

    def fetch(self, method, path, body=None):
        """Gives the status and the body of an answer, on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def send(self, method, path, body=None):
        return self.fetch(method, path, body)[0]

    def measure(self):
        return {
            "connect": self.wait(self.connects),
            "get": self.wait(lambda: self.send("GET", ENTRY) == 200),
            "ready": self.wait(lambda: self.send("GET", "/health/ready") == 200),
        }

    def end(self, how):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait()


def prepare(server):
    server.wait(lambda: server.send("GET", "/health/ready") == 200)
    if server.send("GET", ENTRY) == 404:
        assert server.send("PUT", ENTRY, b"one") in (200, 201, 204)


def row(name, figures):
    print(f"{name:>8}" + "".join(f"{figures[part]:>12.1f}" for part in PARTS), flush=True)


def run(options, data, log):
    how = signal.SIGKILL if options.kill else signal.SIGTERM
    server = Server(options.server, data, options.settings, log)
    prepare(server)
    server.end(how)
    print(f"{'ms':>8}" + "".join(f"{part:>12}" for part in PARTS))
    starts = []
    for number in range(1, options.starts + 1):
        server = Server(options.server, data, options.settings, log)
        starts.append(server.measure())
        server.end(how if number < options.starts else signal.SIGTERM)
        row(number, starts[-1])
    median = {part: statistics.median(start[part] for start in starts) for part in PARTS}
    row("median", median)
    return {"server": options.server, "kill": options.kill, "starts": starts, "median": median}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", type=os.path.abspath)
    parser.add_argument("--data", help="the pile's directory; a temporary one by default")
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--json", help="a file for the figures; - prints nothing else")
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:end])
    options.settings = sys.argv[end + 1:]
    out = sys.stdout
    if options.json == "-":
        sys.stdout = open(os.devnull, "w")
    with tempfile.TemporaryDirectory() as own, open(os.path.join(own, "log"), "w+") as log:
        figures = run(options, os.path.abspath(options.data or os.path.join(own, "pile")), log)
    if options.json == "-":
        json.dump(figures, out)
    elif options.json:
        with open(options.json, "w") as file:
            json.dump(figures, file)


if __name__ == "__main__":
    main()
