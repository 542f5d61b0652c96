// Frames and envelopes on a TCP stream, after proto/WIRE.md and proto/isostep/v1/*.proto alone.
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const PROTO_DIR = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../proto");
const FRAME_MAX_SERVER = 65536;

const root = new protobuf.Root();
root.resolvePath = (_origin, target) => path.join(PROTO_DIR, target);
root.loadSync("isostep/v1/envelope.proto", { keepCase: true });
const Envelope = root.lookupType("isostep.v1.Envelope");

export class WireError extends Error {}

/// 64-bit fields come as Long; ticks and sequences are below 2^53, roots and ids are not.
export const number = (value) => (typeof value === "number" ? value : value.toNumber());
export const bigint = (value) => BigInt.asUintN(64, BigInt(value.toString()));

/// Cuts a stream into frames, whatever parts it arrives in.
export class Framer {
  #bytes = Buffer.alloc(0);

  /// Returns the frames that are whole now.
  feed(chunk) {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const frames = [];
    for (let frame = this.#take(); frame !== null; frame = this.#take()) {
      frames.push(frame);
    }
    return frames;
  }

  #take() {
    let size = 0;
    for (let i = 0; i < 5; i++) {
      if (i >= this.#bytes.length) {
        return null;
      }
      const byte = this.#bytes[i];
      if (byte === 0 || (i === 4 && byte > 0x0f)) {
        throw new WireError("a frame's size is not in its shortest form");
      }
      size += (byte & 0x7f) * 2 ** (7 * i);
      if (byte >= 0x80) {
        continue;
      }
      if (size > FRAME_MAX_SERVER) {
        throw new WireError(`a frame of ${size} bytes`);
      }
      if (this.#bytes.length < i + 1 + size) {
        return null;
      }
      const frame = this.#bytes.subarray(i + 1, i + 1 + size);
      this.#bytes = this.#bytes.subarray(i + 1 + size);
      return frame;
    }
    throw new WireError("a frame's size has more than 5 bytes");
  }
}

export function encode(kind, message) {
  const envelope = Envelope.create({ [kind]: message });
  const problem = Envelope.verify(envelope);
  if (problem !== null) {
    throw new WireError(`${kind}: ${problem}`);
  }
  return Envelope.encodeDelimited(envelope).finish();
}

/// Returns { kind, message }; kind is null for what this version does not know.
export function decode(frame) {
  const envelope = Envelope.decode(frame);
  const kind = envelope.message ?? null;
  return { kind, message: kind === null ? null : envelope[kind] };
}

/// A connection whose messages are handed to `onMessage(kind, message)`; `onEnd(error or null)` comes once. After `close`
/// no message is handed on: the server may send until it reads the end, and a member that comes back by then has said
/// already what it knew.
export class Connection {
  bytesIn = 0;
  bytesOut = 0;
  #socket;
  #ended = false;
  #closed = false;

  constructor(host, port, onMessage, onEnd) {
    const framer = new Framer();
    const end = (error) => {
      if (!this.#ended) {
        this.#ended = true;
        this.#socket.destroy();
        onEnd(error);
      }
    };
    this.#socket = net.connect({ host, port, noDelay: true });
    this.#socket.on("error", end);
    this.#socket.on("close", () => end(null));
    this.#socket.on("data", (chunk) => {
      this.bytesIn += chunk.length;
      try {
        for (const frame of framer.feed(chunk)) {
          const { kind, message } = decode(frame);
          if (kind !== null && !this.#ended && !this.#closed) {
            onMessage(kind, message);
          }
        }
      } catch (error) {
        end(error);
      }
    });
  }

  send(kind, message) {
    if (!this.#ended) {
      const bytes = encode(kind, message);
      this.bytesOut += bytes.length;
      this.#socket.write(bytes);
    }
  }

  close() {
    this.#closed = true;
    this.#socket.end();
  }
}
