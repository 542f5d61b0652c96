// One view of a recording: a canvas with the page's own drawing, the members' names, and pan and zoom by pointer.
import { UNIT } from '../../src/display.js';
import type { Camera } from '../camera.js';
import { Canvas } from '../canvas.js';
import { drawGrid } from '../grid.js';
import { Pointer } from '../input.js';
import { Mesh } from '../mesh.js';
import { Painter } from '../picture.js';
import { memberHex, type Theme } from '../theme.js';
import type { Picture } from '../messages.js';
import type { Shown } from './messages.js';

const NAME_ABOVE = 0.9; // [m] of the body
const RING = 18; // [px] around a body that is pointed out
const RINGS_MAX = 40; // more would hide what they point at
const OUTLINE = 1; // the role of a shape, and the words of an item: wasm/item.h
const [BODY, POINTS] = [4, 15];

export class Stage {
  readonly element = document.createElement('figure');
  readonly canvas = document.createElement('canvas');
  private readonly names = document.createElement('div');
  private readonly labels = new Map<number, HTMLSpanElement>();
  private readonly drawing: Canvas;
  private readonly mesh = new Mesh();
  private readonly painter: Painter;

  /**
   * @param camera  may be that of another stage of the same size
   * @throws Error  there is no WebGL 2
   */
  constructor(
    host: HTMLElement,
    private readonly camera: Camera,
    what: string,
  ) {
    const { element, canvas, names } = this;
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', what);
    names.className = 'names';
    names.setAttribute('aria-hidden', 'true');
    element.append(canvas, names);
    host.append(element);
    this.painter = new Painter(this.mesh, camera);
    this.drawing = new Canvas(canvas, camera);
    const ignore = (): void => undefined;
    new Pointer(canvas, camera, {
      find: () => null, begin: () => false, move: ignore, end: ignore, cancel: ignore, panned: ignore,
    });
  }

  private picture({ words, count, stride }: Shown): Picture {
    return { words, count, stride, player: 0n, players: [] };
  }

  zoom(factor: number): void {
    this.camera.zoom(factor);
  }

  /** What a picture depends on besides the world. */
  get view(): string {
    const { camera, canvas } = this;
    return `${camera.x} ${camera.y} ${camera.scale} ${canvas.clientWidth} ${canvas.clientHeight}`;
  }

  /** The next picture; it need not be painted. */
  take(_: Shown): void {
    // the words are read when it is painted
  }

  /** Shows all that moves. */
  fit(shown: Shown): void {
    this.drawing.resize();
    const box = this.painter.bounds(this.picture(shown));
    if (box) {
      this.camera.fit(box, 0, 0);
    }
  }

  /** @param marked  bodies that are pointed out, by their indices */
  paint(shown: Shown, theme: Theme, marked: ReadonlySet<number>): void {
    const { mesh, camera, painter } = this;
    this.drawing.resize();
    mesh.clear();
    mesh.originX = camera.x;
    mesh.originY = camera.y;
    drawGrid(mesh, camera, theme);
    painter.marked = marked;
    painter.paint(this.picture(shown), theme);
    if (marked.size > 0 && marked.size <= RINGS_MAX) {
      this.ring(shown, theme, new Set(marked));
    }
    this.drawing.draw(mesh, theme.background);
    this.showNames(shown);
  }

  /** A ring around each body's first shape, so that a small one is seen, too. */
  private ring({ words, count, stride }: Shown, theme: Theme, left: Set<number>): void {
    const { mesh, camera } = this;
    for (let at = 0; at < count * stride; at += stride) {
      if (((words[at]! >>> 8) & 0xff) !== OUTLINE || !left.delete(words[at + BODY]!)) {
        continue;
      }
      const n = (words[at + 1]! >>> 8) & 0xff;
      let [x, y] = [0, 0];
      for (let i = 0; i < n; ++i) {
        x += words[at + POINTS + 2 * i]! / UNIT / n;
        y += words[at + POINTS + 1 + 2 * i]! / UNIT / n;
      }
      const [radius, steps] = [RING / camera.scale, 32];
      for (let i = 0; i < steps; ++i) {
        const [from, to] = [(i * 2 * Math.PI) / steps, ((i + 1) * 2 * Math.PI) / steps];
        mesh.line(
          x + radius * Math.cos(from), y + radius * Math.sin(from), x + radius * Math.cos(to),
          y + radius * Math.sin(to), 2, theme.contact,
        );
      }
    }
  }

  /** Nothing but the background. */
  clear(theme: Theme): void {
    this.drawing.resize();
    this.drawing.clear(theme.background);
    this.names.replaceChildren();
    this.labels.clear();
  }

  private showNames(shown: Shown): void {
    const { camera } = this;
    for (const [slot, label] of this.labels) {
      if (!shown.players.some((player) => player.slot === slot)) {
        label.remove();
        this.labels.delete(slot);
      }
    }
    for (const { slot, body, name } of shown.players) {
      const place = this.painter.place(this.picture(shown), body);
      const label = this.labels.get(slot) ?? this.addLabel(slot);
      label.hidden = place === null || name === '';
      label.textContent = name;
      if (place) {
        const px = camera.width / 2 + (place.x - camera.x) * camera.scale;
        const py = camera.height / 2 - (place.y + NAME_ABOVE - camera.y) * camera.scale;
        label.style.transform = `translate(${px.toFixed(1)}px, ${py.toFixed(1)}px) translate(-50%, -100%)`;
      }
    }
  }

  private addLabel(slot: number): HTMLSpanElement {
    const label = document.createElement('span');
    label.style.borderBottom = `2px solid ${memberHex(slot)}`;
    this.names.append(label);
    this.labels.set(slot, label);
    return label;
  }

  remove(): void {
    this.element.remove();
    this.canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext();
  }
}
