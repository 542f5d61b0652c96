// Names above the members' bodies: text of the page over the canvas, so that it is sharp and has the page's font.
import type { Camera } from './camera.js';
import type { Picture } from './messages.js';
import { memberHex } from './theme.js';
import { byId } from './view.js';

const ABOVE = 0.9; // [m] of the body's origin

const labels = new Map<number, HTMLSpanElement>();

export function showNames({ players }: Picture, camera: Camera, names: ReadonlyMap<number, string>): void {
  for (const [slot, label] of labels) {
    if (!players.some((player) => player.slot === slot)) {
      label.remove();
      labels.delete(slot);
    }
  }
  for (const { slot, x, y } of players) {
    let label = labels.get(slot);
    if (!label) {
      label = document.createElement('span');
      byId('names').append(label);
      label.style.borderBottom = `2px solid ${memberHex(slot)}`;
      labels.set(slot, label);
    }
    const name = names.get(slot) ?? '';
    if (label.textContent !== name) {
      label.textContent = name;
    }
    label.hidden = name === '';
    const px = camera.width / 2 + (x - camera.x) * camera.scale;
    const py = camera.height / 2 - (y + ABOVE - camera.y) * camera.scale;
    label.style.transform = `translate(${px.toFixed(1)}px, ${py.toFixed(1)}px) translate(-50%, -100%)`;
  }
}
