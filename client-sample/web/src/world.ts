// A world of its own, without a session: for recordings, benchmarks and the test of golden roots.
import { type Plain } from './layout.js';
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
    private readonly module: Module,
    private readonly memory: number,
    private readonly size: number,
    private readonly world: number,
    private readonly scratch: Scratch,
  ) {}

  /** Makes the world of a snapshot. @throws IsostepError  what iso_snapshot_decode or iso_world_create returns */
  static fromSnapshot(module: Module, snapshot: Uint8Array): World {
    const { calls, layout } = module;
    const scratch = module.scratch(SCRATCH_SIZE);
    const at = module.take(snapshot.length);
    layout.bytes(at, snapshot.length).set(snapshot);
    try {
      const def = scratch.take(layout.struct('definition').size);
      const result = scratch.take(8);
      check(module, calls.iso_snapshot_read_def(at, snapshot.length, def, result), 'the snapshot');
      const { game } = layout.read(layout.struct('definition'), def) as { game: string };
      const rules = game === '' ? 0 : calls.iso_web_find_game(module.putText(game, scratch));
      const size = calls.iso_world_size(def, rules);
      const memory = module.take(size);
      check(module, calls.iso_world_create(def, rules, memory, size, result), 'the world');
      const world = new World(module, memory, size, layout.u32(result), scratch);
      check(module, calls.iso_snapshot_decode(world.world, at, snapshot.length), 'the snapshot');
      return world;
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
    return this.module.calls.iso_world_get_tick(this.world);
  }

  /** The hash of the whole state. */
  get root(): bigint {
    return BigInt.asUintN(64, this.module.calls.iso_world_root(this.world));
  }

  /** @throws IsostepError  what iso_world_step returns */
  step(input: TickInput): void {
    this.scratch.clear();
    const at = this.module.putStruct('input', { ...input }, this.scratch);
    check(this.module, this.module.calls.iso_world_step(this.world, at), `tick ${input.tick}`);
  }

  /** Steps with the iso_tick_input at an address. */
  stepAt(input: number): void {
    check(this.module, this.module.calls.iso_world_step(this.world, input), `after tick ${this.tick}`);
  }

  /** A command from its canonical bytes, as recordings have them. */
  decodeCommand(bytes: Uint8Array): Plain {
    const { calls, layout } = this.module;
    this.scratch.clear();
    const command = this.scratch.take(layout.struct('Command').size);
    check(this.module, calls.iso_command_decode(this.module.put(bytes, this.scratch), bytes.length, command), 'the command');
    return layout.read(layout.struct('Command'), command);
  }
}

function check(module: Module, status: number, what: string): void {
  if (status !== 0) {
    throw module.error(status, what);
  }
}
