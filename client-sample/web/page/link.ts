// A worse network, made in the tab: messages of both directions arrive later, in their order.
import type { SocketClass, SocketLike } from '../src/socket.js';

const state = { delayMs: 0, stalledUntil: 0 };

/** @param ms  [ms] that a message takes longer, to and fro together */
export const setDelay = (ms: number): void => {
  state.delayMs = ms;
};

/** Nothing arrives for a while. */
export const stall = (ms: number): void => {
  state.stalledUntil = performance.now() + ms;
};

/** Does what it is given, each as late as the network is slow, and none before the one ahead. */
class Line {
  private last = 0;
  private readonly waiting: (() => void)[] = [];

  pass(what: () => void): void {
    const due = Math.max(performance.now() + state.delayMs / 2, state.stalledUntil, this.last);
    if (this.waiting.length === 0 && due <= performance.now()) {
      what();
      return;
    }
    this.last = due;
    this.waiting.push(what);
    // Timers are not exact: the next one, whichever fires.
    setTimeout(() => this.waiting.shift()?.(), due - performance.now());
  }
}

class SlowSocket implements SocketLike {
  binaryType = 'arraybuffer';
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  private readonly socket: WebSocket;
  private readonly there = new Line();
  private readonly back = new Line();

  constructor(url: string, protocols: string[]) {
    this.socket = new WebSocket(url, protocols);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = (event) => this.onopen?.(event as never);
    this.socket.onmessage = (event) => this.back.pass(() => this.onmessage?.(event as never));
    this.socket.onclose = (event) => this.back.pass(() => this.onclose?.(event as never));
    this.socket.onerror = (event) => this.onerror?.(event as never);
  }

  send(bytes: Uint8Array<ArrayBuffer>): void {
    this.there.pass(() => this.socket.readyState === WebSocket.OPEN && this.socket.send(bytes));
  }

  close(): void {
    this.there.pass(() => this.socket.close());
  }
}

export const slowSocket = SlowSocket as unknown as SocketClass;
