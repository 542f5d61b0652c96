// Envelopes in frames on a TCP stream, or in WebSocket messages, after proto/WIRE.md and proto/isostep/v1/*.proto
// alone.
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";
import WebSocket from "ws";

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
  return Envelope.encode(envelope).finish();
}

/// Returns { kind, message }; kind is null for what this version does not know.
export function decode(frame) {
  const envelope = Envelope.decode(frame);
  const kind = envelope.message ?? null;
  return { kind, message: kind === null ? null : envelope[kind] };
}

/// Puts the size in front of an envelope.
function frame(bytes) {
  const writer = protobuf.Writer.create();
  return writer.bytes(bytes).finish();
}

/// Whole envelopes over TCP. Calls onEnvelope(bytes) and, at least once, onEnd(error or null).
class TcpLink {
  #socket;

  constructor(host, port, onEnvelope, onEnd) {
    const framer = new Framer();
    this.#socket = net.connect({ host, port, noDelay: true });
    this.#socket.on("error", onEnd);
    this.#socket.on("close", () => onEnd(null));
    this.#socket.on("data", (chunk) => {
      try {
        framer.feed(chunk).forEach(onEnvelope);
      } catch (error) {
        onEnd(error);
      }
    });
  }

  send(bytes) {
    this.#socket.write(frame(bytes));
  }

  close() {
    this.#socket.end();
  }

  destroy() {
    this.#socket.destroy();
  }
}

/// The same over WebSocket.
class WebLink {
  #socket;
  #waiting = []; // until the socket is open

  constructor(host, port, onEnvelope, onEnd) {
    this.#socket = new WebSocket(`${host}:${port}/v1/socket`, "isostep.v1", { perMessageDeflate: true });
    this.#socket.on("error", onEnd);
    this.#socket.on("close", () => onEnd(null));
    this.#socket.on("open", () => {
      if (this.#socket.protocol !== "isostep.v1" || this.#socket.extensions !== "") {
        onEnd(new WireError(`subprotocol ${this.#socket.protocol}, extensions ${this.#socket.extensions}`));
      }
      this.#waiting.forEach((bytes) => this.#socket.send(bytes));
      this.#waiting = null;
    });
    this.#socket.on("message", (bytes, isBinary) => {
      if (!isBinary || bytes.length > FRAME_MAX_SERVER) {
        onEnd(new WireError(`a message of ${bytes.length} bytes, binary: ${isBinary}`));
        return;
      }
      onEnvelope(bytes);
    });
  }

  send(bytes) {
    if (this.#waiting !== null) {
      this.#waiting.push(bytes);
    } else {
      this.#socket.send(bytes);
    }
  }

  close() {
    this.#socket.close();
  }

  destroy() {
    this.#socket.terminate();
  }
}

/// A connection whose messages are handed to `onMessage(kind, message)`; `onEnd(error or null)` comes once. After
/// `close` no message is handed on: the server may send until it reads the end, and a member that comes back by then
/// has said already what it knew. A host that begins with "ws://" is spoken to over WebSocket.
export class Connection {
  bytesIn = 0;
  bytesOut = 0;
  #link;
  #ended = false;
  #closed = false;

  constructor(host, port, onMessage, onEnd) {
    const end = (error) => {
      if (!this.#ended) {
        this.#ended = true;
        this.#link.destroy();
        onEnd(error);
      }
    };
    const take = (bytes) => {
      this.bytesIn += bytes.length;
      try {
        const { kind, message } = decode(bytes);
        if (kind !== null && !this.#ended && !this.#closed) {
          onMessage(kind, message);
        }
      } catch (error) {
        end(error);
      }
    };
    this.#link = host.startsWith("ws://") ? new WebLink(host, port, take, end) : new TcpLink(host, port, take, end);
  }

  send(kind, message) {
    if (!this.#ended) {
      const bytes = encode(kind, message);
      this.bytesOut += bytes.length;
      this.#link.send(bytes);
    }
  }

  close() {
    this.#closed = true;
    this.#link.close();
  }
}
