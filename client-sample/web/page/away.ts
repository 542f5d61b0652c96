// A hidden tab: its Worker goes on as long as the browser lets it, and catches up when it did not. Either is said.
const NOTED_MS = 3000; // shorter looks elsewhere are not worth a word
const JUDGED_MS = 500; // what the Worker has told meanwhile is read first
const BEHIND_S = 2; // from here on it has to catch up
const CALM_SHARE = 2.5; // of the session's rate: a tab that proves faster is catching up
const CALM_COUNT = 2; // reports in a row

export class Away {
  private tick = 0; // the last one that was proven
  private heardMs = 0; // when it was told
  private calm = 0; // reports in a row at the session's rate
  private rateHz = 60;
  private isPlaying = false;
  private slept = false; // nothing was told for a while
  private since: { readonly ms: number; readonly tick: number } | null = null; // when it was hidden
  private goal: { readonly from: number } | null = null; // it is catching up

  constructor(private readonly note: (text: string) => void) {
    document.addEventListener('visibilitychange', () =>
      document.visibilityState === 'hidden' ? this.leave() : this.come(),
    );
  }

  /** Another session. */
  reset(): void {
    this.tick = 0;
    this.since = this.goal = null;
  }

  setRate(rateHz: number): void {
    this.rateHz = rateHz;
  }

  setLink(state: string): void {
    this.isPlaying = state === 'playing';
  }

  private leave(): void {
    this.since = this.tick > 0 ? { ms: Date.now(), tick: this.tick } : null; // the other clock may stop with the tab
    this.goal = null;
    this.slept = false;
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
    if (!this.slept && this.isPlaying && due - this.tick <= BEHIND_S * this.rateHz) {
      this.note(
        `While you were away this tab went on, and proved ${(this.tick - since.tick).toLocaleString('en')} ticks.`,
      );
    } else {
      this.note('The browser had put this tab to sleep. It catches up.');
      this.goal = { from: since.tick };
      this.calm = 0;
    }
  }

  /** The last tick that was proven. */
  hear(tick: number): void {
    const now = Date.now();
    const rateHz = ((tick - this.tick) * 1000) / Math.max(1, now - this.heardMs);
    this.calm = this.isPlaying && rateHz > 0 && rateHz < CALM_SHARE * this.rateHz ? this.calm + 1 : 0;
    this.slept ||= now - this.heardMs > BEHIND_S * 1000;
    this.tick = tick;
    this.heardMs = now;
    if (this.goal !== null && this.calm >= CALM_COUNT) {
      this.note(`This tab was asleep, and has caught up with ${(tick - this.goal.from).toLocaleString('en')} ticks.`);
      this.goal = null;
    }
  }
}
