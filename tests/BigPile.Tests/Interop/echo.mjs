// Reads MessagePack payloads as hexadecimal lines, and answers each with what it read (JSON) and what it writes again (hexadecimal).
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.argv[2] + "/"));
const { decode, encode, ExtData, ExtensionCodec, decodeTimestampToTimeSpec, encodeTimeSpecToTimestamp } = require("@msgpack/msgpack");

class Timestamp {
  constructor(spec) { this.spec = spec; }
}

// The default turns timestamps into dates, which have milliseconds only.
const extensions = new ExtensionCodec();
extensions.register({
  type: -1,
  encode: (value) => (value instanceof Timestamp ? encodeTimeSpecToTimestamp(value.spec) : null),
  decode: (data) => new Timestamp(decodeTimestampToTimeSpec(data)),
});

const hex = (bytes) => Buffer.from(bytes).toString("hex");

function plain(value) {
  if (typeof value === "bigint") return `big:${value}`;
  if (value instanceof Timestamp) return { timestamp: `big:${BigInt(value.spec.sec) * 1000000000n + BigInt(value.spec.nsec)}` };
  if (value instanceof ExtData) return { ext: value.type, data: hex(value.data) };
  if (value instanceof Uint8Array) return { bin: hex(value) };
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === "object") return { map: Object.entries(value).map(([k, v]) => [plain(k), plain(v)]) };
  return value;
}

// Python writes large integers as bare numbers, and characters beyond ASCII as escapes: the same here.
const text = (value) => JSON.stringify(value)
  .replace(/"big:(-?\d+)"/g, "$1")
  .replace(/[\u007f-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

createInterface({ input: process.stdin }).on("line", (line) => {
  const value = decode(Buffer.from(line.trim(), "hex"), { extensionCodec: extensions, useBigInt64: true });
  console.log(text(plain(value)));
  console.log(hex(encode(value, { extensionCodec: extensions, useBigInt64: true })));
});
