// The first difference of two recordings, found by the C code of isostep-replay compare.
import { IsostepError, Status } from './layout.js';
import type { Module } from './module.js';
import type { Recording } from './recording.js';

/** A field of the state that differs, as isostep-replay compare writes it. */
export interface FieldDifference {
  readonly place: string; // bodies[3].velocity[0]
  readonly a: string; // 0.000002 m/s (1)
  readonly b: string;
}

/** A change or command that differs, or is in one of the two alone. */
export interface InputDifference {
  readonly kind: string;
  readonly slot: number;
  /** Of a command. */
  readonly sequence: number | undefined;
  readonly isIn: 'a' | 'b' | 'both';
}

export interface Difference {
  /** Whether they have a tick in common. */
  readonly isCommon: boolean;
  readonly firstTick: number;
  readonly lastTick: number;
  /** The first tick that differs, or undefined. */
  readonly tick: number | undefined;
  readonly equalTicks: number;
  /** There, in the files or computed. */
  readonly rootA: bigint | undefined;
  readonly rootB: bigint | undefined;
  /** The tick whose states `fields` are of: not before `tick`. Undefined when none differs. */
  readonly stateTick: number | undefined;
  readonly fieldCount: number;
  /** Of all fields, by sections. */
  readonly counts: ReadonlyMap<string, number>;
  /** The first FIELDS_SHOWN of them. */
  readonly fields: readonly FieldDifference[];
  readonly inputs: readonly InputDifference[];
  /** What of the headers differs. */
  readonly headers: readonly string[];
}

const FIELDS_SHOWN = 8; // as isostep-replay
const INPUTS_SHOWN = 8;
const FIELDS_MAX = 4096;
const TEXT_SIZE = 128; // ISO_DIFF_TEXT_SIZE
const PIECES = 4; // ticks of both between two looks at the clock
const enum Step {
  GoesOn,
  NeedsState,
  Done,
  Failed,
}
/** wasm/compare.h has the order. */
const NUMBERS = [
  'done', 'status', 'failedTick', 'isCommon', 'first', 'last', 'isDifferent', 'tick', 'equalTicks', 'hasRootA', 'rootA',
  'hasRootB', 'rootB', 'stateTick', 'diffs', 'inputs', 'headers',
] as const;
type Numbers = Record<(typeof NUMBERS)[number], bigint>;

export class Comparison {
  private readonly module: Module;
  private readonly at: number;

  /**
   * Both recordings are of one module, and stay open until it is freed.
   * @throws IsostepError MEMORY
   */
  constructor(
    private readonly a: Recording,
    private readonly b: Recording,
  ) {
    this.module = a.module;
    this.at = this.module.calls.iso_player_compare_create(a.at, b.at);
    if (this.at === 0) {
      throw new IsostepError(Status.MEMORY, 'there is no memory to compare two recordings');
    }
  }

  private numbers(): Numbers {
    const { module } = this;
    const scratch = module.scratch(NUMBERS.length * 8 + 16);
    const at = scratch.take(NUMBERS.length * 8);
    module.calls.iso_player_compare_numbers(this.at, at);
    const numbers = Object.fromEntries(
      NUMBERS.map((name, i) => [name, module.layout.view.getBigUint64(at + 8 * i, true)]),
    ) as Numbers;
    scratch.free();
    return numbers;
  }

  /** How many of the common ticks were walked over. */
  get progress(): { readonly done: number; readonly total: number } {
    const { done, first, last } = this.numbers();
    return { done: Number(done), total: Number(last - first) };
  }

  /**
   * Works until it is done, or until a moment of performance.now().
   * @return whether it is done
   * @throws IsostepError  a tick or a state of one of them cannot be used
   */
  run(until = Infinity): boolean {
    const { calls } = this.module;
    do {
      const step = calls.iso_player_compare_next(this.at, PIECES) as Step;
      if (step === Step.Done) {
        return true;
      }
      if (step === Step.NeedsState) {
        this.giveState();
      } else if (step === Step.Failed) {
        const { status, failedTick } = this.numbers();
        throw this.module.error(Number(BigInt.asIntN(64, status)), `tick ${failedTick}`);
      }
    } while (performance.now() < until);
    return false;
  }

  private giveState(): void {
    const { calls, layout } = this.module;
    const of = calls.iso_player_compare_wanted_of(this.at) === this.a.at ? this.a : this.b;
    const state = of.readState(calls.iso_player_compare_wanted(this.at));
    const at = this.module.take(state.length);
    layout.bytes(at, state.length).set(state);
    const status = calls.iso_player_compare_give(this.at, at);
    calls.iso_web_give(at, state.length);
    if (status !== 0) {
      throw this.module.error(status, 'a keyframe');
    }
  }

  /** What was found, when it is done. */
  result(): Difference {
    const n = this.numbers();
    const isDifferent = n.isDifferent !== 0n;
    const fieldCount = isDifferent ? Number(n.diffs) : 0;
    const { fields, counts } = this.readFields(fieldCount);
    return {
      isCommon: n.isCommon !== 0n, firstTick: Number(n.first), lastTick: Number(n.last),
      tick: isDifferent ? Number(n.tick) : undefined, equalTicks: Number(n.equalTicks),
      rootA: n.hasRootA !== 0n ? n.rootA : undefined, rootB: n.hasRootB !== 0n ? n.rootB : undefined,
      stateTick: isDifferent ? Number(fieldCount > 0 ? n.stateTick : n.tick) : undefined, fieldCount, counts, fields,
      inputs: isDifferent ? this.readInputs(Math.min(INPUTS_SHOWN, Number(n.inputs))) : [],
      headers: Array.from({ length: Number(n.headers) }, (_, i) =>
        this.module.layout.text(this.module.calls.iso_player_compare_header(this.at, i)),
      ),
    };
  }

  private readFields(count: number): { fields: FieldDifference[]; counts: Map<string, number> } {
    const { calls, layout } = this.module;
    const scratch = this.module.scratch(3 * TEXT_SIZE + 16);
    const texts = scratch.take(3 * TEXT_SIZE);
    const fields: FieldDifference[] = [];
    const counts = new Map<string, number>();
    for (let i = 0; i < Math.min(FIELDS_MAX, count); ++i) {
      const section = layout.text(calls.iso_player_compare_field(this.at, i, texts));
      counts.set(section, (counts.get(section) ?? 0) + 1);
      if (i < FIELDS_SHOWN) {
        const [place, a, b] = [0, 1, 2].map((k) => layout.text(texts + k * TEXT_SIZE, TEXT_SIZE));
        fields.push({ place: place!, a: a!, b: b! });
      }
    }
    scratch.free();
    return { fields, counts };
  }

  private readInputs(count: number): InputDifference[] {
    const { calls, layout } = this.module;
    const scratch = this.module.scratch(64);
    const at = scratch.take(40);
    const inputs = Array.from({ length: count }, (_, i): InputDifference => {
      const kind = layout.text(calls.iso_player_compare_input(this.at, i, at));
      const [isCommand, isInA, isInB, slot, sequence] = [0, 1, 2, 3, 4].map((k) =>
        Number(layout.view.getBigUint64(at + 8 * k, true)),
      );
      return {
        kind, slot: slot!, sequence: isCommand ? sequence! : undefined,
        isIn: isInA && isInB ? 'both' : isInA ? 'a' : 'b',
      };
    });
    scratch.free();
    return inputs;
  }

  /** Frees its memory. */
  destroy(): void {
    this.module.calls.iso_player_compare_destroy(this.at);
  }
}
