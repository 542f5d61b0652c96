// Triangles for one frame, in one array: every vertex is a point of the world, an offset in pixels, and a colour. So
// lines keep their width at any zoom, and the whole picture is one draw call.
export const VERTEX_BYTES = 20; // x, y [m, from the camera]; dx, dy [px]; colour as RGBA bytes

/** A colour as the vertices have it: 0xAABBGGRR. */
export type Colour = number;

export function colour(hex: string, alpha = 1): Colour {
  const rgb = parseInt(hex.slice(1), 16);
  return ((Math.round(alpha * 255) << 24) | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}

export const withAlpha = (of: Colour, alpha: number): Colour =>
  ((of & 0xffffff) | (Math.round(alpha * (of >>> 24)) << 24)) >>> 0;

const POINTS_MAX = 256; // of one outline
const WORDS = VERTEX_BYTES / 4; // of a vertex

// The directions of a dot's corners.
const DOT_CORNERS = 12;
const DOT_X = Float64Array.from({ length: DOT_CORNERS }, (_, i) => Math.cos((i * 2 * Math.PI) / DOT_CORNERS));
const DOT_Y = Float64Array.from({ length: DOT_CORNERS }, (_, i) => Math.sin((i * 2 * Math.PI) / DOT_CORNERS));

// A frame makes tens of thousands of vertices: nothing here allocates, but for arrays that are too short. Square roots
// instead of Math.hypot, which takes ten times as long; no length here is near the ends of a double.
export class Mesh {
  /** Words of the vertices, `wordCount` of them, and numbers of vertices, three to a triangle, `indexCount` of them. */
  words = new Uint32Array(1 << 18);
  indices = new Uint32Array(1 << 17);
  indexCount = 0;
  private floats = new Float32Array(this.words.buffer);
  private vertices = 0;
  // The outline at hand, counter-clockwise, from the origin.
  private readonly px = new Float64Array(POINTS_MAX);
  private readonly py = new Float64Array(POINTS_MAX);
  private points = 0;
  /** Of the camera: positions are kept relative to it, as 32 bits are too few for a place in a large world. */
  originX = 0;
  originY = 0;

  clear(): void {
    this.vertices = this.indexCount = 0;
  }

  get wordCount(): number {
    return this.vertices * WORDS;
  }

  /** Room for what follows; all that is written after it fits. */
  private reserve(vertices: number, indices: number): void {
    if ((this.vertices + vertices) * WORDS > this.words.length) {
      const words = new Uint32Array(2 * this.words.length + vertices * WORDS);
      words.set(this.words);
      this.words = words;
      this.floats = new Float32Array(words.buffer);
    }
    if (this.indexCount + indices > this.indices.length) {
      const list = new Uint32Array(2 * this.indices.length + indices);
      list.set(this.indices);
      this.indices = list;
    }
  }

  /** @param x, y  from the origin */
  private vertex(x: number, y: number, dx: number, dy: number, of: Colour): void {
    const { floats } = this;
    const at = this.vertices * WORDS;
    floats[at] = x;
    floats[at + 1] = y;
    floats[at + 2] = dx;
    floats[at + 3] = dy;
    this.words[at + 4] = of;
    this.vertices += 1;
  }

  private triangle(a: number, b: number, c: number): void {
    const { indices, indexCount } = this;
    indices[indexCount] = a;
    indices[indexCount + 1] = b;
    indices[indexCount + 2] = c;
    this.indexCount = indexCount + 3;
  }

  /** The triangles between the first of `count` vertices and each edge. */
  private fan(first: number, count: number): void {
    for (let i = first + 2; i < first + count; ++i) {
      this.triangle(first, i - 1, i);
    }
  }

  // ---- outlines -----------------------------------------------------------------------------------

  begin(): void {
    this.points = 0;
  }

  point(x: number, y: number): void {
    if (this.points < POINTS_MAX) {
      this.px[this.points] = x - this.originX;
      this.py[this.points] = y - this.originY;
      this.points += 1;
    }
  }

  /** Points of a circle from one angle to a larger one, both included. */
  arc(x: number, y: number, radius: number, from: number, to: number, steps: number): void {
    const c = Math.cos((to - from) / steps);
    const s = Math.sin((to - from) / steps);
    let dx = radius * Math.cos(from);
    let dy = radius * Math.sin(from);
    for (let i = 0; i <= steps; ++i) {
      this.point(x + dx, y + dy);
      const turned = dx * c - dy * s;
      dy = dx * s + dy * c;
      dx = turned;
    }
  }

  /** Fills the outline without a border. */
  plain(inside: Colour): void {
    const n = this.points;
    if (n < 3) {
      return;
    }
    this.reserve(n, 3 * n);
    this.fan(this.vertices, n);
    for (let i = 0; i < n; ++i) {
      this.vertex(this.px[i]!, this.py[i]!, 0, 0, inside);
    }
  }

  /** Fills the outline and draws its inner border of `width` pixels. */
  fill(inside: Colour, border: Colour, width: number): void {
    const { px, py, points: n } = this;
    if (n < 3) {
      return;
    }
    this.plain(inside);
    this.reserve(2 * n, 6 * n);
    const band = this.vertices;
    let ax = px[0]! - px[n - 1]!;
    let ay = py[0]! - py[n - 1]!;
    const a = Math.sqrt(ax * ax + ay * ay) || 1;
    ax /= a;
    ay /= a;
    for (let i = 0; i < n; ++i) {
      // The edges before and after the corner.
      const next = i === n - 1 ? 0 : i + 1;
      let bx = px[next]! - px[i]!;
      let by = py[next]! - py[i]!;
      const b = Math.sqrt(bx * bx + by * by) || 1;
      bx /= b;
      by /= b;
      // Two vertices at a corner: on the outline, and `width` pixels inside it. The inner normals of both edges are
      // (-y, x); the mitre is their sum over 1 + cos, at most four widths long.
      const scale = width / Math.max(0.25, 1 + ax * bx + ay * by);
      this.vertex(px[i]!, py[i]!, 0, 0, border);
      this.vertex(px[i]!, py[i]!, -(ay + by) * scale, (ax + bx) * scale, border);
      const [from, to] = [band + 2 * i, band + 2 * next];
      this.triangle(from, to, from + 1);
      this.triangle(from + 1, to, to + 1);
      ax = bx;
      ay = by;
    }
  }

  // ---- lines and dots -------------------------------------------------------------------------------

  /** A line of `width` pixels. */
  line(ax: number, ay: number, bx: number, by: number, width: number, of: Colour): void {
    const [dx, dy] = [bx - ax, by - ay];
    const length = Math.sqrt(dx * dx + dy * dy);
    if (length === 0) {
      return;
    }
    this.reserve(4, 6);
    const { originX, originY, vertices: first } = this;
    const nx = (-dy / length) * 0.5 * width;
    const ny = (dx / length) * 0.5 * width;
    this.vertex(ax - originX, ay - originY, nx, ny, of);
    this.vertex(ax - originX, ay - originY, -nx, -ny, of);
    this.vertex(bx - originX, by - originY, nx, ny, of);
    this.vertex(bx - originX, by - originY, -nx, -ny, of);
    this.triangle(first, first + 1, first + 2);
    this.triangle(first + 2, first + 1, first + 3);
  }

  /** A dot of `radius` pixels. */
  dot(x: number, y: number, radius: number, of: Colour): void {
    this.reserve(DOT_CORNERS, 3 * DOT_CORNERS);
    this.fan(this.vertices, DOT_CORNERS);
    for (let i = 0; i < DOT_CORNERS; ++i) {
      this.vertex(x - this.originX, y - this.originY, radius * DOT_X[i]!, radius * DOT_Y[i]!, of);
    }
  }

  /** The tip of an arrow at b, `size` pixels long. */
  tip(ax: number, ay: number, bx: number, by: number, size: number, of: Colour): void {
    const length = Math.sqrt((bx - ax) ** 2 + (by - ay) ** 2);
    if (length === 0) {
      return;
    }
    this.reserve(3, 3);
    const { originX, originY, vertices: first } = this;
    const [ux, uy] = [((bx - ax) / length) * size, ((by - ay) / length) * size];
    this.vertex(bx - originX, by - originY, 0, 0, of);
    this.vertex(bx - originX, by - originY, -ux - 0.5 * uy, -uy + 0.5 * ux, of);
    this.vertex(bx - originX, by - originY, -ux + 0.5 * uy, -uy - 0.5 * ux, of);
    this.triangle(first, first + 1, first + 2);
  }
}
