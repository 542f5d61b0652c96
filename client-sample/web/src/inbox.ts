// What the socket has brought and the client has not taken in yet. A tick can take longer to step than its share of the
// time: then timers, the messages of a page and the socket itself have their turn between two ticks, however many wait.
const SLICE_MS = 4; // of taking in, before others have their turn

type Call = () => void;

/** Makes a function that calls after everything else that is due by then: a timer would wait 4 ms in a browser. */
function makeYield(): (call: Call) => void {
  const { setImmediate } = globalThis as { setImmediate?: (call: Call) => void };
  if (setImmediate) {
    return setImmediate; // Node's
  }
  const { port1, port2 } = new MessageChannel();
  const waiting: Call[] = [];
  port1.onmessage = () => waiting.shift()!();
  return (call) => {
    waiting.push(call);
    port2.postMessage(0);
  };
}

const yieldTo = makeYield();

export class Inbox<Item> {
  private readonly items: Item[] = [];
  private isYielding = false;

  /** @param take  takes one in; it may clear the inbox */
  constructor(private readonly take: (item: Item) => void) {}

  get length(): number {
    return this.items.length;
  }

  /** What comes is taken in at once, unless something waits. */
  push(item: Item): void {
    this.items.push(item);
    if (!this.isYielding) {
      this.work();
    }
  }

  clear(): void {
    this.items.length = 0;
  }

  private work(): void {
    const end = performance.now() + SLICE_MS;
    this.isYielding = false;
    while (this.items.length > 0) {
      this.take(this.items.shift()!);
      if (performance.now() >= end) {
        this.isYielding = true;
        yieldTo(() => this.work());
        return;
      }
    }
  }
}
