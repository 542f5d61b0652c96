// From packed draw items (src/display.ts) to triangles: what each kind of item looks like. Items are read in place,
// since an object for each would be most of a frame's time.
import { UNIT } from '../src/display.js';
import type { Camera } from './camera.js';
import type { Picture } from './messages.js';
import { withAlpha, type Colour, type Mesh } from './mesh.js';
import { memberColour, type Theme } from './theme.js';

// isostep/draw.h
const enum Kind {
  Circle = 1,
  Capsule,
  Polygon,
  Line,
  Point,
  Arrow,
  Arc,
}
const enum Role {
  Outline = 1,
  Heading,
  Centre,
  Anchor,
  Lever,
  Link,
  Spring,
  Limit,
  Angle,
  Motor,
  Touch,
  Normal,
  Axis,
  Mark,
}
const BODY_STATIC = 1;
const NOBODY = 0xff; // slots are below it
const FIRST_POINT = 15; // word of an item
const RADIUS = 11;
const BESIDE = 12; // [px] that lines and dots may reach beyond an item's points
const TINY = 4; // [px] a shape that is not larger has no border

/** What a pointer is over. */
export interface Hit {
  readonly body: bigint;
  readonly area: number; // [m^2] of all its shapes
}

export class Painter {
  private words = new Int32Array(0);
  private at = 0; // of the item at hand
  private isTiny = false; // that item
  // A body as in the words: a BigInt for each item would be an allocation for each.
  private index = 0;
  private generation = 0;
  /** Bodies that are pointed out, by their index. */
  marked: ReadonlySet<number> = new Set();

  constructor(
    private readonly mesh: Mesh,
    private readonly camera: Camera,
  ) {}

  /** Adds all items that are on the canvas. */
  paint(picture: Picture, theme: Theme): void {
    this.words = picture.words;
    this.seek(picture.player);
    for (let i = 0; i < picture.count; ++i) {
      this.at = i * picture.stride;
      if (this.isVisible()) {
        this.item(theme);
      }
    }
  }

  private x(i: number): number {
    return this.words[this.at + FIRST_POINT + 2 * i]! / UNIT;
  }

  private y(i: number): number {
    return this.words[this.at + FIRST_POINT + 1 + 2 * i]! / UNIT;
  }

  private get pointCount(): number {
    return (this.words[this.at + 1]! >>> 8) & 0xff;
  }

  private get radius(): number {
    return this.words[this.at + RADIUS]! / UNIT;
  }

  private get body(): bigint {
    return (BigInt(this.words[this.at + 5]! >>> 0) << 32n) | BigInt(this.words[this.at + 4]! >>> 0);
  }

  /** Says which body isSought() asks for. */
  private seek(body: bigint): void {
    this.index = Number(BigInt.asIntN(32, body));
    this.generation = Number(BigInt.asIntN(32, body >> 32n));
  }

  /** Whether the item belongs to that body; none does to 0n. */
  private isSought(): boolean {
    return (
      this.words[this.at + 4] === this.index && this.words[this.at + 5] === this.generation && this.generation !== 0
    );
  }

  private isVisible(): boolean {
    const { camera, words, at } = this;
    let left = Infinity;
    let right = -Infinity;
    let bottom = Infinity;
    let top = -Infinity;
    const end = at + FIRST_POINT + 2 * this.pointCount;
    for (let i = at + FIRST_POINT; i < end; i += 2) {
      const x = words[i]!;
      const y = words[i + 1]!;
      left = x < left ? x : left;
      right = x > right ? x : right;
      bottom = y < bottom ? y : bottom;
      top = y > top ? y : top;
    }
    const radius = Math.max(words[at + RADIUS]!, words[at + RADIUS + 1]!);
    const unit = UNIT / camera.scale; // words to a pixel
    this.isTiny = Math.max(right - left, top - bottom) + 2 * radius <= TINY * unit;
    const reach = radius + BESIDE * unit;
    const [halfWidth, halfHeight] = [(camera.width / 2) * unit + reach, (camera.height / 2) * unit + reach];
    const [x, y] = [camera.x * UNIT, camera.y * UNIT];
    return left - x < halfWidth && right - x > -halfWidth && bottom - y < halfHeight && top - y > -halfHeight;
  }

