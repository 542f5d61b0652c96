// Pointer, touch and keys.
import type { Camera } from './camera.js';
import type { Place } from './commands.js';
import { WATCHING, type Controls } from './games.js';
import type { Hit } from './picture.js';

const REACH_MOUSE = 4; // [px] beside a shape that still count as on it
const REACH_TOUCH = 18;

export interface PointerHandler {
  find(x: number, y: number, reach: number): Hit | null;
  /** @return whether the tool has the pointer until it is lifted; else it pans */
  begin(hit: Hit | null, at: Place): boolean;
  move(to: Place): void;
  end(over: Hit | null): void;
  /** Another finger has come, or the system took the pointer away. */
  cancel(): void;
  /** The user looks elsewhere. */
  panned(): void;
}

/** One pointer drags a body, or the camera where there is none; two zoom. */
export class Pointer {
  private readonly down = new Map<number, { x: number; y: number }>();
  private holder: number | null = null; // the pointer that a tool has

  constructor(
    private readonly element: HTMLElement,
    private readonly camera: Camera,
    public handler: PointerHandler,
  ) {
    element.addEventListener('pointerdown', (event) => this.press(event));
    element.addEventListener('pointermove', (event) => this.move(event));
    element.addEventListener('pointerup', (event) => this.lift(event));
    element.addEventListener('pointercancel', (event) => this.lift(event));
    element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  private press(event: PointerEvent): void {
    if (event.button > 1) {
      return;
    }
    this.element.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.element.classList.add('holding');
    if (this.down.size > 1) {
      this.handler.cancel(); // two fingers zoom
      this.holder = null;
    } else if (
      event.button === 0 &&
      this.handler.begin(this.find(event), this.camera.toWorld(event.offsetX, event.offsetY))
    ) {
      this.holder = event.pointerId;
    }
  }

  private find(event: PointerEvent): Hit | null {
    const place = this.camera.toWorld(event.offsetX, event.offsetY);
    const reach = event.pointerType === 'touch' ? REACH_TOUCH : REACH_MOUSE;
    return this.handler.find(place.x, place.y, reach / this.camera.scale);
  }

  private move(event: PointerEvent): void {
    const before = this.down.get(event.pointerId);
    if (!before) {
      this.element.classList.toggle('over', this.find(event) !== null);
      return;
    }
    const now = { x: event.offsetX, y: event.offsetY };
    this.down.set(event.pointerId, now);
    if (event.pointerId === this.holder) {
      this.handler.move(this.camera.toWorld(now.x, now.y));
    } else if (this.down.size === 2 && this.holder === null) {
      this.pinch(event.pointerId, before, now);
    } else {
      this.camera.pan(now.x - before.x, now.y - before.y);
      this.handler.panned();
    }
  }

  private pinch(id: number, before: { x: number; y: number }, now: { x: number; y: number }): void {
    const other = [...this.down].find(([key]) => key !== id)![1];
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(now.x - other.x, now.y - other.y);
    this.camera.zoom(is / Math.max(1, was), (now.x + other.x) / 2, (now.y + other.y) / 2);
    this.camera.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
  }

  private lift(event: PointerEvent): void {
    this.down.delete(event.pointerId);
    if (event.pointerId === this.holder) {
      this.holder = null;
      if (event.type === 'pointerup') {
        this.handler.end(this.find(event));
      } else {
        this.handler.cancel();
      }
    }
    this.element.classList.toggle('holding', this.down.size > 0);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    this.camera.zoom(Math.exp(-event.deltaY * lines * 0.0015), event.offsetX, event.offsetY);
  }
}

export interface KeyHandler {
  /** Whether the world is: only then it has the keys. */
  isShown(): boolean;
  zoom(factor: number): void;
  fit(): void;
  follow(): void;
  /** @param index  of the tool, from 0 */
  choose(index: number): void;
  /** Begins anew: the own body, the ball, the curtain. */
  restart(): void;
}

/** The control block of games with two axes and 32 buttons. */
export class Keys {
  private readonly held = new Set<string>(); // codes of keys
  private controls: Controls = WATCHING;
  private stick = { x: 0, y: 0 };
  private last = '';
  private turn = 0; // [rad] of the axes, counter-clockwise as seen from above

  constructor(
    private readonly send: (block: Uint8Array) => void,
    private readonly handler: KeyHandler,
  ) {
    addEventListener('keydown', (event) => this.press(event));
    addEventListener('keyup', (event) => this.hold(event.code, false));
    addEventListener('blur', () => {
      this.held.clear();
      this.setStick(0, 0);
    });
  }

  setControls(controls: Controls): void {
    this.controls = controls;
    this.held.clear();
    this.stick = { x: 0, y: 0 };
    this.turn = 0;
    this.last = '0,0,0'; // what the server has of a new member
  }

  /** Turns the axes with the camera. */
  setTurn(angle: number): void {
    this.turn = angle;
    this.tell();
  }

  private press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (
      !this.handler.isShown() ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.matches('input:not([type=checkbox])')
    ) {
      return;
    }
    const key = event.key.toLowerCase(); // with Shift, or Caps Lock
    if (event.code in this.controls.keys && !(event.code === 'Space' && target.matches('button, a, input'))) {
      event.preventDefault();
      this.hold(event.code, true);
    } else if (event.key === '+' || event.key === '=') {
      this.handler.zoom(1.2);
    } else if (event.key === '-') {
      this.handler.zoom(1 / 1.2);
    } else if (/^[1-9]$/.test(event.key)) {
      this.handler.choose(Number(event.key) - 1);
    } else if (event.key === '0') {
      this.handler.fit();
    } else if (key === 'f' && !event.repeat) {
      this.handler.follow();
    } else if (key === 'r' && this.controls !== WATCHING && !event.repeat) {
      this.handler.restart();
    }
  }

  /** A key, or what stands for one on the screen. */
  hold(code: string, isHeld: boolean): void {
    this.held[isHeld ? 'add' : 'delete'](code);
    this.tell();
  }

  /** @param x  -1 to 1, as is y */
  setStick(x: number, y: number): void {
    this.stick = { x, y };
    this.tell();
  }

  private tell(): void {
    let { x, y } = this.stick;
    let buttons = 0;
    for (const code of this.held) {
      const [right, up, bits] = this.controls.keys[code] ?? [0, 0, 0];
      x += right;
      y += up;
      buttons |= bits;
    }
    const [cos, sin] = [Math.cos(this.turn), Math.sin(this.turn)];
    const axes = [x * cos - y * sin, x * sin + y * cos].map((share) =>
      Math.round(32767 * Math.max(-1, Math.min(1, share))),
    ) as [number, number];
    const text = `${axes[0]},${axes[1]},${buttons}`;
    if (this.controls === WATCHING || text === this.last) {
      return;
    }
    this.last = text;
    const view = new DataView(new ArrayBuffer(8));
    axes.forEach((axis, i) => view.setInt16(2 * i, axis, true));
    view.setUint32(4, buttons, true);
    this.send(new Uint8Array(view.buffer));
  }
}
