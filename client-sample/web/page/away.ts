// A hidden tab: its Worker goes on as long as the browser lets it, and catches up when it did not. Either is said.
const NOTED_MS = 3000; // shorter looks elsewhere are not worth a word
const JUDGED_MS = 500; // what the Worker has told meanwhile is read first
const BEHIND_S = 2; // from here on it has to catch up

export class Away {
  private tick = 0; // the last one that was proven
  private rateHz = 60;
  private since: { readonly ms: number; readonly tick: number } | null = null;
  private goal: { readonly ms: number; readonly from: number; readonly tick: number } | null = null; // what there is to catch up

  constructor(private readonly note: (text: string) => void) {
    document.addEventListener('visibilitychange', () => (document.visibilityState === 'hidden' ? this.leave() : this.come()));
  }

  join(rateHz: number): void {
    this.rateHz = rateHz;
    this.since = this.goal = null;
  }

  private leave(): void {
    this.since = this.tick > 0 ? { ms: Date.now(), tick: this.tick } : null; // the other clock may stop with the tab
    this.goal = null;
  }

  private come(): void {
    const { since } = this;
    if (since !== null && Date.now() - since.ms >= NOTED_MS) {
      setTimeout(() => this.judge(since), JUDGED_MS);
    }
  }

  private judge(since: { readonly ms: number; readonly tick: number }): void {
    if (this.since !== since) {
      return; // it is hidden again, or in another session
    }
    this.since = null;
    const due = since.tick + ((Date.now() - since.ms) / 1000) * this.rateHz;
    const left = Math.round(due - this.tick);
    if (left <= BEHIND_S * this.rateHz) {
      this.note(`While you were away this tab went on, and proved ${format(this.tick - since.tick)} ticks.`);
    } else {
      this.note(`The browser had put this tab to sleep. It catches up with ${format(left)} ticks.`);
      this.goal = { ms: Date.now(), from: this.tick, tick: due };
    }
  }

  /** The last tick that was proven. */
  hear(tick: number): void {
    this.tick = tick;
    const { goal } = this;
    if (goal !== null && tick >= goal.tick) {
      this.goal = null;
      this.note(`This tab has caught up: ${format(tick - goal.from)} ticks in ${((Date.now() - goal.ms) / 1000).toFixed(1)} s.`);
    }
  }
}

const format = (count: number): string => count.toLocaleString('en');
