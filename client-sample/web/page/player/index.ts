// What a recording's file says of each of its ticks: where the tick stands, its root, keyframes, events and how much
// came in.
import { EVENTS, type Keyframe, type Recording } from '../../src/recording.js';
import { ACTIVITY_BINS, type TimedEvent } from './messages.js';

// iso_recording_frame_type
const enum FrameType {
  Keyframe = 2,
  Tick = 4,
  Event = 5,
}
const NOBODY = 0xff;

/** A keyframe, and the address of its iso_recording_keyframe. */
export interface KeyframePlace {
  readonly tick: number;
  readonly root: bigint;
  readonly at: number;
}

/** Where a field of a struct lies. */
export function fieldOffset({ module: { layout } }: Recording, struct: string, name: string): number {
  const field = layout.struct(struct).fields.find((each) => each.name === name);
  if (!field) {
    throw new Error(`${struct} has no field ${name}`);
  }
  return field.offset;
}

export class Index {
  /** Of the frame of each tick after the first state [bytes]. */
  readonly offsets: Float64Array;
  /** After each tick from the first state on; those that the file does not tell are zero. */
  readonly roots: BigUint64Array;
  readonly hasRoot: Uint8Array;
  readonly keyframes: KeyframePlace[] = [];
  readonly events: TimedEvent[] = [];
  readonly activity = new Float32Array(ACTIVITY_BINS);
  private readonly sizes: Uint32Array; // of the ticks' frames [bytes]
  private readonly byTick = new Map<number, KeyframePlace>();
  private readonly places: number; // of the keyframes
  private readonly placesSize: number;

  constructor(private readonly recording: Recording) {
    const { module, firstTick, lastTick, keyframeCount } = recording;
    const ticks = lastTick - firstTick;
    this.offsets = new Float64Array(ticks);
    this.sizes = new Uint32Array(ticks);
    this.roots = new BigUint64Array(ticks + 1);
    this.hasRoot = new Uint8Array(ticks + 1);
    this.placesSize = keyframeCount * module.layout.struct('keyframe').size;
    this.places = module.take(this.placesSize);
    this.scan();
    this.keyframes.sort((a, b) => a.tick - b.tick);
    this.keyframes.forEach((keyframe) => this.byTick.set(keyframe.tick, keyframe));
    this.measureActivity();
  }

  /** What ticks have beyond the smallest one, on average over each part of the time. */
  private measureActivity(): void {
    const least = this.sizes.reduce((min, size) => Math.min(min, size), Infinity);
    const counts = new Float32Array(ACTIVITY_BINS);
    this.sizes.forEach((size, i) => {
      const bin = Math.floor((i * ACTIVITY_BINS) / this.sizes.length);
      this.activity[bin] = this.activity[bin]! + size - least;
      counts[bin] = counts[bin]! + 1;
    });
    this.activity.forEach(
      (bytes, i) =>
        (this.activity[i] = counts[i] === 0 && i > 0 ? this.activity[i - 1]! : bytes / Math.max(1, counts[i]!)),
    );
    const most = Math.max(1, ...this.activity);
    this.activity.forEach((bytes, i) => (this.activity[i] = bytes / most));
  }

  private scan(): void {
    const { recording } = this;
    const { calls, layout } = recording.module;
    const size = (name: string) => layout.struct(name).size;
    const scratch = recording.module.scratch(size('frame') + size('recorded') + size('note') + 128);
    const [offset, frame] = [scratch.take(8), scratch.take(size('frame'))];
    const [recorded, note] = [scratch.take(size('recorded')), scratch.take(size('note'))];
    const [sizeField, offsetField] = [
      fieldOffset(recording, 'frame', 'size'), fieldOffset(recording, 'frame', 'offset'),
    ];
    const begin = layout.view.getBigUint64(recording.at + fieldOffset(recording, 'recording', 'framesOffset'), true);
    layout.view.setBigUint64(offset, begin, true);
    let tick = recording.firstTick;
    while (calls.iso_recording_next(recording.at, offset, frame) !== 0) {
      const { view } = layout;
      const type = view.getUint8(frame);
      if (type === FrameType.Tick) {
        tick += 1;
        this.offsets[tick - recording.firstTick - 1] = Number(view.getBigUint64(frame + offsetField, true));
        this.sizes[tick - recording.firstTick - 1] = view.getUint32(frame + sizeField, true);
        this.addRoot(frame, recorded);
      } else if (type === FrameType.Event && calls.iso_recording_read_event(frame, note) === 0) {
        this.addEvent(tick, note);
      } else if (type === FrameType.Keyframe) {
        this.addKeyframe(frame);
      }
    }
    this.addLastRoot();
    scratch.free();
  }

  private addRoot(frame: number, recorded: number): void {
    const { recording } = this;
    const { calls, layout } = recording.module;
    if (
      calls.iso_recording_read_root(frame, recorded) === 0 &&
      layout.view.getUint8(recorded + fieldOffset(recording, 'recorded', 'hasRoot')) !== 0
    ) {
      const of = Number(layout.view.getBigUint64(recorded + fieldOffset(recording, 'recorded', 'hashedTick'), true));
      this.setRoot(of, layout.view.getBigUint64(recorded + fieldOffset(recording, 'recorded', 'root'), true));
    }
  }

  private setRoot(tick: number, root: bigint): void {
    this.roots[tick - this.recording.firstTick] = root;
    this.hasRoot[tick - this.recording.firstTick] = 1;
  }

  /** The end of a sealed file tells a root, too. */
  private addLastRoot(): void {
    const { module, at } = this.recording;
    const plain = module.layout.read(module.layout.struct('recording'), at) as {
      hasRoot: boolean; rootTick: bigint; root: bigint;
    };
    if (plain.hasRoot) {
      this.setRoot(Number(plain.rootTick), plain.root);
    }
  }

  private addEvent(tick: number, note: number): void {
    const { layout } = this.recording.module;
    const plain = layout.read(layout.struct('note'), note) as {
      kind: number; slot: number; status: number; aboutTick: bigint; name: string;
    };
    const { kind, slot, status, aboutTick, name } = plain;
    this.events.push({
      tick, kind: EVENTS[kind - 1] ?? 'note', slot: slot === NOBODY ? undefined : slot, status,
      aboutTick: Number(aboutTick), name,
    });
  }

  private addKeyframe(frame: number): void {
    const { calls, layout } = this.recording.module;
    const struct = layout.struct('keyframe');
    const at = this.places + this.keyframes.length * struct.size;
    if (calls.iso_recording_read_keyframe(frame, at) === 0) {
      const { tick, root } = layout.read(struct, at) as unknown as Keyframe;
      this.keyframes.push({ tick: Number(tick), root, at });
    }
  }

  keyframeAt(tick: number): KeyframePlace | undefined {
    return this.byTick.get(tick);
  }

  /** The last one at or before a tick. */
  keyframeBefore(tick: number): KeyframePlace {
    let [low, high] = [0, this.keyframes.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      [low, high] = this.keyframes[middle]!.tick <= tick ? [middle, high] : [low, middle - 1];
    }
    return this.keyframes[low]!;
  }

  /** The root in the file, or undefined. */
  rootOf(tick: number): bigint | undefined {
    const i = tick - this.recording.firstTick;
    return this.hasRoot[i] === 1 ? this.roots[i] : this.keyframeAt(tick)?.root;
  }

  free(): void {
    this.recording.module.calls.iso_web_give(this.places, this.placesSize);
  }
}
