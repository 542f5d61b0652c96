// Recordings (.isr): the C reader on a file's bytes, and a replay that compares every root.
import { IsostepError, Status } from './layout.js';
import { type Module, type Scratch } from './module.js';
import { World } from './world.js';
import { decompress } from './zstd.js';

// iso_recording_frame_type
const FRAME_TICK = 4;
const FRAME_EVENT = 5;
const ROOTS_KEPT = 1024; // a root in the file may be of an earlier tick

const IN_SPACE = 'the recording is of a world in space, which this module does not have; isostep3.wasm has them';

const MODES = { strict: 0, torn: 1, salvage: 2 } as const;
/** The kinds of events in a file, from 1. */
export const EVENTS = ['member', 'left', 'desync', 'note', 'dropped', 'resumed', 'healed'] as const;

/** A state in the file. */
export interface Keyframe {
  readonly tick: bigint;
  readonly root: bigint;
  readonly rawSize: number;
  readonly storedSize: number;
  readonly ticksOffset: bigint;
}

/** What is wrong with a file, and where. */
export class RecordingError extends IsostepError {
  constructor(
    status: number,
    name: string,
    /** [bytes] of the first bad frame. */
    readonly offset: number,
    /** The last whole tick before it. */
    readonly tick: number,
    readonly what: string,
  ) {
    super(status, `${name} at byte ${offset}, after tick ${tick}: ${what}`);
    this.name = 'RecordingError';
  }
}

/** What happened outside of the simulation. */
export interface RecordedEvent {
  readonly kind: (typeof EVENTS)[number];
  readonly slot: number | undefined;
  readonly status: number;
  readonly aboutTick: number;
  readonly name: string;
}

/** A tick that a replay has stepped. */
export interface ReplayedTick {
  readonly tick: number;
  /** The root of the world after it. */
  readonly root: bigint;
  /** The roots that the file has told with this tick: of this or an earlier one. False is a desync. */
  readonly isRight: boolean | undefined;
  readonly events: readonly RecordedEvent[];
}

export class Recording {
  /** The content of its header, without what a display does not need. */
  readonly header: {
    readonly build: string;
    readonly session: string;
    readonly sceneName: string;
    readonly epoch: number;
    readonly game: string;
    /** 2 or 3: a world in space needs the module SPACE_MODULE. */
    readonly dimensions: number;
    readonly tickRateHz: number;
    readonly slotCapacity: number;
    readonly scene: string;
  };
  readonly firstTick: number;
  readonly lastTick: number;
  readonly tickCount: number;
  readonly commandCount: number;
  readonly keyframeCount: number;
  readonly isSealed: boolean;

  private constructor(
    readonly module: Module,
    private readonly bytes: number,
    private readonly size: number,
    private readonly scratch: Scratch,
    readonly at: number,
  ) {
    const plain = module.layout.read(module.layout.struct('recording'), at) as {
      header: {
        build: string;
        session: string;
        sceneName: string;
        epoch: number;
        firstTick: bigint;
        def: { game: string; dimensions: number; tickRateHz: number; slotCapacity: number };
        scene: Uint8Array;
      };
      lastTick: bigint;
      tickCount: bigint;
      commandCount: bigint;
      keyframeCount: number;
      isSealed: boolean;
    };
    const { build, session, sceneName, epoch, firstTick, def, scene } = plain.header;
    const { game, dimensions, tickRateHz, slotCapacity } = def;
    this.header = {
      build, session, sceneName, epoch, game, dimensions, tickRateHz, slotCapacity,
      scene: new TextDecoder().decode(scene),
    };
    this.firstTick = Number(firstTick);
    this.lastTick = Number(plain.lastTick);
    this.tickCount = Number(plain.tickCount);
    this.commandCount = Number(plain.commandCount);
    this.keyframeCount = plain.keyframeCount;
    this.isSealed = plain.isSealed;
  }

  /**
   * Opens a file's bytes and checks all of it. In a module without worlds in space a recording of one can be opened as
   * far as its commands are known, but not replayed.
   * @param mode  strict: a sealed file; torn: one still being written, or left by a crash; salvage: all before a fault
   * @throws RecordingError  CORRUPT, TRUNCATED, VERSION
   * @throws IsostepError UNSUPPORTED  it is of a world in space, which this module does not have
   */
  static open(module: Module, bytes: Uint8Array, mode: keyof typeof MODES = 'strict'): Recording {
    const { calls, layout } = module;
    const scratch = module.scratch(layout.struct('recording').size + layout.struct('fault').size + 64);
    const at = module.take(bytes.length);
    layout.bytes(at, bytes.length).set(bytes);
    const recording = scratch.take(layout.struct('recording').size);
    const fault = scratch.take(layout.struct('fault').size);
    const status = calls.iso_recording_open(recording, at, BigInt(bytes.length), MODES[mode], fault);
    if (status === 0) {
      return new Recording(module, at, bytes.length, scratch, recording);
    }
    const { offset, tick, what } = layout.read(layout.struct('fault'), fault) as {
      offset: bigint; tick: bigint; what: string;
    };
    const isOther =
      calls.iso_web_poses3 === undefined &&
      calls.iso_recording_open(recording, at, BigInt(bytes.length), MODES.salvage, fault) === 0 &&
      (layout.read(layout.struct('recording'), recording) as { header: { def: { dimensions: number } } }).header.def
        .dimensions === 3;
    calls.iso_web_give(at, bytes.length);
    scratch.free();
    if (isOther) {
      throw new IsostepError(Status.UNSUPPORTED, IN_SPACE);
    }
    throw new RecordingError(status, module.statusName(status), Number(offset), Number(tick), what);
  }