  private item(theme: Theme): void {
    const role = (this.words[this.at]! >>> 8) & 0xff;
    const { mesh } = this;
    const isActive = (this.words[this.at + 1]! & 0x20000) !== 0;
    switch (role) {
      case Role.Outline:
        return this.shape(theme);
      case Role.Heading:
        return this.isTiny ? undefined : this.stroke(1.5, withAlpha(theme.ink, 0.35));
      case Role.Touch:
        return mesh.dot(this.x(0), this.y(0), 2.5, isActive ? theme.contact : withAlpha(theme.contact, 0.3));
      case Role.Normal:
        return this.stroke(1.25, withAlpha(theme.contact, isActive ? 0.8 : 0.3));
      case Role.Spring:
        return this.spring(isActive ? theme.joint : withAlpha(theme.joint, 0.3));
      case Role.Link:
        return this.stroke(2, isActive ? theme.joint : withAlpha(theme.joint, 0.3));
      case Role.Motor:
        return this.stroke(2, theme.motor);
      case Role.Anchor:
        return mesh.dot(this.x(0), this.y(0), Math.max(1.5, Math.min(3, this.camera.scale / 10)), theme.joint);
      case Role.Mark:
        return this.mark(theme);
      default:
        return this.stroke(1, withAlpha(theme.joint, 0.35));
    }
  }

  /** What a game draws has the colour of the member whose it is. */
  private mark(theme: Theme): void {
    const slot = this.words[this.at + 2]! & 0xffff;
    this.stroke(1.75, slot < NOBODY ? memberColour(slot) : theme.mark);
  }

  private shape(theme: Theme): void {
    const head = this.words[this.at]! >>> 0;
    const slot = this.words[this.at + 2]! & 0xffff;
    const isAsleep = (this.words[this.at + 1]! & 0x10000) !== 0;
    const isStatic = head >>> 24 === BODY_STATIC;
    const isMine = this.isSought();
    const base: Colour = isStatic
      ? theme.ground
      : slot < NOBODY
        ? memberColour(slot)
        : theme.things[this.words[this.at + 4]! % theme.things.length]!;
    if ((head & 0xff) === Kind.Line || ((head & 0xff) === Kind.Capsule && this.radius === 0)) {
      return this.stroke(2, isStatic ? theme.groundEdge : base);
    }
    this.outline(head & 0xff);
    if (this.marked.has(this.words[this.at + 4]!)) {
      this.mesh.fill(withAlpha(theme.contact, 0.55), theme.contact, 3);
    } else if (this.isTiny) {
      this.mesh.plain(isStatic ? theme.groundEdge : withAlpha(base, isAsleep ? 0.6 : 1));
    } else if (isStatic) {
      this.mesh.fill(theme.ground, theme.groundEdge, 1.5);
    } else {
      const inside = withAlpha(base, isAsleep ? 0.38 : isMine ? 0.95 : 0.72);
      this.mesh.fill(inside, isMine ? theme.ink : withAlpha(base, isAsleep ? 0.65 : 1), isMine ? 2.5 : 1.5);
    }
  }

  private steps(radius: number, turn: number): number {
    const pixels = radius * this.camera.scale;
    return Math.max(2, Math.min(40, Math.ceil((turn / (2 * Math.PI)) * (8 + 3 * Math.sqrt(pixels)))));
  }

  /** The outline of a circle, capsule or polygon, counter-clockwise. */
  private outline(kind: number): void {
    const { mesh, radius } = this;
    mesh.begin();
    if (kind === Kind.Circle) {
      const steps = this.steps(radius, 2 * Math.PI) + (this.isTiny ? 0 : 4);
      mesh.arc(this.x(0), this.y(0), radius, 0, 2 * Math.PI * (1 - 1 / steps), steps - 1);
    } else if (kind === Kind.Capsule) {
      this.capsule();
    } else {
      this.polygon();
    }
  }

