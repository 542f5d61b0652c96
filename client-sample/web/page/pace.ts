// Whether this machine computes the session's ticks as fast as they come, and what to say when it does not.
const WINDOW_MS = 3000;
const BEHIND_S = 0.5; // less is a hiccup
const SLOW = 0.97; // of the session's pace; with more it catches up
const RECENT_MS = 20000;

export class Pace {
  private readonly seen: { time: number; tick: number }[] = [];
  private percent = 100;
  private slowUntil = -Infinity;

  /**
   * @param tick     that was computed last
   * @param backlog  messages that wait, about one for each tick
   * @return what to show, or ''
   */
  sample(tick: number, backlog: number, rateHz: number, now: number): string {
    const { seen } = this;
    if (seen.length > 0 && tick < seen.at(-1)!.tick) {
      seen.length = 0; // another world
    }
    seen.push({ time: now, tick });
    while (seen.length > 2 && seen[1]!.time <= now - WINDOW_MS) {
      seen.shift();
    }
    const behind = backlog / rateHz;
    const first = seen[0]!;
    if (behind < BEHIND_S || now - first.time < WINDOW_MS / 2) {
      return '';
    }
    const share = ((tick - first.tick) * 1000) / (now - first.time) / rateHz;
    if (share > SLOW) {
      return `${behind.toFixed(1)} s behind, catching up`;
    }
    this.percent = Math.round(100 * share);
    this.slowUntil = now + RECENT_MS;
    return `${behind.toFixed(1)} s behind: ${this.percent} % of the pace`;
  }

  /** Why a session was lost, if that was the reason; else ''. */
  complaint(now: number): string {
    return now < this.slowUntil ? `This machine is too slow for this session: ${this.percent} % of the pace.` : '';
  }
}
