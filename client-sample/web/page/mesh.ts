// Triangles for one frame, in one array: every vertex is a point of the world, an offset in pixels, and a colour. So lines
// keep their width at any zoom, and the whole picture is one draw call.
export const VERTEX_BYTES = 20; // x, y [m, from the camera]; dx, dy [px]; colour as RGBA bytes

/** A colour as the vertices have it: 0xAABBGGRR. */
export type Colour = number;

export function colour(hex: string, alpha = 1): Colour {
  const rgb = parseInt(hex.slice(1), 16);
  return ((Math.round(alpha * 255) << 24) | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}

export const withAlpha = (of: Colour, alpha: number): Colour => ((of & 0xffffff) | (Math.round(alpha * (of >>> 24)) << 24)) >>> 0;

const POINTS_MAX = 256; // of one outline

export class Mesh {
  private bytes = new ArrayBuffer(1 << 20);
  private floats = new Float32Array(this.bytes);
  private words = new Uint32Array(this.bytes);
  private list = new Uint32Array(1 << 17);
  private vertices = 0;
  private used = 0;
  // The outline at hand, counter-clockwise.
  private readonly px = new Float64Array(POINTS_MAX);
  private readonly py = new Float64Array(POINTS_MAX);
  private points = 0;
  /** Of the camera: positions are kept relative to it, as 32 bits are too few for a place in a large world. */
  originX = 0;
  originY = 0;

  clear(): void {
    this.vertices = this.used = 0;
  }

  get vertexBytes(): Uint8Array {
    return new Uint8Array(this.bytes, 0, this.vertices * VERTEX_BYTES);
  }

  get indices(): Uint32Array {
    return this.list.subarray(0, this.used);
  }

  /** Room for what follows; all that is written after it fits. */
  private reserve(vertices: number, indices: number): void {
    if ((this.vertices + vertices) * VERTEX_BYTES > this.bytes.byteLength) {
      const bytes = new ArrayBuffer(2 * this.bytes.byteLength + vertices * VERTEX_BYTES);
      new Uint8Array(bytes).set(new Uint8Array(this.bytes));
      this.bytes = bytes;
      this.floats = new Float32Array(bytes);
      this.words = new Uint32Array(bytes);
    }
    if (this.used + indices > this.list.length) {
      const list = new Uint32Array(2 * this.list.length + indices);
      list.set(this.list);
      this.list = list;
    }
  }

  private vertex(x: number, y: number, dx: number, dy: number, of: Colour): void {
    const at = this.vertices * 5;
    this.floats[at] = x - this.originX;
    this.floats[at + 1] = y - this.originY;
    this.floats[at + 2] = dx;
    this.floats[at + 3] = dy;
    this.words[at + 4] = of;
    this.vertices += 1;
  }

  private triangle(a: number, b: number, c: number): void {
    this.list[this.used] = a;
    this.list[this.used + 1] = b;
    this.list[this.used + 2] = c;
    this.used += 3;
  }

  // ---- outlines -----------------------------------------------------------------------------------

  begin(): void {
    this.points = 0;
  }

  point(x: number, y: number): void {
    if (this.points < POINTS_MAX) {
      this.px[this.points] = x;
      this.py[this.points] = y;
      this.points += 1;
    }
  }

  /** Points of a circle from one angle to a larger one, both included. */
  arc(x: number, y: number, radius: number, from: number, to: number, steps: number): void {
    for (let i = 0; i <= steps; ++i) {
      const angle = from + ((to - from) * i) / steps;
      this.point(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
  }

  /** Fills the outline and draws its inner border of `width` pixels. */
  fill(inside: Colour, border: Colour, width: number): void {
    const n = this.points;
    if (n < 3) {
      return;
    }
    this.reserve(3 * n, 9 * n);
    const first = this.vertices;
    for (let i = 0; i < n; ++i) {
      this.vertex(this.px[i]!, this.py[i]!, 0, 0, inside);
    }
    for (let i = 2; i < n; ++i) {
      this.triangle(first, first + i - 1, first + i);
    }
    const band = this.vertices;
    for (let i = 0; i < n; ++i) {
      this.corner(i, n, border, width);
    }
    for (let i = 0; i < n; ++i) {
      const [a, b] = [band + 2 * i, band + 2 * ((i + 1) % n)];
      this.triangle(a, b, a + 1);
      this.triangle(a + 1, b, b + 1);
    }
  }

  /** Two vertices at a corner: on the outline, and `width` pixels inside it. */
  private corner(i: number, n: number, border: Colour, width: number): void {
    const [x, y] = [this.px[i]!, this.py[i]!];
    const before = i === 0 ? n - 1 : i - 1;
    const after = i === n - 1 ? 0 : i + 1;
    let [ax, ay] = [x - this.px[before]!, y - this.py[before]!];
    let [bx, by] = [this.px[after]! - x, this.py[after]! - y];
    const a = Math.hypot(ax, ay) || 1;
    const b = Math.hypot(bx, by) || 1;
    ax /= a;
    ay /= a;
    bx /= b;
    by /= b;
    // The inner normals (-y, x) of both edges; the mitre is their sum over 1 + cos, at most four widths long.
    const scale = width / Math.max(0.25, 1 + ax * bx + ay * by);
    this.vertex(x, y, 0, 0, border);
    this.vertex(x, y, -(ay + by) * scale, (ax + bx) * scale, border);
  }

  // ---- lines and dots -------------------------------------------------------------------------------

  /** A line of `width` pixels. */
  line(ax: number, ay: number, bx: number, by: number, width: number, of: Colour): void {
    const length = Math.hypot(bx - ax, by - ay);
    if (length === 0) {
      return;
    }
    this.reserve(4, 6);
    const nx = ((ay - by) / length) * 0.5 * width;
    const ny = ((bx - ax) / length) * 0.5 * width;
    const first = this.vertices;
    this.vertex(ax, ay, nx, ny, of);
    this.vertex(ax, ay, -nx, -ny, of);
    this.vertex(bx, by, nx, ny, of);
    this.vertex(bx, by, -nx, -ny, of);
    this.triangle(first, first + 1, first + 2);
    this.triangle(first + 2, first + 1, first + 3);
  }

  /** A dot of `radius` pixels. */
  dot(x: number, y: number, radius: number, of: Colour): void {
    const n = 12;
    this.reserve(n, 3 * n);
    const first = this.vertices;
    for (let i = 0; i < n; ++i) {
      this.vertex(x, y, radius * Math.cos((i * 2 * Math.PI) / n), radius * Math.sin((i * 2 * Math.PI) / n), of);
    }
    for (let i = 2; i < n; ++i) {
      this.triangle(first, first + i - 1, first + i);
    }
  }

  /** The tip of an arrow at b, `size` pixels long. */
  tip(ax: number, ay: number, bx: number, by: number, size: number, of: Colour): void {
    const length = Math.hypot(bx - ax, by - ay);
    if (length === 0) {
      return;
    }
    this.reserve(3, 3);
    const [ux, uy] = [((bx - ax) / length) * size, ((by - ay) / length) * size];
    const first = this.vertices;
    this.vertex(bx, by, 0, 0, of);
    this.vertex(bx, by, -ux - 0.5 * uy, -uy + 0.5 * ux, of);
    this.vertex(bx, by, -ux + 0.5 * uy, -uy - 0.5 * ux, of);
    this.triangle(first, first + 1, first + 2);
  }
}
