// A world of its own, without a session: for recordings, benchmarks and the test of golden roots.
import { IsostepError, Status, type Plain } from './layout.js';
import { type Module, type Scratch } from './module.js';

const SCRATCH_SIZE = 1 << 20;

/** What a tick gets: the changes and commands that a session has sealed, as decoded messages. */
export interface TickInput {
  readonly tick: bigint;
  readonly changes: readonly Plain[];
  readonly commands: readonly Plain[];
}

export class World {
  private constructor(
    readonly module: Module,
    private readonly memory: number,
    private readonly size: number,
    /** The address of the iso_world. */
    readonly at: number,
    private readonly scratch: Scratch,
  ) {}

  /** Makes the world of a snapshot. @throws IsostepError  what iso_snapshot_decode or iso_world_create returns */
  static fromSnapshot(module: Module, snapshot: Uint8Array): World {
    const { calls, layout } = module;
    const scratch = module.scratch(SCRATCH_SIZE);
    const at = module.take(snapshot.length);
    layout.bytes(at, snapshot.length).set(snapshot);
    let [memory, size] = [0, 0];
    try {
      const def = scratch.take(layout.struct('definition').size);
      const result = scratch.take(8);
      check(module, calls.iso_snapshot_read_def(at, snapshot.length, def, result), 'the snapshot');
      const { game } = layout.read(layout.struct('definition'), def) as { game: string };
      const rules = game === '' ? 0 : calls.iso_web_find_game(module.putText(game, scratch));
      size = calls.iso_world_size(def, rules) >>> 0; // WebAssembly's numbers have a sign here
      memory = takeWorld(module, size);
      check(module, calls.iso_world_create(def, rules, memory, size, result), 'the world');
      const world = new World(module, memory, size, layout.u32(result), scratch);
      check(module, calls.iso_snapshot_decode(world.at, at, snapshot.length), 'the snapshot');
      return world;
    } catch (error) {
      if (memory !== 0) {
        calls.iso_web_give(memory, size);
      }
      scratch.free();
      throw error;
    } finally {
      calls.iso_web_give(at, snapshot.length);
    }
  }

  /** Frees its memory. */
  destroy(): void {
    this.module.calls.iso_web_give(this.memory, this.size);
    this.scratch.free();
  }

  get tick(): bigint {
    return this.module.calls.iso_world_get_tick(this.at);
  }

  /** The hash of the whole state. */
  get root(): bigint {
    return BigInt.asUintN(64, this.module.calls.iso_world_root(this.at));
  }

  /** @throws IsostepError  what iso_world_step returns */
  step(input: TickInput): void {
    this.scratch.clear();
    const at = this.module.putStruct('input', { ...input }, this.scratch);
    check(this.module, this.module.calls.iso_world_step(this.at, at), `tick ${input.tick}`);
  }

  /**
   * Replaces the state by that of a snapshot of the same definition.
   * @throws IsostepError  what iso_snapshot_decode returns
   */
  load(snapshot: Uint8Array): void {
    const { calls, layout } = this.module;
    const at = this.module.take(snapshot.length);
    layout.bytes(at, snapshot.length).set(snapshot);
    const status = calls.iso_snapshot_decode(this.at, at, snapshot.length);
    calls.iso_web_give(at, snapshot.length);
    check(this.module, status, 'the snapshot');
  }

  /**
   * The state as bytes that only this module understands: quickly made, and restored in any world of the same
   * definition.
   */
  save(): Uint8Array {
    const { calls, layout } = this.module;
    const size = calls.iso_world_image_size(this.at);
    const at = this.module.take(size);
    const image = layout.bytes(at, calls.iso_world_save(this.at, at, size)).slice();
    calls.iso_web_give(at, size);
    return image;
  }

  /** @throws IsostepError  what iso_world_restore returns */
  restore(image: Uint8Array): void {
    const { calls, layout } = this.module;
    const at = this.module.take(image.length);
    layout.bytes(at, image.length).set(image);
    const status = calls.iso_world_restore(this.at, at, image.length);
    calls.iso_web_give(at, image.length);
    check(this.module, status, 'the image');
  }

  /** Steps with the iso_tick_input at an address. */
  stepAt(input: number): void {
    check(this.module, this.module.calls.iso_world_step(this.at, input), `after tick ${this.tick}`);
  }

  /** A command from its canonical bytes, as recordings have them. */
  decodeCommand(bytes: Uint8Array): Plain {
    const { calls, layout } = this.module;
    this.scratch.clear();
    const command = this.scratch.take(layout.struct('Command').size);
    check(
      this.module, calls.iso_command_decode(this.module.put(bytes, this.scratch), bytes.length, command), 'the command',
    );
    return layout.read(layout.struct('Command'), command);
  }
}

/** @throws IsostepError MEMORY */
function takeWorld(module: Module, size: number): number {
  const memory = module.calls.iso_web_take(size);
  if (memory === 0) {
    const much = size === 0xffffffff ? 'more than 4 GiB' : `${Math.ceil(size / 2 ** 20)} MiB`;
    throw new IsostepError(Status.MEMORY, `the world of the snapshot needs ${much} of memory, which cannot be had`);
  }
  return memory;
}

function check(module: Module, status: number, what: string): void {
  if (status !== 0) {
    throw module.error(status, what);
  }
}
