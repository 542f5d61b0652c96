// One view of a recording in space: what player/stage.ts is in the plane.
import './space.css';
import type { Theme } from '../theme.js';
import type { Shown } from '../player/messages.js';
import { Labels } from './space-labels.js';
import { Stage3, type Eye } from './space-stage.js';

export { Eye } from './space-stage.js';

export class SpaceFigure {
  readonly element = document.createElement('figure');
  readonly canvas: HTMLCanvasElement;
  private readonly stage: Stage3;
  private readonly labels: Labels;
  private paints = 0;

  /**
   * @param eye  may be that of another figure of the same size
   * @throws Error  there is no WebGL 2
   */
  constructor(host: HTMLElement, eye: Eye, what: string) {
    const names = document.createElement('div');
    names.className = 'names';
    names.setAttribute('aria-hidden', 'true');
    host.append(this.element);
    this.stage = new Stage3(this.element, eye, what);
    this.canvas = this.stage.canvas;
    this.element.append(names);
    this.labels = new Labels(names);
  }

  zoom(factor: number): void {
    this.stage.zoom(factor);
  }

  /** Changes when a picture of now would be another one. */
  get view(): string {
    this.paints += this.stage.wantsPaint ? 1 : 0;
    return String(this.paints);
  }

  take({ picture3 }: Shown): void {
    if (picture3) {
      this.stage.take(picture3);
    }
  }

  fit(): void {
    this.stage.fit();
  }

  /** @param marked  bodies that are pointed out, by their indices */
  paint({ players }: Shown, theme: Theme, marked: ReadonlySet<number>): void {
    this.stage.marked = marked;
    this.stage.paint(theme);
    this.labels.show(this.stage, players);
  }

  clear(theme: Theme): void {
    this.stage.paint(theme);
  }

  remove(): void {
    this.labels.remove();
    this.stage.remove();
    this.element.remove();
  }
}
