// Laps in the rally, in the Worker: counted by what the game emits (core/games/rally.c), once it is confirmed.
import type { Client } from '../../src/client.js';
import type { ClientEvents } from '../../src/events.js';
import type { Racer } from '../messages.js';

const CHECK = 1; // codes of what the game emits
const LAP = 2;

interface Run {
  laps: number | undefined;
  checks: number;
  since: number | undefined; // [ticks] when the line was passed
  last: number | undefined; // [ticks]
  best: number | undefined;
}

export class Laps {
  private readonly runs = new Map<number, Run>(); // by the slot

  constructor(private readonly client: Client) {
    client.on(
      'outcome',
      (outcome) =>
        client.welcome?.game === 'rally' &&
        outcome.kind === 'emit' &&
        outcome.mark === 'confirmed' &&
        this.learn(outcome),
    );
  }

  private learn({ tick, first, bytes }: ClientEvents['outcome']): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const word = (index: number): number => view.getUint32(4 * index, true);
    const slot = word(0);
    const run = this.runs.get(slot) ?? {
      laps: undefined, checks: 0, since: undefined, last: undefined, best: undefined,
    };
    if (Number(first) === CHECK) {
      const [number, ticks] = [word(1), word(2)];
      run.checks = number;
      if (number === 1) { // the line
        run.since = tick;
        run.laps = ticks === 0 ? 0 : run.laps; // else a lap follows, with its number
        [run.last, run.best] = ticks === 0 ? [undefined, undefined] : [run.last, run.best];
      } else {
        run.since = tick - ticks; // also of a lap that was begun before this tab came
      }
    } else if (Number(first) === LAP) {
      [run.laps, run.last, run.best] = [word(1), word(2), word(3)];
    }
    this.runs.set(slot, run);
  }

  /** The players, the one that has come farthest first. */
  racers(players: readonly { readonly slot: number }[]): Racer[] {
    const { tick, welcome } = this.client;
    const seconds = (ticks: number | undefined): number | undefined =>
      ticks === undefined ? undefined : Math.max(0, ticks) / (welcome?.tickRateHz ?? 60);
    for (const slot of this.runs.keys()) {
      players.some((player) => player.slot === slot) || this.runs.delete(slot); // who comes next begins anew
    }
    return players
      .map(({ slot }) => {
        const { laps, checks = 0, since, last, best } = this.runs.get(slot) ?? {};
        return {
          slot, laps, checks, now: seconds(since === undefined ? undefined : tick - since), last: seconds(last),
          best: seconds(best),
        };
      })
      .sort((a, b) => (b.laps ?? -1) - (a.laps ?? -1) || b.checks - a.checks || a.slot - b.slot);
  }
}
