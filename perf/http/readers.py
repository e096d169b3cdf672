#!/usr/bin/env python3
"""Measures puts beside clients that read nothing, and clients that read a little at a time.

  perf/http/readers.py [--server DLL] [--idle 300] [--trickling 64] [--seconds 60] [--replace SECONDS] [-- SETTING…]

Each reader requests an entry of 8 MB. Idle readers read nothing of the answer; trickling ones read 1 KB a second. With --replace the entry
is replaced at that interval, so that readers hold an old version. Meanwhile two clients put 1 MB, one after the other.
Prints the puts by status, their p50, p99 and maximum, and how many readers were aborted.
"""
import argparse, collections, http.client, os, socket, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dearest import ROOT, Server

ENTRY = "/v1/tables/t/entries/large"


def reader(port):
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.sendall(f"GET {ENTRY} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return connection


def trickle(connection, stop, cut):
    connection.settimeout(1)
    while not stop.is_set():
        try:
            if not connection.recv(1024):
                cut.append(1)
                return
        except TimeoutError:
            continue
        except OSError:
            cut.append(1)
            return
        stop.wait(1)


def put(port, number, stop, statuses, times):
    body = os.urandom(1 << 20)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for i in range(1 << 30):
        if stop.is_set():
            return
        began = time.perf_counter()
        connection.request("PUT", f"/v1/tables/t/entries/{number}-{i % 50}", body)
        answer = connection.getresponse()
        answer.read()
        times.append(time.perf_counter() - began)
        statuses[answer.status] += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default=os.path.join(ROOT, "artifacts/bin/BigPile.Server/release/BigPile.Server.dll"))
    parser.add_argument("--idle", type=int, default=300)
    parser.add_argument("--trickling", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--replace", type=float, default=0)
    parser.add_argument("settings", nargs="*")
    asked = parser.parse_args()
    server = Server(asked.server, "--Limits:MinResponseBytesPerSecond=0", *asked.settings)
    stop, cut, statuses, times = threading.Event(), [], collections.Counter(), []
    try:
        large = os.urandom(8 << 20)
        assert server.send("PUT", ENTRY, large)[0] == 201
        readers = [reader(server.port) for _ in range(asked.idle + asked.trickling)]
        work = [threading.Thread(target=trickle, args=(one, stop, cut)) for one in readers[asked.idle:]]
        work += [threading.Thread(target=put, args=(server.port, i, stop, statuses, times)) for i in range(2)]
        for one in work:
            one.start()
        end = time.time() + asked.seconds
        while time.time() < end:
            time.sleep(min(asked.replace or asked.seconds, max(0.0, end - time.time())))
            if asked.replace:
                statuses[server.send("PUT", ENTRY, large)[0]] += 1
        stop.set()
        for one in work:
            one.join()
    finally:
        stop.set()
        for one in readers:
            one.close()
        code, _ = server.stop()
    times.sort()
    print(f"{asked.idle} idle, {asked.trickling} trickling, replaced every {asked.replace or 'no'} s: puts "
          + ", ".join(f"{status} x {count}" for status, count in sorted(statuses.items()))
          + f"; p50 {times[len(times) // 2] * 1000:.1f} ms, p99 {times[int(len(times) * 0.99)] * 1000:.1f} ms, "
          f"longest {times[-1] * 1000:.1f} ms; trickling ones cut off {len(cut)}; exit {code}")


if __name__ == "__main__":
    main()
