// Pointer, touch and keys.
import type { Camera } from './camera.js';
import type { Place } from './commands.js';
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
    private readonly handler: PointerHandler,
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
    } else if (event.button === 0 && this.handler.begin(this.find(event), this.camera.toWorld(event.offsetX, event.offsetY))) {
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
  zoom(factor: number): void;
  fit(): void;
  follow(): void;
  /** @param index  of the tool, from 0 */
  choose(index: number): void;
}

const AXES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0], KeyA: [-1, 0], ArrowRight: [1, 0], KeyD: [1, 0],
  ArrowUp: [0, 1], KeyW: [0, 1], ArrowDown: [0, -1], KeyS: [0, -1],
};
const BUTTONS: Readonly<Record<string, number>> = { Space: 1, KeyE: 2, KeyQ: 4 };

/** The control block of games with two axes and 32 buttons. */
export class Keys {
  private readonly held = new Set<string>();
  private layout = '';
  private last = '';

  constructor(
    private readonly send: (block: Uint8Array) => void,
    private readonly handler: KeyHandler,
  ) {
    addEventListener('keydown', (event) => this.press(event));
    addEventListener('keyup', (event) => {
      this.held.delete(event.code);
      this.tell();
    });
    addEventListener('blur', () => {
      this.held.clear();
      this.tell();
    });
  }

  setLayout(layout: string): void {
    this.layout = layout;
    this.last = '';
  }

  private press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches('input:not([type=checkbox])')) {
      return;
    }
    if (event.code in AXES || (event.code in BUTTONS && !target.matches('button, a, input'))) {
      event.preventDefault();
      this.held.add(event.code);
      this.tell();
    } else if (event.key === '+' || event.key === '=') {
      this.handler.zoom(1.2);
    } else if (event.key === '-') {
      this.handler.zoom(1 / 1.2);
    } else if (/^[1-9]$/.test(event.key)) {
      this.handler.choose(Number(event.key) - 1);
    } else if (event.key === '0') {
      this.handler.fit();
    } else if (event.key === 'f' && !event.repeat) {
      this.handler.follow();
    }
  }

  /** Buttons on the screen that act as keys as long as a finger is on them. */
  addButtons(of: HTMLElement): void {
    const set = (event: Event, isHeld: boolean): void => {
      const code = (event.target as Element).closest<HTMLElement>('[data-key]')?.dataset.key;
      if (code !== undefined) {
        event.preventDefault();
        this.held[isHeld ? 'add' : 'delete'](code);
        this.tell();
      }
    };
    of.addEventListener('pointerdown', (event) => set(event, true));
    ['pointerup', 'pointercancel', 'pointerleave', 'lostpointercapture'].forEach((name) => of.addEventListener(name, (event) => set(event, false), true));
    of.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  private tell(): void {
    if (this.layout !== 'axes-buttons-8') {
      return;
    }
    let [x, y, buttons] = [0, 0, 0];
    for (const code of this.held) {
      x += AXES[code]?.[0] ?? 0;
      y += AXES[code]?.[1] ?? 0;
      buttons |= BUTTONS[code] ?? 0;
    }
    const view = new DataView(new ArrayBuffer(8));
    view.setInt16(0, Math.sign(x) * 32767, true);
    view.setInt16(2, Math.sign(y) * 32767, true);
    view.setUint32(4, buttons, true);
    const text = `${x},${y},${buttons}`;
    if (text !== this.last) {
      this.last = text;
      this.send(new Uint8Array(view.buffer));
    }
  }
}
