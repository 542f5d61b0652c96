// What a press on the canvas does in space: the tool at hand, or the camera's. The hand holds a body by the point that
// was pressed, and takes it where the pointer goes, in the plane through that point that faces the camera. A new body
// is put where the pointer is; who drags on throws it along the ground, as far as the arrow is long.
import { ArrowHelper, Vector3 } from 'three';
import { destroyBody, type Thing } from '../commands.js';
import type { Request } from '../messages.js';
import type { ToolName } from '../tools.js';
import { HEIGHT, hold3, spawn } from './space-commands.js';
import type { Body, Stage3, Touch } from './space-stage.js';

const THROW_PER_S = 4; // [1/s] speed of a throw by the length of the arrow
const THROW_LEAST = 0.3; // [m] a shorter arrow is a click
const SPEED_MAX = 40; // [m/s]
const CLICK = 6; // [px] that a pointer may move in a click
const HAND_FAR = 60; // [m] that the hand takes a body from where it took it, along each way

const isThing = (tool: ToolName): tool is Thing => tool === 'box' || tool === 'ball' || tool === 'plank';
const handleOf = ({ index, generation }: Body): bigint => (BigInt(generation >>> 0) << 32n) | BigInt(index);

interface Press {
  readonly pointer: number;
  readonly tool: ToolName;
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

  /** Whether the hand has a body. */
  get isHolding(): boolean {
    return this.press?.tool === 'hand';
  }

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
    if (!isThing(tool) && tool !== 'delete' && tool !== 'hand') {
      return;
    }
    const stage = this.stage();
    const touch = stage.touch(event.offsetX, event.offsetY);
    const at = touch?.at ?? stage.reach(event.offsetX, event.offsetY, 0);
    if (!at || (!isThing(tool) && !touch?.body)) {
      return; // the camera has it
    }
    stage.controls.enabled = false;
    stage.canvas.setPointerCapture(event.pointerId);
    const from = isThing(tool) ? at.clone().setY(at.y + HEIGHT[tool]) : at;
    this.press = { pointer: event.pointerId, tool, from, x: event.offsetX, y: event.offsetY, to: from };
    if (tool === 'hand') {
      this.grab(touch!);
    }
  }

  private grab({ at, body }: Touch): void {
    const stage = this.stage();
    const anchor = at.clone().sub(body!.position).applyQuaternion(body!.rotation.clone().invert());
    this.post({ kind: 'hold', command: hold3(handleOf(body!), anchor, at, stage.volume(body!)) });
  }

  private move(event: PointerEvent): void {
    const { press } = this;
    if (press?.pointer !== event.pointerId || press.tool === 'delete') {
      return;
    }
    if (press.tool === 'hand') {
      this.lead(press, event);
      return;
    }
    const isClick = Math.hypot(event.offsetX - press.x, event.offsetY - press.y) < CLICK;
    press.to = (!isClick && this.stage().reach(event.offsetX, event.offsetY, press.from.y)) || press.from;
    this.draw(press);
  }

  /** The body goes where the pointer is. */
  private lead(press: Press, event: PointerEvent): void {
    const to = this.stage().reachFacing(event.offsetX, event.offsetY, press.from);
    if (to) {
      const { x, y, z } = to.sub(press.from).clampScalar(-HAND_FAR, HAND_FAR).add(press.from);
      this.post({ kind: 'move', to: { x, y, z } });
    }
  }

  private end(event: PointerEvent): void {
    const { press } = this;
    this.down.delete(event.pointerId);
    if (press?.pointer !== event.pointerId) {
      return;
    }
    this.cancel();
    const { tool } = press;
    if (isThing(tool)) {
      const velocity = press.to.clone().sub(press.from);
      velocity.multiplyScalar(velocity.length() < THROW_LEAST ? 0 : THROW_PER_S).clampLength(0, SPEED_MAX);
      this.post({ kind: 'command', command: spawn(tool, press.from, velocity) });
      return;
    }
    const body = tool === 'delete' ? this.stage().touch(event.offsetX, event.offsetY)?.body : null;
    if (body) {
      this.post({ kind: 'command', command: destroyBody(handleOf(body)) });
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

  /** Lets go of what is held. */
  cancel(): void {
    if (this.isHolding) {
      this.post({ kind: 'release' });
    }
    this.press = null;
    this.stage().controls.enabled = true;
    if (this.arrow) {
      this.stage().root.remove(this.arrow);
      this.arrow.dispose();
      this.arrow = null;
    }
  }
}