  /** A replay from the last keyframe at or before a tick. */
  replay(tick: number = this.firstTick): Replay {
    return new Replay(this, tick);
  }

  /** The snapshot in a keyframe. @param at  the address of the iso_recording_keyframe */
  readState(at: number): Uint8Array {
    const { calls, layout } = this.module;
    const keyframe = layout.read(layout.struct('keyframe'), at) as unknown as Keyframe;
    const stored = this.module.take(keyframe.storedSize);
    const status = calls.iso_recording_read_stored(this.at, at, stored);
    const plain = status === 0 ? decompress(layout.bytes(stored, keyframe.storedSize), keyframe.rawSize) : null;
    calls.iso_web_give(stored, keyframe.storedSize);
    if (plain === null) {
      throw new IsostepError(Status.CORRUPT, `the keyframe of tick ${keyframe.tick} cannot be read`);
    }
    return plain;
  }

  /** Frees its memory, after that of its replays. */
  close(): void {
    this.module.calls.iso_web_give(this.bytes, this.size);
    this.scratch.free();
  }
}

export class Replay {
  readonly world: World;
  private readonly module: Module;
  private readonly scratch: Scratch;
  private readonly offset: number; // where the next frame's offset stands
  private readonly frame: number;
  private readonly buffer: number;
  private readonly recorded: number;
  private readonly note: number;
  private readonly roots = new Map<bigint, bigint>();

  /** @throws IsostepError CORRUPT  the keyframe is not what it says */
  constructor(
    private readonly recording: Recording,
    tick: number,
  ) {
    const { module } = recording;
    const { layout } = module;
    if (recording.header.dimensions === 3 && module.calls.iso_web_poses3 === undefined) {
      throw new IsostepError(Status.UNSUPPORTED, IN_SPACE);
    }
    const size = (name: string) => layout.struct(name).size;
    this.module = module;
    this.scratch = module.scratch(
      ['frame', 'buffer', 'recorded', 'note', 'keyframe'].reduce((sum, name) => sum + size(name) + 16, 32),
    );
    this.offset = this.scratch.take(8);
    this.frame = this.scratch.take(size('frame'));
    this.buffer = this.scratch.take(size('buffer'));
    this.recorded = this.scratch.take(size('recorded'));
    this.note = this.scratch.take(size('note'));
    try {
      this.world = this.load(tick);
    } catch (error) {
      this.scratch.free();
      throw error;
    }
  }

  private load(tick: number): World {
    const { module, recording } = this;
    const { calls, layout } = module;
    const at = this.scratch.take(layout.struct('keyframe').size);
    calls.iso_recording_find_keyframe(recording.at, BigInt(tick), at);
    const keyframe = layout.read(layout.struct('keyframe'), at) as unknown as Keyframe;
    const world = World.fromSnapshot(module, recording.readState(at));
    if (world.root !== keyframe.root) {
      world.destroy();
      throw new IsostepError(Status.CORRUPT, `the keyframe of tick ${keyframe.tick} has another root`);
    }
    this.roots.set(keyframe.tick, keyframe.root);
    layout.view.setBigUint64(this.offset, keyframe.ticksOffset, true);
    return world;
  }

  /** Steps the next tick. @return undefined at the end */
  next(): ReplayedTick | undefined {
    const { calls, layout } = this.module;
    const events: RecordedEvent[] = [];
    while (calls.iso_recording_next(this.recording.at, this.offset, this.frame) !== 0) {
      const type = layout.view.getUint8(this.frame);
      if (type === FRAME_EVENT && calls.iso_recording_read_event(this.frame, this.note) === 0) {
        events.push(this.readEvent());
      } else if (type === FRAME_TICK) {
        return this.step(events);
      }
    }
    return undefined;
  }

  private readEvent(): RecordedEvent {
    const { layout } = this.module;
    const note = layout.read(layout.struct('note'), this.note) as {
      kind: number; slot: number; status: number; aboutTick: bigint; name: string;
    };
    const { kind, slot, status, aboutTick, name } = note;
    return {
      kind: EVENTS[kind - 1] ?? 'note', slot: slot === 255 ? undefined : slot, status, aboutTick: Number(aboutTick),
      name,
    };
  }

  private step(events: readonly RecordedEvent[]): ReplayedTick {
    const { calls, layout } = this.module;
    const status = calls.iso_recording_read_tick(this.frame, this.buffer, this.recorded);
    if (status !== 0) {
      throw this.module.error(status, 'a tick');
    }
    const struct = layout.struct('recorded');
    const input = struct.fields.find((field) => field.name === 'input')!;
    this.world.stepAt(this.recorded + input.offset);
    const tick = this.world.tick;
    const root = this.world.root;
    this.roots.set(tick, root);
    this.roots.delete(tick - BigInt(ROOTS_KEPT));
    return { tick: Number(tick), root, isRight: this.compare(), events };
  }

  private compare(): boolean | undefined {
    const { view } = this.module.layout;
    const at = (name: string) =>
      this.recorded + this.module.layout.struct('recorded').fields.find((field) => field.name === name)!.offset;
    if (view.getUint8(at('hasRoot')) === 0) {
      return undefined;
    }
    const own = this.roots.get(view.getBigUint64(at('hashedTick'), true));
    return own === undefined ? undefined : own === view.getBigUint64(at('root'), true);
  }

  /** Frees its world. */
  destroy(): void {
    this.world.destroy();
    this.scratch.free();
  }
}
