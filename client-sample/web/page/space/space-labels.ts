// Names above the members' bodies in space: text of the page over the canvas.
import { Vector3 } from 'three';
import { memberHex } from '../theme.js';
import type { Stage3 } from './space-stage.js';

const ABOVE = 0.9; // [m] of the body's origin

export interface Named {
  readonly slot: number;
  readonly body: bigint;
  readonly name: string;
}

export class Labels {
  private readonly labels = new Map<number, HTMLSpanElement>();
  private readonly at = new Vector3();

  constructor(private readonly host: HTMLElement) {}

  show(stage: Stage3, players: readonly Named[]): void {
    for (const [slot, label] of this.labels) {
      if (!players.some((player) => player.slot === slot)) {
        label.remove();
        this.labels.delete(slot);
      }
    }
    for (const { slot, body, name } of players) {
      const label = this.labels.get(slot) ?? this.add(slot);
      const place = name === '' ? null : stage.body(body)?.position;
      const pixel = place && stage.project(this.at.set(place.x, place.y + ABOVE, place.z));
      label.hidden = !pixel;
      label.textContent = name;
      if (pixel) {
        label.style.transform = `translate(${pixel.x.toFixed(1)}px, ${pixel.y.toFixed(1)}px) translate(-50%, -100%)`;
      }
    }
  }

  private add(slot: number): HTMLSpanElement {
    const label = document.createElement('span');
    label.style.borderBottom = `2px solid ${memberHex(slot)}`;
    this.host.append(label);
    this.labels.set(slot, label);
    return label;
  }

  remove(): void {
    this.labels.forEach((label) => label.remove());
    this.labels.clear();
  }
}
