// A recording that is played: a world that is put into the state after any tick, from the nearest state that is known.
//
// Known are the file's keyframes, and images of the world that are kept on the way. The more is seen, the less has to
// be computed again.
import { PackedBuffer, type Packed } from '../../src/display.js';
import type { Recording } from '../../src/recording.js';
import { World } from '../../src/world.js';
import type { Picture3 } from '../messages.js';
import type { Shooter } from '../space/space-source.js';
import { fieldOffset, Index } from './index.js';
import { PROOF_BINS, WRONG, type Judgement, type Player } from './messages.js';

const IMAGES_SIZE = 96 << 20; // [bytes] that are kept of one recording
const APART_LEAST = 16; // [ticks] between two images; doubled when they take too much
// [ticks] of one frame at 16 times: all of them are computed, also where a nearer state is known.
const PLAYED_MAX = 400;
const WHOLE = 65536; // the way from one tick to the next

const enum Checked {
  Not,
  Computed, // the file does not tell the root
  Right,
  Wrong,
}

/** What is shared by all worlds that play one file. */
export class Played {
  readonly index: Index;
  readonly firstTick: number;
  readonly lastTick: number;
  checkedCount = 0;
  wrong: number | undefined; // the first tick
  private readonly checked: Uint8Array;
  private readonly images = new Map<number, Uint8Array>();
  private imagesSize = 0;
  private apart = APART_LEAST;

  constructor(readonly recording: Recording) {
    this.index = new Index(recording);
    this.firstTick = recording.firstTick;
    this.lastTick = recording.lastTick;
    this.checked = new Uint8Array(this.lastTick - this.firstTick + 1);
  }

  /** Compares the root that was computed by stepping to a tick with the file's. */
  check(tick: number, root: bigint): void {
    const i = tick - this.firstTick;
    const { index } = this;
    const [claim, keyframe] = [index.hasRoot[i] === 1 ? index.roots[i] : undefined, index.keyframeAt(tick)?.root];
    const isRight = (claim === undefined || claim === root) && (keyframe === undefined || keyframe === root);
    const now = !isRight
      ? Checked.Wrong
      : claim === undefined && keyframe === undefined
        ? Checked.Computed
        : Checked.Right;
    this.checkedCount += this.checked[i] === Checked.Not ? 1 : 0;
    this.checked[i] = now;
    if (now === Checked.Wrong && (this.wrong === undefined || tick < this.wrong)) {
      this.wrong = tick;
    }
  }

  /** @param root  of the world after the tick */
  judge(tick: number, root: bigint): Judgement {
    const recorded = this.index.rootOf(tick);
    const isWrong = this.checked[tick - this.firstTick] === Checked.Wrong;
    return isWrong ? 'wrong' : recorded === undefined ? 'unknown' : recorded === root ? 'right' : 'wrong';
  }

  /** The first tick from one on that was not computed yet, or undefined. */
  nextUnchecked(from: number): number | undefined {
    const found = this.checked.indexOf(Checked.Not, from - this.firstTick);
    return found < 0 ? undefined : found + this.firstTick;
  }

  /** The share of each part of the time that was checked, 0 to 100, or WRONG. */
  bins(): Uint8Array {
    const bins = new Uint8Array(PROOF_BINS);
    const { checked } = this;
    for (let bin = 0; bin < PROOF_BINS; ++bin) {
      const from = Math.floor((bin * checked.length) / PROOF_BINS);
      const to = Math.max(from + 1, Math.floor(((bin + 1) * checked.length) / PROOF_BINS));
      let [count, isWrong] = [0, false];
      for (let i = from; i < to; ++i) {
        count += checked[i] === Checked.Not ? 0 : 1;
        isWrong ||= checked[i] === Checked.Wrong;
      }
      bins[bin] = isWrong ? WRONG : Math.floor((count * 100) / (to - from));
    }
    return bins;
  }

  /** Keeps the state after a tick, if it is one of those that are kept. */
  keep(tick: number, world: World): void {
    if (tick % this.apart !== 0 || this.images.has(tick)) {
      return;
    }
    const image = world.save();
    this.images.set(tick, image);
    this.imagesSize += image.length;
    while (this.imagesSize > IMAGES_SIZE) {
      this.apart *= 2;
      for (const [kept, { length }] of this.images) {
        if (kept % this.apart !== 0) {
          this.images.delete(kept);
          this.imagesSize -= length;
        }
      }
    }
  }

  /** The last kept state after `from` and at or before `tick`. */
  imageBefore(tick: number, from: number): number | undefined {
    for (let at = tick - (tick % this.apart); at > from; at -= this.apart) {
      if (this.images.has(at)) {
        return at;
      }
    }
    return undefined;
  }

  image(tick: number): Uint8Array {
    return this.images.get(tick)!;
  }

  /** The members of a tick and their bodies. */
  players(tick: number, world: World): Player[] {
    const { module, header } = this.recording;
    const names = new Map<number, string>();
    for (const event of this.index.events) {
      if (event.tick > tick) {
        break;
      }
      if (
        event.slot !== undefined &&
        (event.kind === 'member' || event.kind === 'resumed' || event.kind === 'dropped')
      ) {
        names.set(event.slot, event.name);
      } else if (event.slot !== undefined && event.kind === 'left') {
        names.delete(event.slot);
      }
    }
    const scratch = module.scratch(16);
    const at = scratch.take(8);
    const found: Player[] = [];
    for (const [slot, name] of names) {
      if (slot < header.slotCapacity) {
        module.calls.iso_world_get_player_body(at, world.at, slot);
        found.push({ slot, name, body: module.layout.view.getBigUint64(at, true) });
      }
    }
    scratch.free();
    return found.filter(({ body }) => body !== 0n);
  }

