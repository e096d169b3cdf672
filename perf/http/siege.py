#!/usr/bin/env python3
"""Repeats 40 of the most expensive requests beside wrk's reads: the reads' latency before, during and after, and the time of a shutdown.

  perf/http/siege.py [--server DLL] [--seconds S] [--clients N]

Needs wrk. SIGTERM is sent while the expensive requests run; a second figure is the shutdown of a server with reads only.
"""
import argparse, os, re, subprocess, threading, time
from dearest import BOMBS, ROOT, Server, mset

# The most expensive that the search finds: a batch of bombs, of 16 and of 1 MiB, lines of them, and reads of many large values.
GENES = {"16 MiB": [0.575, 0.0, 0.6], "1 MiB": [0.95, 0.0, 0.1]}


def besiege(server, stop, counts):
    requests = [mset(genes) for genes in GENES.values()]
    requests.append(("POST", "/v1/tables/t:mget", b'{"keys":[' + b",".join([b'"large"'] * 31) + b"]}", {"Content-Type": "application/json"}))
    while not stop.is_set():
        for request in requests:
            try:
                status = server.send(*request)[0]
            except OSError:
                status = "cut off"
            counts[status] = counts.get(status, 0) + 1
            if stop.is_set():
                return


def wrk(server, seconds):
    out = subprocess.run(["wrk", "-t1", "-c16", f"-d{seconds}s", "--timeout", "60s", "--latency", f"http://127.0.0.1:{server.port}/v1/tables/t/entries/1"],
                         capture_output=True, text=True).stdout
    part = lambda pattern: (re.search(pattern, out) or [None, "-"])[1]
    return f"{part(r'Requests/sec: *(.*)'):>10} req/s  p50 {part('50% *(.*)'):>9}  p99 {part('99% *(.*)'):>9}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default=os.path.join(ROOT, "artifacts/bin/BigPile.Server/release/BigPile.Server.dll"))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--clients", type=int, default=40)
    options = parser.parse_args()
    server = Server(options.server, "--Server:DrainSeconds=5")
    server.fill()
    wrk(server, options.seconds)
    print("before:", wrk(server, options.seconds), flush=True)
    stop, counts = threading.Event(), {}
    clients = [threading.Thread(target=besiege, args=(server, stop, counts), daemon=True) for _ in range(options.clients)]
    for client in clients:
        client.start()
    time.sleep(1)
    print("during:", wrk(server, options.seconds), flush=True)
    cpu = server.figures()[0]
    stop.set()
    started = time.time()
    for client in clients:
        client.join()
    print(f"the last of {options.clients} ended after {time.time() - started:.1f} s and {server.figures()[0] - cpu:.1f} s of CPU; answers: {counts}", flush=True)
    print("after: ", wrk(server, options.seconds), flush=True)
    stop.clear()
    for _ in range(options.clients):
        threading.Thread(target=besiege, args=(server, stop, counts), daemon=True).start()
    time.sleep(2)
    code, seconds = server.stop()
    stop.set()
    print(f"SIGTERM to exit, under siege: {seconds:.1f} s, code {code} (DrainSeconds=5)")


if __name__ == "__main__":
    main()
