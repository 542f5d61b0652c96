// The pointer in the game of cloth: it holds the cloth where it is pressed, or cuts along its way. Places go as CUSTOM
// commands (isostep/games.h), of which a member may send a few in each tick.
import type { Place } from './commands.js';
import type { PointerHandler } from './input.js';
import type { Picture, Request } from './messages.js';
import type { Hit } from './picture.js';
import type { Tools } from './tools.js';

const POINT = 3; // first byte of a command
const CUT = 2;
const REACH = 0.5; // [m] at which the game takes hold
const SEND_MS = 16; // about one command in a tick
const ROLE_MARK = 14; // words of an item: src/display.ts
const FIRST_POINT = 15;
const UNIT = 65536;
const HOLD = new Uint8Array([0, 0, 0, 0, 1, 0, 0, 0]);

const SOMETHING: Hit = { body: 0n, area: 0 };

export class ClothPointer implements PointerHandler {
  private last: Place | null = null; // that was sent
  private sentMs = 0;

  constructor(
    private readonly tools: Tools,
    private readonly picture: () => Picture | null,
    private readonly post: (request: Request) => void,
  ) {}

  /** Whether the cloth is near. */
  find(x: number, y: number): Hit | null {
    const { words, count, stride } = this.picture() ?? { words: new Int32Array(0), count: 0, stride: 0 };
    for (let at = 0; at < count * stride; at += stride) {
      const isNear =
        ((words[at]! >>> 8) & 0xff) === ROLE_MARK &&
        Math.hypot(words[at + FIRST_POINT]! / UNIT - x, words[at + FIRST_POINT + 1]! / UNIT - y) < REACH;
      if (isNear) {
        return SOMETHING;
      }
    }
    return null;
  }

  begin(hit: Hit | null, at: Place): boolean {
    const isCutting = this.tools.tool === 'cut';
    if (!isCutting && hit === null) {
      return false; // the camera has it
    }
    this.last = at;
    if (!isCutting) {
      this.send(POINT, at);
      this.post({ kind: 'control', block: HOLD });
    }
    return true;
  }

  move(to: Place): void {
    const { last } = this;
    if (last === null || performance.now() - this.sentMs < SEND_MS) {
      return;
    }
    if (this.tools.tool === 'cut') {
      this.send(CUT, last, to);
    } else {
      this.send(POINT, to);
    }
    this.last = to;
  }

  end(): void {
    this.last = null;
    this.post({ kind: 'control', block: new Uint8Array(8) });
  }

  cancel(): void {
    this.end();
  }

  panned(): void {
    this.tools.panned();
  }

  private send(kind: number, ...places: readonly Place[]): void {
    const view = new DataView(new ArrayBuffer(1 + 8 * places.length));
    view.setUint8(0, kind);
    places.forEach(({ x, y }, i) => {
      view.setInt32(1 + 8 * i, Math.round(x * UNIT), true);
      view.setInt32(5 + 8 * i, Math.round(y * UNIT), true);
    });
    this.sentMs = performance.now();
    this.post({ kind: 'custom', payload: new Uint8Array(view.buffer) });
  }
}