  private capsule(): void {
    const { mesh, radius: a } = this;
    const b = this.words[this.at + RADIUS + 1]! / UNIT;
    const [dx, dy] = [this.x(1) - this.x(0), this.y(1) - this.y(0)];
    const length = Math.hypot(dx, dy);
    if (length <= Math.abs(a - b)) {
      const end = a > b ? 0 : 1;
      const steps = this.steps(Math.max(a, b), 2 * Math.PI) + 4;
      mesh.arc(this.x(end), this.y(end), Math.max(a, b), 0, 2 * Math.PI * (1 - 1 / steps), steps - 1);
      return;
    }
    const along = Math.atan2(dy, dx);
    const tilt = Math.acos((a - b) / length); // where the common tangents touch
    mesh.arc(this.x(0), this.y(0), a, along + tilt, along + 2 * Math.PI - tilt, this.steps(a, 2 * Math.PI - 2 * tilt));
    mesh.arc(this.x(1), this.y(1), b, along - tilt, along + tilt, this.steps(b, 2 * tilt));
  }

  private polygon(): void {
    const { mesh, radius, pointCount: n } = this;
    if (radius * this.camera.scale < 0.5) {
      for (let i = 0; i < n; ++i) {
        mesh.point(this.x(i), this.y(i));
      }
      return;
    }
    let from = this.outward(n - 1, 0);
    for (let i = 0; i < n; ++i) {
      const next = this.outward(i, i === n - 1 ? 0 : i + 1);
      const to = next < from ? next + 2 * Math.PI : next;
      mesh.arc(this.x(i), this.y(i), radius, from, to, this.steps(radius, to - from));
      from = next;
    }
  }

  /** The direction of an edge's outer normal, -1.5 π to 0.5 π. */
  private outward(i: number, k: number): number {
    return Math.atan2(this.y(k) - this.y(i), this.x(k) - this.x(i)) - Math.PI / 2;
  }

  /** Anything as lines of a width in pixels. */
  private stroke(width: number, of: Colour): void {
    const { mesh } = this;
    const kind = this.words[this.at]! & 0xff;
    if (kind === Kind.Point) {
      mesh.dot(this.x(0), this.y(0), 1.5 * width, of);
    } else if (kind === Kind.Line || kind === Kind.Arrow || (kind === Kind.Capsule && this.radius === 0)) {
      mesh.line(this.x(0), this.y(0), this.x(1), this.y(1), width, of);
      if (kind === Kind.Arrow) {
        mesh.tip(this.x(0), this.y(0), this.x(1), this.y(1), 3 + 3 * width, of);
      }
    } else if (kind === Kind.Arc) {
      this.strokeArc(width, of);
    } else {
      this.outline(kind);
      mesh.fill(withAlpha(of, 0.4), of, width);
    }
  }

  private strokeArc(width: number, of: Colour): void {
    const { radius } = this;
    const from = this.words[this.at + 13]! / UNIT;
    const to = this.words[this.at + 14]! / UNIT;
    const steps = Math.max(1, Math.ceil(Math.min(200, Math.abs(to - from) * 6)));
    for (let i = 0; i < steps; ++i) {
      const a = from + ((to - from) * i) / steps;
      const b = from + ((to - from) * (i + 1)) / steps;
      this.mesh.line(
        this.x(0) + radius * Math.cos(a), this.y(0) + radius * Math.sin(a),
        this.x(0) + radius * Math.cos(b), this.y(0) + radius * Math.sin(b), width, of,
      );
    }
  }

