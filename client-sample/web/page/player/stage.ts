// One view of a recording: a canvas with the page's own drawing, the members' names, and pan and zoom by pointer.
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
    new Pointer(canvas, camera, { find: () => null, begin: () => false, move: ignore, end: ignore, cancel: ignore, panned: ignore });
  }

  private picture({ words, count, stride }: Shown): Picture {
    return { words, count, stride, player: 0n, players: [] };
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
    this.drawing.draw(mesh, theme.background);
    this.showNames(shown);
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
