// What a press on the canvas does in space: the tool at hand, or the camera's. A body is put where the pointer is; who drags
// on throws it along the ground, as far as the arrow is long. No tool holds a body: that would be one
// more kind of press, with a joint that commands make, as hand.ts does in the plane.
import { ArrowHelper, Vector3 } from 'three';
import { destroyBody, type Thing } from '../commands.js';
import type { Request } from '../messages.js';
import type { ToolName } from '../tools.js';
import { HEIGHT, spawn } from './space-commands.js';
import type { Stage3 } from './space-stage.js';

const THROW_PER_S = 4; // [1/s] speed of a throw by the length of the arrow
const THROW_LEAST = 0.3; // [m] a shorter arrow is a click
const SPEED_MAX = 40; // [m/s]
const CLICK = 6; // [px] that a pointer may move in a click

const isThing = (tool: ToolName): tool is Thing => tool === 'box' || tool === 'ball' || tool === 'plank';

interface Press {
  readonly pointer: number;
  readonly thing: Thing | null; // null: something is deleted
  readonly from: Vector3;
  readonly x: number;
  readonly y: number;
  to: Vector3;
}

export class Tools3 {
  private press: Press | null = null;
  private arrow: ArrowHelper | null = null;
  private readonly down = new Set<number>();

  /** @param tool  the one at hand */
  constructor(
    private readonly stage: () => Stage3,
    private readonly tool: () => ToolName,
    private readonly post: (request: Request) => void,
    private readonly panned: () => void,
  ) {}

  /** Listens before the camera does. */
  listen(canvas: HTMLCanvasElement): void {
    canvas.addEventListener('pointerdown', (event) => this.begin(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.end(event));
    canvas.addEventListener('pointercancel', (event) => {
      this.down.delete(event.pointerId);
      this.cancel();
    });
  }

  private begin(event: PointerEvent): void {
    this.down.add(event.pointerId);
    if (this.down.size > 1) {
      this.cancel(); // two fingers are the camera's
    }
    if (this.down.size > 1 || event.button !== 0 || event.shiftKey || event.ctrlKey || event.metaKey) {
      this.panned(); // the camera moves what it looks at
      return;
    }
    const tool = this.tool();
    if (!isThing(tool) && tool !== 'delete') {
      return;
    }
    const stage = this.stage();
    const touch = stage.touch(event.offsetX, event.offsetY);
    const at = touch?.at ?? stage.reach(event.offsetX, event.offsetY, 0);
    if (!at || (tool === 'delete' && !touch?.body)) {
      return; // the camera has it
    }
    stage.controls.enabled = false;
    stage.canvas.setPointerCapture(event.pointerId);
    const from = isThing(tool) ? at.clone().setY(at.y + HEIGHT[tool]) : at;
    this.press = { pointer: event.pointerId, thing: isThing(tool) ? tool : null, from, x: event.offsetX, y: event.offsetY, to: from };
  }

  private move(event: PointerEvent): void {
    const { press } = this;
    if (press?.pointer !== event.pointerId || press.thing === null) {
      return;
    }
    const isClick = Math.hypot(event.offsetX - press.x, event.offsetY - press.y) < CLICK;
    press.to = (!isClick && this.stage().reach(event.offsetX, event.offsetY, press.from.y)) || press.from;
    this.draw(press);
  }

  private end(event: PointerEvent): void {
    const { press } = this;
    this.down.delete(event.pointerId);
    if (press?.pointer !== event.pointerId) {
      return;
    }
    this.cancel();
    if (press.thing !== null) {
      const velocity = press.to.clone().sub(press.from);
      velocity.multiplyScalar(velocity.length() < THROW_LEAST ? 0 : THROW_PER_S).clampLength(0, SPEED_MAX);
      this.post({ kind: 'command', command: spawn(press.thing, press.from, velocity) });
      return;
    }
    const body = this.stage().touch(event.offsetX, event.offsetY)?.body;
    if (body) {
      this.post({ kind: 'command', command: destroyBody((BigInt(body.generation >>> 0) << 32n) | BigInt(body.index)) });
    }
  }

  /** The arrow of a throw. */
  private draw({ from, to }: Press): void {
    const along = to.clone().sub(from);
    const length = along.length();
    if (this.arrow === null) {
      this.arrow = new ArrowHelper(new Vector3(1, 0, 0), from, 1, 0xff8a3c);
      this.stage().root.add(this.arrow);
    }
    this.arrow.visible = length >= THROW_LEAST;
    this.arrow.position.copy(from);
    if (this.arrow.visible) {
      this.arrow.setDirection(along.divideScalar(length));
      this.arrow.setLength(length, Math.min(0.6, 0.4 * length), Math.min(0.4, 0.25 * length));
    }
  }

  cancel(): void {
    this.press = null;
    this.stage().controls.enabled = true;
    if (this.arrow) {
      this.stage().root.remove(this.arrow);
      this.arrow.dispose();
      this.arrow = null;
    }
  }
}
