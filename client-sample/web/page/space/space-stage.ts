// A world in space on a canvas, by three.js: all shapes of one geometry are one draw call, with the bodies' poses and
// colours.
import {
  BufferAttribute, BufferGeometry, Color, DirectionalLight, Fog, GridHelper, HemisphereLight, InstancedMesh,
  LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, PCFShadowMap, PerspectiveCamera, Plane,
  PlaneGeometry, Quaternion, Raycaster, Scene, Vector2, Vector3, WebGLRenderer, type Material,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { DrawRole, UNIT } from '../../src/display.js';
import { ShapeKind3, type Heights3, type Shape3 } from '../../src/space.js';
import type { Picture3 } from '../messages.js';
import { DARK, memberHex, type Theme } from '../theme.js';
import type { Colour } from '../mesh.js';
import { makeGround, makeMaterial } from './space-materials.js';
import { makeField, solidOf, type Solid, type SolidKind } from './space-solids.js';

const EXTENT = 4000; // [m] of a ground
const ROTATION_ONE = 2 ** 30;
const DYNAMIC = 3;
const STATIC = 1;
const ASLEEP = 256;
const NOBODY = 0xff; // slots are below it
const VIEW_ANGLE = 45; // [degrees]
const SUN = new Vector3(-0.75, 1, 0.2).normalize(); // so that shadows are beside what casts them
const SUN_FAR = 80; // [m]
const LINE_WORDS = 7;
const ACTIVE = 256;
const CROSS = 0.04; // [m]
const SHADOW_SIZE = 2048; // [px]
const FIT_BODIES = 0.94; // of the moving bodies: what has been thrown far away is not fitted

/** What is looked at, and from where. Two stages may have the same. */
export class Eye {
  readonly camera = new PerspectiveCamera(VIEW_ANGLE, 1, 0.1, 3000);
  readonly target = new Vector3(0, 1, 0);

  constructor() {
    this.camera.position.set(10, 9, 16);
  }

  /** Looks at a point [m] from a distance, from above and from a side. @param yaw, pitch  [rad] */
  look(at: Vector3, distance: number, yaw: number, pitch: number): void {
    const flat = Math.cos(pitch) * distance;
    this.target.copy(at);
    this.camera.position.set(
      at.x + Math.sin(yaw) * flat, at.y + Math.sin(pitch) * distance, at.z + Math.cos(yaw) * flat,
    );
  }
}

/** A body as the picture has it. */
export interface Body {
  readonly index: number;
  readonly generation: number;
  readonly type: number;
  readonly isAsleep: boolean;
  readonly slot: number;
  readonly position: Vector3;
  /** From the body's frame to the world. */
  readonly rotation: Quaternion;
}

export interface Touch {
  /** Of a body that can move; null: the ground. */
  readonly body: Body | null;
  readonly at: Vector3; // [m]
}

/** Colours in the form that three.js has. */
const plain = (of: Colour): Color =>
  new Color().setRGB((of & 255) / 255, ((of >>> 8) & 255) / 255, ((of >>> 16) & 255) / 255, 'srgb');

class Batch {
  mesh: InstancedMesh;
  bodies = new Int32Array(0); // the pose that each instance has, by its number in the picture

  constructor(
    private readonly solid: Solid,
    private readonly material: Material,
  ) {
    this.mesh = this.make(16);
  }

  private make(capacity: number): InstancedMesh {
    const mesh = new InstancedMesh(this.mesh?.geometry ?? this.solid.make(), this.material, capacity);
    mesh.castShadow = this.solid.kind !== 'sensor';
    mesh.receiveShadow = true;
    mesh.frustumCulled = false; // its instances are everywhere
    mesh.count = 0;
    this.bodies = new Int32Array(capacity);
    return mesh;
  }

  /** Room for one more. */
  grow(scene: Scene): void {
    if (this.mesh.count === this.bodies.length) {
      const [old, bodies] = [this.mesh, this.bodies];
      this.mesh = this.make(2 * old.count);
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      old.instanceColor && this.mesh.setColorAt(0, new Color());
      old.instanceColor && this.mesh.instanceColor!.array.set(old.instanceColor.array);
      this.mesh.count = old.count;
      this.bodies.set(bodies);
      scene.remove(old);
      scene.add(this.mesh);
      old.dispose();
    }
  }
}

export class Stage3 {
  readonly canvas = document.createElement('canvas');
  /** 2: all; 1: no shadows; 0: and half the pixels. */
  quality = 2;
  /** [px] at the right of the canvas that something covers. */
  covered = 0;
  /** Bodies that are pointed out, by their index. */
  marked: ReadonlySet<number> = new Set();
  /** Before the controls: whoever takes a pointer switches them off. */
  readonly controls: OrbitControls;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly sun = new DirectionalLight(0xffffff, 2.4);
  private readonly sky = new HemisphereLight(0xffffff, 0x888888, 1.5);
  private readonly floor = makeGround(`position.xy * float(${EXTENT})`);
  private readonly land = makeGround('position.xz'); // of fields of heights
  private readonly wall = new MeshLambertMaterial(); // and below their border
  private readonly fields = new Map<number, BufferGeometry>(); // by the hash of what they look like
  private readonly square = new PlaneGeometry(1, 1);
  private readonly grounds = new Map<number, Mesh>(); // by the shape's index
  private grid: GridHelper | null = null; // where there is no ground
  private readonly looks = new Map<number, { shape: Shape3; solid: Solid | null }>();
  private readonly batches = new Map<string, Batch>();
  private readonly materials = new Map<SolidKind, Material>();
  private readonly lines = new LineSegments(
    new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }),
  );
  private picture: Picture3 | null = null;
  private rows = new Int32Array(0); // word of each body's pose, by its index; -1: none
  private theme: Theme | null = null;
  private things: Color[] = [];
  private still = new Color();
  private contact = new Color();
  private joint = new Color();
  private shown = 0; // what the canvas was made for: a number of covered and quality
  private isStale = true; // the canvas may have another size
  private isDirty = true;
  // For what is computed for each shape.
  private readonly pose = new Matrix4();
  private readonly matrix = new Matrix4();
  private readonly place = new Vector3();
  private readonly turn = new Quaternion();
  private readonly one = new Vector3(1, 1, 1);
  private readonly tint = new Color();
  private readonly ray = new Raycaster();

  /** @throws Error  there is no WebGL 2 */
  constructor(
    host: HTMLElement,
    readonly eye: Eye,
    what: string,
    prepare: (canvas: HTMLCanvasElement) => void = () => undefined,
  ) {
    const { canvas, scene, sun } = this;
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', what);
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    sun.castShadow = true;
    sun.shadow.mapSize.set(SHADOW_SIZE, SHADOW_SIZE);
    sun.shadow.normalBias = 0.04; // [m]
    this.lines.renderOrder = 1; // joints are inside of bodies
    this.lines.frustumCulled = false;
    scene.add(sun, sun.target, this.sky, this.lines);
    scene.fog = new Fog(0, 1, 2);
    host.append(canvas);
    prepare(canvas);
    this.controls = new OrbitControls(eye.camera, canvas);
    this.controls.target = eye.target;
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.15;
    this.controls.minDistance = 1;
    this.controls.maxDistance = 800;
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.controls.addEventListener('change', () => (this.isDirty = true));
    new ResizeObserver(() => (this.isStale = true)).observe(canvas);
  }

  // ---- what is there ----------------------------------------------------------------------------------

  /** The next picture. */
  take(picture: Picture3): void {
    picture.looks.forEach((look) => this.looks.set(look.hash, { shape: look.shape, solid: solidOf(look) }));
    this.picture = picture;
    this.isDirty = true;
    let last = -1;
    const { words, bodyCount, bodyStride } = picture;
    if (bodyCount > 0) {
      last = words[(bodyCount - 1) * bodyStride]!; // by rising index
    }
    if (this.rows.length <= last) {
      this.rows = new Int32Array(2 * last + 2);
    }
    this.rows.fill(-1);
    for (let i = 0; i < bodyCount; ++i) {
      this.rows[words[i * bodyStride]!] = i * bodyStride;
    }
  }

  get hasPicture(): boolean {
    return this.picture !== null;
  }

  private bodyAt(row: number): Body {
    const { words } = this.picture!;
    return {
      index: words[row]!,
      generation: words[row + 1]!,
      type: words[row + 10]! & 0xff,
      isAsleep: (words[row + 10]! & ASLEEP) !== 0,
      slot: words[row + 9]! & 0xffff,
      position: new Vector3(words[row + 2]! / UNIT, words[row + 3]! / UNIT, words[row + 4]! / UNIT),
      rotation: new Quaternion(
        words[row + 5]! / ROTATION_ONE, words[row + 6]! / ROTATION_ONE, words[row + 7]! / ROTATION_ONE,
        words[row + 8]! / ROTATION_ONE,
      ),
    };
  }

  /** All bodies that are shown. */
  bodies(): Body[] {
    const { bodyCount = 0, bodyStride = 0 } = this.picture ?? {};
    return Array.from({ length: bodyCount }, (_, i) => this.bodyAt(i * bodyStride));
  }

  body(handle: bigint): Body | null {
    const [index, generation] = [Number(BigInt.asUintN(32, handle)), Number(BigInt.asIntN(32, handle >> 32n))];
    const row = handle === 0n || index >= this.rows.length ? -1 : this.rows[index]!;
    const found = row < 0 || this.picture === null ? null : this.bodyAt(row);
    return found?.generation === generation ? found : null;
  }

  /** [m³] About: a hull's, and where shapes overlap. */
  volume(body: Body): number {
    let volume = 0;
    const { words, bodyCount, bodyStride, shapeCount, shapeStride } = this.picture!;
    for (let i = 0; i < shapeCount; ++i) {
      const at = bodyCount * bodyStride + i * shapeStride;
      volume += words[at] === body.index ? (this.looks.get(words[at + 3]!)?.solid?.volume ?? 0) : 0;
    }
    return volume;
  }

  // ---- colours ----------------------------------------------------------------------------------------

  setTheme(theme: Theme): void {
    if (this.theme === theme) {
      return;
    }
    this.theme = theme;
    this.isDirty = true;
    const isDark = theme === DARK;
    const background = new Color(theme.background);
    this.scene.background = background;
    this.scene.fog!.color.copy(background);
    this.things = theme.things.map(plain);
    this.still = plain(theme.groundEdge);
    this.contact = plain(theme.contact);
    this.joint = plain(theme.joint);
    this.sky.color.set(isDark ? '#c8d8ee' : '#ffffff');
    this.sky.groundColor.set(isDark ? '#4a4640' : '#b4ab9c');
    this.sky.intensity = isDark ? 1.1 : 1.7;
    this.sun.intensity = isDark ? 2.3 : 2.1;
    const ground = isDark
      ? { ground: new Color('#2b3542'), line: new Color('#7d90a6'), strength: 0.4 }
      : { ground: new Color('#dfdad0'), line: new Color('#6f6a5f'), strength: 0.45 };
    this.floor.paint(ground);
    this.land.paint(isDark ? { ...ground, ground: new Color('#41566a') } : ground);
    this.wall.color.set(isDark ? '#2b3542' : '#c4bdae');
    this.showGrid(false);
  }

  private colour(row: number): Color {
    const { words } = this.picture!;
    const [index, slot, flags] = [words[row]!, words[row + 9]! & 0xffff, words[row + 10]!];
    const { tint } = this;
    const isStatic = (flags & 0xff) === STATIC;
    if (this.marked.has(index)) {
      return tint.copy(this.contact);
    }
    if (isStatic) {
      return tint.copy(this.still);
    }
    if (slot < NOBODY) {
      tint.set(memberHex(slot));
    } else {
      tint.copy(this.things[index % this.things.length]!);
    }
    return (flags & ASLEEP) !== 0 ? tint.lerp(this.scene.background as Color, 0.38) : tint;
  }

  // ---- painting ---------------------------------------------------------------------------------------

  /** Fills the instances with the picture's shapes. */
  private placeShapes(): void {
    const { words, bodyCount, bodyStride, shapeCount, shapeStride } = this.picture!;
    this.batches.forEach(({ mesh }) => (mesh.count = 0));
    const seen = new Set<number>();
    let last = -1; // the row that `pose` is of
    for (let i = 0; i < shapeCount; ++i) {
      const at = bodyCount * bodyStride + i * shapeStride;
      const row = this.rows[words[at]!] ?? -1;
      const look = this.looks.get(words[at + 3]!);
      if (row < 0 || !look) {
        continue;
      }
      if (row !== last) {
        this.setPose(row);
        last = row;
      }
      if (look.solid !== null) {
        this.add(look.solid, row);
      } else if (this.showGround(words[at + 1]!, words[at + 3]!, look.shape)) {
        seen.add(words[at + 1]!);
      }
    }
    for (const [index, ground] of this.grounds) {
      if (!seen.has(index)) {
        this.scene.remove(ground);
        this.grounds.delete(index);
      }
    }
    this.showGrid(seen.size === 0);
    for (const { mesh } of this.batches.values()) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) {
        mesh.instanceColor.needsUpdate = true;
      }
      mesh.boundingSphere = null; // of the last picture's instances
    }
  }

  private setPose(row: number): void {
    const { words } = this.picture!;
    this.place.set(words[row + 2]! / UNIT, words[row + 3]! / UNIT, words[row + 4]! / UNIT);
    this.turn.set(
      words[row + 5]! / ROTATION_ONE, words[row + 6]! / ROTATION_ONE, words[row + 7]! / ROTATION_ONE,
      words[row + 8]! / ROTATION_ONE,
    );
    this.pose.compose(this.place, this.turn, this.one);
  }

  private add(solid: Solid, row: number): void {
    let batch = this.batches.get(solid.key);
    if (!batch) {
      batch = new Batch(solid, this.material(solid.kind));
      this.batches.set(solid.key, batch);
      this.scene.add(batch.mesh);
    }
    batch.grow(this.scene);
    const { mesh } = batch;
    const i = mesh.count++;
    batch.bodies[i] = row;
    mesh.setMatrixAt(i, this.matrix.multiplyMatrices(this.pose, solid.local));
    mesh.setColorAt(i, this.colour(row));
  }

  private material(kind: SolidKind): Material {
    const made = this.materials.get(kind) ?? makeMaterial(kind);
    this.materials.set(kind, made);
    return made;
  }

  /** Ground with the pose at hand. @return false: the shape is of a kind that has no picture here */
  private showGround(index: number, hash: number, { kind, points, offset, field }: Shape3): boolean {
    const at = new Vector3(points[0]?.x, points[0]?.y, points[0]?.z);
    if (field) {
      const ground = this.ground(index, hash, () => this.makeLand(hash, field));
      ground.quaternion.copy(this.turn);
      ground.position.copy(at.applyMatrix4(this.pose));
    } else if (kind === ShapeKind3.PLANE) {
      const ground = this.ground(index, hash, () => this.makeFloor());
      ground.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), at).premultiply(this.turn);
      ground.position.copy(at.multiplyScalar(offset).applyMatrix4(this.pose));
    } else {
      return false;
    }
    return true;
  }

  /** The ground of a shape, which is another one when a shape of another look has its number. */
  private ground(index: number, hash: number, make: () => Mesh): Mesh {
    const known = this.grounds.get(index);
    if (known?.userData.hash === hash) {
      return known;
    }
    known && this.scene.remove(known);
    const made = make();
    made.userData.hash = hash;
    made.receiveShadow = true;
    this.grounds.set(index, made);
    this.scene.add(made);
    return made;
  }

  private makeFloor(): Mesh {
    const floor = new Mesh(this.square, this.floor.material);
    floor.scale.set(EXTENT, EXTENT, 1);
    return floor;
  }

  /** Of a field, which never changes, the triangles are made once. */
  private makeLand(hash: number, field: Heights3): Mesh {
    const geometry = this.fields.get(hash) ?? makeField(field);
    this.fields.set(hash, geometry);
    const land = new Mesh(geometry, [this.land.material, this.wall]);
    land.castShadow = true;
    return land;
  }

  private showGrid(is: boolean): void {
    if (this.grid && (!is || this.grid.userData.theme !== this.theme)) {
      this.scene.remove(this.grid);
      this.grid.dispose();
      this.grid = null;
    }
    if (is && this.grid === null && this.theme) {
      const isDark = this.theme === DARK;
      this.grid = new GridHelper(80, 80, isDark ? '#4a5868' : '#a8a294', isDark ? '#232c37' : '#d3cec2');
      this.grid.userData.theme = this.theme;
      this.scene.add(this.grid);
    }
  }

  /** Lines of joints and contacts; a point is a small cross. */
  private placeLines(): void {
    const { lines } = this.picture!;
    const count = lines.length / LINE_WORDS;
    const places: number[] = [];
    const tints: number[] = [];
    for (let i = 0; i < count; ++i) {
      const at = i * LINE_WORDS;
      const role = lines[at]! & 0xff;
      const of = role === DrawRole.TOUCH || role === DrawRole.NORMAL ? this.contact : this.joint;
      const share = (lines[at]! & ACTIVE) !== 0 ? 1 : 0.4;
      const [ax, ay, az, bx, by, bz] = Array.from(lines.subarray(at + 1, at + LINE_WORDS), (word) => word / UNIT) as [
        number, number, number, number, number, number,
      ];
      const isPoint = ax === bx && ay === by && az === bz;
      const add = (...ends: number[]): void => {
        places.push(...ends);
        tints.push(of.r * share, of.g * share, of.b * share, of.r * share, of.g * share, of.b * share);
      };
      if (isPoint) {
        add(ax - CROSS, ay, az, ax + CROSS, ay, az);
        add(ax, ay - CROSS, az, ax, ay + CROSS, az);
        add(ax, ay, az - CROSS, ax, ay, az + CROSS);
      } else {
        add(ax, ay, az, bx, by, bz);
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute('position', new BufferAttribute(new Float32Array(places), 3));
    this.lines.geometry.setAttribute('color', new BufferAttribute(new Float32Array(tints), 3));
    this.lines.visible = places.length > 0;
  }

  private resize(): void {
    const { canvas, renderer, eye, covered } = this;
    const now = 2 * covered + 1 / (1 + this.quality);
    if (this.isStale || now !== this.shown) {
      this.isStale = false;
      this.isDirty = true;
      this.shown = now;
      this.sun.castShadow = this.quality > 1;
      const [width, height] = [Math.max(1, canvas.clientWidth), Math.max(1, canvas.clientHeight)];
      renderer.setPixelRatio(Math.min(2, globalThis.devicePixelRatio || 1) * (this.quality > 0 ? 1 : 0.5));
      renderer.setSize(width, height, false);
      eye.camera.aspect = width / height;
      eye.camera.setViewOffset(width, height, covered / 2, 0, width, height);
    }
  }

  /** The sun follows what is looked at, and its shadows are as fine as the view is near. */
  private light(): void {
    const { sun, eye, scene } = this;
    const distance = eye.camera.position.distanceTo(eye.target);
    const half = 2 ** Math.ceil(Math.log2(Math.max(8, Math.min(160, 0.9 * distance)))); // few sizes, else shadows creep
    const step = half / 16;
    const { target } = eye;
    sun.target.position.set(
      Math.round(target.x / step) * step, Math.round(target.y / step) * step, Math.round(target.z / step) * step,
    );
    sun.position
      .copy(SUN)
      .multiplyScalar(SUN_FAR + half)
      .add(sun.target.position);
    const { camera } = sun.shadow;
    if (camera.right !== half) {
      [camera.left, camera.right, camera.top, camera.bottom, camera.far] = [
        -half, half, half, -half, 2 * (SUN_FAR + half),
      ];
      camera.updateProjectionMatrix();
    }
    const fog = scene.fog as Fog;
    fog.near = 1.5 * distance + 10;
    fog.far = 6 * distance + 100;
  }

  /** Moves the camera on. @return whether a picture of now would be another one */
  get wantsPaint(): boolean {
    this.controls.update();
    return this.isDirty || this.isStale;
  }

  paint(theme: Theme): void {
    this.setTheme(theme);
    this.controls.update();
    this.resize();
    if (this.picture) {
      this.placeShapes();
      this.placeLines();
    }
    this.light();
    this.isDirty = false;
    this.renderer.render(this.scene, this.eye.camera);
  }

  // ---- looking ----------------------------------------------------------------------------------------

  zoom(factor: number): void {
    const { camera, target } = this.eye;
    camera.position.sub(target).multiplyScalar(1 / factor).add(target);
    this.isDirty = true;
  }

  /** Shows all that moves, or all that is there. */
  fit(): void {
    const all = this.bodies();
    const moving = all.filter(({ type }) => type === DYNAMIC);
    const places = (moving.length > 0 ? moving : all).map(({ position }) => position);
    if (places.length === 0) {
      return;
    }
    const middle = new Vector3();
    for (const axis of ['x', 'y', 'z'] as const) {
      const sorted = places.map((place) => place[axis]).sort((a, b) => a - b);
      middle[axis] = sorted[Math.floor(sorted.length / 2)]!;
    }
    const far = places.map((place) => place.distanceTo(middle)).sort((a, b) => a - b)[
      Math.floor((places.length - 1) * FIT_BODIES)
    ]!;
    const narrow = Math.min(1, this.eye.camera.aspect);
    const distance = (far + 1.5) / Math.sin((VIEW_ANGLE * Math.PI) / 360) / narrow;
    this.eye.look(middle, Math.max(6, Math.min(400, distance)), 0.55, 0.42);
    this.isDirty = true;
  }

  /** Where a point of the world is on the canvas [px]; null: behind the camera. */
  project(point: Vector3): { x: number; y: number } | null {
    const at = this.place.copy(point).project(this.eye.camera);
    return at.z > 1
      ? null
      : { x: ((at.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - at.y) / 2) * this.canvas.clientHeight };
  }

  private aim(x: number, y: number): void {
    const { canvas, eye, ray } = this;
    eye.camera.updateMatrixWorld();
    ray.setFromCamera(new Vector2((x / canvas.clientWidth) * 2 - 1, 1 - (y / canvas.clientHeight) * 2), eye.camera);
  }

  /** What is under a point of the canvas [px]. */
  touch(x: number, y: number): Touch | null {
    this.aim(x, y);
    const meshes = [...this.batches.values()].map(({ mesh }) => mesh);
    const [hit] = this.ray.intersectObjects([...meshes, ...this.grounds.values()], false);
    if (!hit || this.picture === null) {
      return null;
    }
    const batch = [...this.batches.values()].find(({ mesh }) => mesh === hit.object);
    const body = batch ? this.bodyAt(batch.bodies[hit.instanceId!]!) : null;
    return { at: hit.point, body: body?.type === DYNAMIC ? body : null };
  }

  /**
   * Where the line of sight through a point of the canvas [px] meets a height [m]; null: not before it has gone far.
   */
  reach(x: number, y: number, height: number, most = 200): Vector3 | null {
    this.aim(x, y);
    const { origin, direction } = this.ray.ray;
    const along = (height - origin.y) / direction.y;
    return Number.isFinite(along) && along > 0 && along < most
      ? origin.clone().addScaledVector(direction, along)
      : null;
  }

  /**
   * Where the line of sight through a point of the canvas [px] meets the plane through a place that faces the camera;
   * null: behind it.
   */
  reachFacing(x: number, y: number, through: Vector3): Vector3 | null {
    const normal = this.eye.camera.getWorldDirection(new Vector3());
    this.aim(x, y);
    return this.ray.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, through), new Vector3());
  }

  /** Something of its own beside the world, such as an arrow. */
  get root(): Scene {
    return this.scene;
  }

  remove(): void {
    this.controls.dispose();
    this.batches.forEach(({ mesh }) => {
      mesh.geometry.dispose();
      mesh.dispose();
    });
    this.materials.forEach((material) => material.dispose());
    this.fields.forEach((geometry) => geometry.dispose());
    this.square.dispose();
    [this.floor.material, this.land.material, this.wall].forEach((material) => material.dispose());
    this.lines.geometry.dispose();
    this.lines.material.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.remove();
  }
}
