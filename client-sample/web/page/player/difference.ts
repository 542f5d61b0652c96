// The report of a comparison, as the page shows it.

/** A field of the state that differs, as isostep-replay compare names it. */
export interface FieldDifference {
  readonly place: string; // bodies[3].velocity[0]
  readonly a: string; // 0.000002 m/s (1)
  readonly b: string;
}

export interface Report {
  readonly isCommon: boolean; // they have a tick in common
  readonly firstTick: number;
  readonly lastTick: number;
  /** The first tick that differs, or undefined. */
  readonly tick: number | undefined;
  readonly equalTicks: number;
  readonly rootA: string;
  readonly rootB: string;
  /** After which the states differ: not before `tick`. */
  readonly stateTick: number;
  readonly fieldCount: number;
  readonly counts: readonly (readonly [section: string, count: number])[];
  readonly fields: readonly FieldDifference[]; // the first of them
  readonly inputs: readonly string[];
  readonly headers: readonly string[];
}
