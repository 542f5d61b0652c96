// Stick and buttons on the screen, for fingers.
import type { Controls } from './games.js';
import type { Keys } from './input.js';
import { byId } from './view.js';

const IDLE_SHARE = 0.15; // of the stick's way, around its middle

/** A knob that follows the finger as far as the rim. */
function addStick(base: HTMLElement, axes: string, keys: Keys): void {
  const knob = base.firstElementChild as HTMLElement;
  let finger: number | null = null;
  const steer = (event: PointerEvent): void => {
    const { left, top, width } = base.getBoundingClientRect();
    const [dx, dy] = [event.clientX - left - width / 2, axes === 'xy' ? event.clientY - top - width / 2 : 0];
    const reach = Math.max(width / 2, Math.hypot(dx, dy));
    const [x, y] = [dx / reach, -dy / reach];
    knob.style.transform = `translate(${(x * width) / 3}px, ${(-y * width) / 3}px)`;
    keys.setStick(...(Math.hypot(x, y) < IDLE_SHARE ? [0, 0] : [x, y]) as [number, number]);
  };
  const release = (event: PointerEvent): void => {
    if (event.pointerId === finger) {
      finger = null;
      knob.style.transform = '';
      keys.setStick(0, 0);
    }
  };
  base.onpointerdown = (event) => {
    event.preventDefault();
    finger = event.pointerId;
    base.setPointerCapture(finger);
    steer(event);
  };
  base.onpointermove = (event) => event.pointerId === finger && steer(event);
  base.onpointerup = base.onpointercancel = base.onlostpointercapture = release;
}

/** A button that is its key as long as a finger is on it. */
function makeButton(label: string, code: string, keys: Keys): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.dataset.key = code;
  button.onpointerdown = (event) => {
    event.preventDefault();
    button.setPointerCapture(event.pointerId);
    keys.hold(code, true);
  };
  button.onpointerup = button.onpointercancel = button.onlostpointercapture = () => keys.hold(code, false);
  return button;
}

export function showPad({ stick, buttons }: Controls, keys: Keys): void {
  const base = byId('stick');
  byId('pad').hidden = stick === '' && buttons.length === 0;
  byId('pad').oncontextmenu = (event) => event.preventDefault();
  base.hidden = stick === '';
  base.dataset.axes = stick;
  addStick(base, stick, keys);
  byId('pad-buttons').replaceChildren(...buttons.map(([label, code]) => makeButton(label, code, keys)));
}
