// The camera: which part of the world lies where on the canvas. Lengths in metres and in pixels of the style sheet.
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

const SCALE_MIN = 0.5; // [px/m]
const SCALE_MAX = 1000;
const FIT_MAX = 120; // [px/m]
const FIT_MARGIN = 24; // [px]

export class Camera {
  x = 0;
  y = 5;
  scale = 30; // [px/m]
  width = 1; // [px] of the canvas
  height = 1;

  toWorld(px: number, py: number): { x: number; y: number } {
    return { x: this.x + (px - this.width / 2) / this.scale, y: this.y - (py - this.height / 2) / this.scale };
  }

  /** Moves the world with the pointer. */
  pan(dx: number, dy: number): void {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** Zooms about a point of the canvas, which stays where it is. */
  zoom(factor: number, px = this.width / 2, py = this.height / 2): void {
    const before = this.toWorld(px, py);
    this.scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, this.scale * factor));
    const after = this.toWorld(px, py);
    this.x += before.x - after.x;
    this.y += before.y - after.y;
  }

  /** Shows the whole box, beside and below what covers the canvas: `right` and `above` pixels of it. */
  fit(box: Box, right: number, above: number): void {
    const width = Math.max(1, this.width - right - 2 * FIT_MARGIN);
    const height = Math.max(1, this.height - above - 2 * FIT_MARGIN);
    const scale = Math.min(
      FIT_MAX, width / Math.max(1, box.right - box.left), height / Math.max(1, box.top - box.bottom),
    );
    this.scale = Math.max(SCALE_MIN, scale);
    this.x = (box.left + box.right) / 2 + right / 2 / this.scale;
    this.y = (box.bottom + box.top) / 2 + above / 2 / this.scale;
  }
}