  /** A zigzag, whatever the length. */
  private spring(of: Colour): void {
    if ((this.words[this.at]! & 0xff) !== Kind.Line) {
      return this.stroke(1.5, of);
    }
    const [ax, ay, bx, by] = [this.x(0), this.y(0), this.x(1), this.y(1)];
    const length = Math.hypot(bx - ax, by - ay);
    const turns = 10;
    const wide = Math.min(5 / this.camera.scale, length / 6) / (length || 1);
    let [x, y] = [ax, ay];
    for (let i = 1; i <= turns; ++i) {
      const along = i === turns ? 1 : (i - 0.5) / (turns - 1);
      const side = i === turns ? 0 : i % 2 === 0 ? -wide : wide;
      const [nx, ny] = [ax + (bx - ax) * along - (by - ay) * side, ay + (by - ay) * along + (bx - ax) * side];
      this.mesh.line(x, y, nx, ny, 1.5, of);
      [x, y] = [nx, ny];
    }
  }

  // ---- what a pointer is over -----------------------------------------------------------------------

  /** The topmost moving body whose shape is within `reach` of the point [m]. */
  hit(picture: Picture, x: number, y: number, reach: number): Hit | null {
    this.words = picture.words;
    let found: bigint | null = null;
    for (let i = 0; i < picture.count; ++i) {
      this.at = i * picture.stride;
      const head = this.words[this.at]! >>> 0;
      if (((head >>> 8) & 0xff) === Role.Outline && head >>> 24 === 3 && this.distance(x, y) <= reach) {
        found = this.body;
      }
    }
    return found === null ? null : { body: found, area: this.area(picture, found) };
  }

  /** From the point to the shape at hand [m], 0 inside. */
  private distance(x: number, y: number): number {
    const n = this.pointCount;
    let nearest = Infinity;
    let isInside = n > 2;
    for (let i = 0; i < n; ++i) {
      const next = n === 1 ? 0 : (i + 1) % n;
      const [ex, ey] = [this.x(next) - this.x(i), this.y(next) - this.y(i)];
      const [px, py] = [x - this.x(i), y - this.y(i)];
      const along = Math.max(0, Math.min(1, (px * ex + py * ey) / (ex * ex + ey * ey || 1)));
      nearest = Math.min(nearest, Math.hypot(px - along * ex, py - along * ey));
      isInside &&= ex * py - ey * px >= 0;
    }
    return isInside ? 0 : Math.max(0, nearest - this.radius);
  }

  private area(picture: Picture, body: bigint): number {
    let sum = 0;
    this.seek(body);
    for (let i = 0; i < picture.count; ++i) {
      this.at = i * picture.stride;
      if (((this.words[this.at]! >>> 8) & 0xff) !== Role.Outline || !this.isSought()) {
        continue;
      }
      const n = this.pointCount;
      for (let k = 0; k < n; ++k) {
        const next = (k + 1) % n;
        sum += 0.5 * (this.x(k) * this.y(next) - this.x(next) * this.y(k));
        sum += n > 1 ? this.radius * Math.hypot(this.x(next) - this.x(k), this.y(next) - this.y(k)) : 0;
      }
      sum += Math.PI * this.radius * this.radius;
    }
    return Math.abs(sum);
  }

  /** Where a body's first shape is. */
  place(picture: Picture, body: bigint): { x: number; y: number } | null {
    this.words = picture.words;
    this.seek(body);
    for (let i = 0; i < picture.count; ++i) {
      this.at = i * picture.stride;
      if (((this.words[this.at]! >>> 8) & 0xff) === Role.Outline && this.isSought()) {
        return { x: this.x(0), y: this.y(0) };
      }
    }
    return null;
  }

  /** The box around all that can move, or around everything. */
  bounds(picture: Picture, isWhole = false): { left: number; right: number; bottom: number; top: number } | null {
    this.words = picture.words;
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < picture.count; ++i) {
      this.at = i * picture.stride;
      const head = this.words[this.at]! >>> 0;
      if (!isWhole && ((head >>> 8) & 0xff) === Role.Outline && head >>> 24 === BODY_STATIC) {
        continue;
      }
      for (let k = 0; k < this.pointCount; ++k) {
        left = Math.min(left, this.x(k) - this.radius);
        right = Math.max(right, this.x(k) + this.radius);
        bottom = Math.min(bottom, this.y(k) - this.radius);
        top = Math.max(top, this.y(k) + this.radius);
      }
    }
    return left <= right ? { left, right, bottom, top } : null;
  }
}
