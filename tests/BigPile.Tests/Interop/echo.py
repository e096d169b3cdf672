"""Reads MessagePack payloads as hexadecimal lines, and answers each with what it read (JSON) and what it writes again (hexadecimal)."""
import json
import sys

import msgpack


def plain(value):
    if isinstance(value, msgpack.Timestamp):
        return {"timestamp": value.to_unix_nano()}
    if isinstance(value, msgpack.ExtType):
        return {"ext": value.code, "data": value.data.hex()}
    if isinstance(value, bytes):
        return {"bin": value.hex()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {"map": [[plain(key), plain(item)] for key, item in value.items()]}
    return value


for line in sys.stdin:
    value = msgpack.unpackb(bytes.fromhex(line.strip()), strict_map_key=False)
    print(json.dumps(plain(value), separators=(",", ":"), ensure_ascii=True))
    print(msgpack.packb(value, use_bin_type=True).hex())
    sys.stdout.flush()
