// What a press on the canvas does: the tool at hand.
import type { Place, Thing } from './commands.js';
import type { PointerHandler } from './input.js';
import type { Mesh } from './mesh.js';
import type { Request } from './messages.js';
import type { Hit } from './picture.js';
import type { Theme } from './theme.js';

export type ToolName = 'hand' | 'look' | Thing | 'rod' | 'delete' | 'cut';

const THROW_PER_S = 4; // [1/s] speed of a throw by the length of the arrow
const THROW_LEAST = 0.3; // [m] a shorter arrow is a click
const SPEED_MAX = 40; // [m/s]

interface Press {
  readonly from: Place;
  readonly hit: Hit | null;
  to: Place;
}

export class Tools implements PointerHandler {
  tool: ToolName = 'hand';
  private press: Press | null = null;

  constructor(
    readonly find: (x: number, y: number, reach: number) => Hit | null,
    private readonly post: (request: Request) => void,
    private readonly note: (text: string) => void,
    readonly panned: () => void,
  ) {}

  begin(hit: Hit | null, from: Place): boolean {
    const { tool } = this;
    const isNeeded = tool === 'hand' || tool === 'rod' || tool === 'delete';
    if (isNeeded && hit === null) {
      return false; // the camera has it
    }
    this.press = { from, hit, to: from };
    if (tool === 'hand') {
      this.post({ kind: 'grab', body: hit!.body, at: from, force: Math.min(1e6, 60 + 900 * hit!.area) });
    }
    return true;
  }

  move(to: Place): void {
    if (this.press) {
      this.press.to = to;
      if (this.tool === 'hand') {
        this.post({ kind: 'move', to });
      }
    }
  }

  end(over: Hit | null): void {
    const press = this.press;
    this.press = null;
    if (!press) {
      return;
    }
    const { from, to, hit } = press;
    switch (this.tool) {
      case 'hand':
        return this.post({ kind: 'release' });
      case 'delete':
        return this.post({ kind: 'destroy', body: hit!.body });
      case 'rod':
        if (over === null || over.body === hit!.body) {
          return this.note('A rod goes from one body to another.');
        }
        return this.post({ kind: 'connect', a: hit!.body, at: from, b: over.body, bt: to });
      case 'cut':
        return undefined; // another pointer has it (cloth.ts)
      case 'look':
        return undefined;
      default:
        return this.post({ kind: 'spawn', thing: this.tool, at: from, velocity: this.velocity(from, to) });
    }
  }

  cancel(): void {
    if (this.press && this.tool === 'hand') {
      this.post({ kind: 'release' });
    }
    this.press = null;
  }

  private velocity(from: Place, to: Place): Place {
    const [x, y] = [(to.x - from.x) * THROW_PER_S, (to.y - from.y) * THROW_PER_S];
    const speed = Math.hypot(x, y);
    const scale = speed < THROW_LEAST * THROW_PER_S ? 0 : Math.min(1, SPEED_MAX / speed);
    return { x: x * scale, y: y * scale };
  }

  /** The arrow of a throw, the rod to come. */
  draw(mesh: Mesh, theme: Theme): void {
    if (!this.press || this.tool === 'hand' || this.tool === 'delete') {
      return;
    }
    const { from, to } = this.press;
    mesh.line(from.x, from.y, to.x, to.y, 2, theme.ink);
    if (this.tool === 'rod') {
      mesh.dot(to.x, to.y, 4, theme.ink);
    } else {
      mesh.tip(from.x, from.y, to.x, to.y, 10, theme.ink);
    }
    mesh.dot(from.x, from.y, 4, theme.ink);
  }
}