  close(): void {
    this.images.clear();
    this.index.free();
    this.recording.close();
  }
}

/** One world of a recording. */
export class Walker {
  readonly world: World;
  tick: number;
  private readonly offset: number;
  private readonly frame: number;
  private readonly buffer: number;
  private readonly recorded: number;
  private readonly input: number;
  private readonly memory: number;
  private readonly memorySize: number;
  private readonly items: PackedBuffer;
  private readonly shooter: Shooter | null;
  private readonly poses: number;
  private readonly posesSize: number;
  private posesTick = -1; // when bodies were at these poses

  /**
   * @param camera  takes pictures of a world in space
   * @throws IsostepError  the first keyframe cannot be read, or makes no world
   */
  constructor(
    private readonly played: Played,
    camera: typeof Shooter | null,
  ) {
    const { recording, index } = played;
    const { module } = recording;
    const size = (name: string) => (module.layout.struct(name).size + 15) & ~15;
    this.memorySize = 16 + size('frame') + size('buffer') + size('recorded');
    this.memory = module.take(this.memorySize);
    this.offset = this.memory;
    this.frame = this.offset + 16;
    this.buffer = this.frame + size('frame');
    this.recorded = this.buffer + size('buffer');
    this.input = this.recorded + fieldOffset(recording, 'recorded', 'input');
    const first = index.keyframes[0]!;
    this.world = World.fromSnapshot(module, recording.readState(first.at));
    this.tick = first.tick;
    this.items = new PackedBuffer(module, module.calls.iso_web_item_words());
    this.shooter = camera && new camera(this.world);
    this.posesSize = this.shooter
      ? module.calls.iso_player_poses3_size(this.world.at)
      : module.calls.iso_player_poses_size(this.world.at);
    this.poses = module.take(this.posesSize);
    played.check(this.tick, this.world.root);
  }

  /** Puts the world into the last known state at or before a tick. */
  private place(tick: number): void {
    const { index } = this.played;
    const keyframe = index.keyframeBefore(tick);
    const image = this.played.imageBefore(tick, keyframe.tick);
    const nearest = image ?? keyframe.tick;
    if (this.tick <= tick && this.tick >= nearest) {
      return;
    }
    if (image !== undefined) {
      this.world.restore(this.played.image(image));
    } else {
      this.world.load(this.played.recording.readState(keyframe.at));
    }
    this.tick = nearest;
    this.posesTick = -1;
  }

  /** The next tick. @throws IsostepError  what is wrong with it */
  step(): void {
    const { recording, index } = this.played;
    const { module } = recording;
    const { calls } = module;
    module.layout.view.setBigUint64(this.offset, BigInt(index.offsets[this.tick - this.played.firstTick]!), true);
    calls.iso_recording_next(recording.at, this.offset, this.frame);
    const status = calls.iso_recording_read_tick(this.frame, this.buffer, this.recorded);
    if (status !== 0) {
      throw module.error(status, `tick ${this.tick + 1}`);
    }
    this.world.stepAt(this.input);
    this.tick += 1;
    const { root } = this.world;
    this.played.check(this.tick, root);
    const keyframe = index.keyframeAt(this.tick);
    if (keyframe && keyframe.root !== root) { // the session went on from the state in the file
      this.world.load(recording.readState(keyframe.at));
    }
    this.played.keep(this.tick, this.world);
  }

  /**
   * Goes to the state after a tick, as far as it comes until a moment.
   * @param isMoving  every tick on the way is computed, and where bodies were before the last one is kept for the
   *                  picture
   * @return whether it is there
   */
  go(tick: number, until: number, isMoving = false): boolean {
    if (!isMoving || this.tick > tick || tick - this.tick > PLAYED_MAX) {
      this.place(tick);
    }
    for (let first = true; this.tick < tick; first = false) {
      if (!first && performance.now() >= until) {
        return false;
      }
      if (isMoving && this.tick === tick - 1) {
        const { calls } = this.played.recording.module;
        (this.shooter ? calls.iso_player_keep_poses3 : calls.iso_player_keep_poses)(this.world.at, this.poses);
        this.posesTick = this.tick;
      }
      this.step();
    }
    return true;
  }

  /** @param part  of the way from the tick before, 0 to 1 */
  draw(what: number, part: number): Packed {
    const { calls } = this.played.recording.module;
    const isBetween = part < 1 && this.posesTick === this.tick - 1;
    const [before, q16] = isBetween ? [this.poses, Math.round(part * WHOLE)] : [0, WHOLE];
    return this.items.fill((words, capacity) =>
      calls.iso_player_draw(this.world.at, before, q16, what, words, capacity),
    );
  }

  /** The same of a world in space; null in the plane. */
  shoot(what: number, buffer: ArrayBuffer | null, part: number): Omit<Picture3, 'player' | 'players'> | null {
    const isBetween = part < 1 && this.posesTick === this.tick - 1;
    return this.shooter?.shoot(what, buffer, isBetween ? this.poses : 0, part) ?? null;
  }

  destroy(): void {
    const { module } = this.played.recording;
    this.items.free();
    this.shooter?.free();
    module.calls.iso_web_give(this.poses, this.posesSize);
    module.calls.iso_web_give(this.memory, this.memorySize);
    this.world.destroy();
  }
}
