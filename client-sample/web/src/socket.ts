// The connection: WebSocket messages of one envelope each (proto/WIRE.md).
import { FRAME_MAX } from './codec.js';

const SUBPROTOCOL = 'isostep.v1';
const CONNECT_TIMEOUT_MS = 5000;

/** What a client needs of a WebSocket; the browser's, Node's and that of the package ws have it. */
export interface SocketLike {
  binaryType: string;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export type SocketClass = new (url: string, protocols: string[]) => SocketLike;

export interface SocketHandler {
  opened(): void;
  received(bytes: Uint8Array): void;
  /** It is closed, or could not be opened. Not called after cut() or finish(). */
  broken(): void;
}

type LimitedSocketClass = new (url: string, protocols: string[], limits: object) => SocketLike;

/** The class of the sockets of this platform. */
export async function findSocketClass(): Promise<SocketClass> {
  if (typeof globalThis.WebSocket === 'function') {
    return globalThis.WebSocket as unknown as SocketClass;
  }
  const name = 'ws'; // Node 20 has none of its own
  const { WebSocket } = (await import(/* @vite-ignore */ name).catch((cause: unknown) => {
    throw new Error('Node before 22 needs `npm install ws`, or the option webSocket', { cause });
  })) as { WebSocket: LimitedSocketClass };
  // Its own limit is 100 MiB, and a frame that is well compressed gets there quickly.
  return class extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { maxPayload: FRAME_MAX, perMessageDeflate: false });
    }
  };
}

export class Socket {
  private readonly socket: SocketLike;
  private handler: SocketHandler | null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(socketClass: SocketClass, url: string, handler: SocketHandler) {
    this.handler = handler;
    this.socket = new socketClass(url, [SUBPROTOCOL]);
    this.socket.binaryType = 'arraybuffer';
    this.timer = setTimeout(() => this.lose(), CONNECT_TIMEOUT_MS);
    this.socket.onopen = () => {
      clearTimeout(this.timer);
      this.handler?.opened();
    };
    this.socket.onmessage = (event: { data: unknown }) => {
      // A text is no message of ours; an empty envelope is refused as one.
      this.handler?.received(event.data instanceof ArrayBuffer ? new Uint8Array(event.data) : new Uint8Array(0));
    };
    this.socket.onclose = () => this.lose();
    this.socket.onerror = () => this.lose();
  }

  send(bytes: Uint8Array): void {
    this.socket.send(bytes as Uint8Array<ArrayBuffer>);
  }

  /** Closes it after what was sent; nothing more is heard of it. */
  finish(): void {
    clearTimeout(this.timer);
    this.handler = null;
    this.socket.onerror = () => undefined; // one that is not open yet complains
    this.socket.close();
  }

  private lose(): void {
    const handler = this.handler;
    this.finish();
    handler?.broken();
  }
}
