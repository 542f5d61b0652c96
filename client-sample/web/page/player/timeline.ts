// The time line: what was verified, keyframes, events and how much came in; and over it a slider, which everybody's
// keyboard, screen reader and finger knows.
import { memberHex } from '../theme.js';
import { PROOF_BINS, WRONG, type About, type Proof, type TimedEvent } from './messages.js';

const INSET = 9; // [px] half of the slider's thumb
const TRACK = { top: 30, height: 22 };
const EVENT_Y = 14;
const NEAR = 6; // [px] from an event that count as on it

export const EVENT_TEXTS: Readonly<Record<TimedEvent['kind'], string>> = {
  member: 'joins', left: 'leaves', desync: 'has another root', note: '', dropped: 'has lost the connection',
  resumed: 'is back', healed: 'is healed',
};

export const eventText = ({ kind, name, slot }: TimedEvent): string =>
  kind === 'note' ? name : `${name || (slot === undefined ? 'somebody' : `slot ${slot}`)} ${EVENT_TEXTS[kind]}`;

export class Timeline {
  readonly slider: HTMLInputElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly tip: HTMLElement;
  private about: About | null = null;
  private range: readonly [number, number] = [0, 1];
  private proof: Proof | null = null;
  private differs: number | undefined;
  private isStale = true;
  private drawn = '';

  /** @param seek  goes to a tick */
  constructor(
    private readonly element: HTMLElement,
    seek: (tick: number) => void,
  ) {
    this.canvas = element.querySelector('canvas')!;
    this.slider = element.querySelector('input')!;
    this.tip = element.querySelector('.tip')!;
    this.slider.addEventListener('input', () => seek(Number(this.slider.value)));
    element.addEventListener('pointermove', (event) => this.showTip(event));
    element.addEventListener('pointerleave', () => (this.tip.hidden = true));
    new ResizeObserver(() => (this.isStale = true)).observe(element);
  }

  /** @param range  the ticks that can be shown */
  open(about: About, range: readonly [number, number]): void {
    this.about = about;
    this.range = range;
    this.slider.min = String(range[0]);
    this.slider.max = String(range[1]);
    this.isStale = true;
  }

  setProof(proof: Proof | null): void {
    this.proof = proof;
    this.isStale = true;
  }

  /** @param tick  the first one that differs from another recording's */
  setDifference(tick: number | undefined): void {
    this.differs = tick;
    this.isStale = true;
  }

  refresh(): void {
    this.isStale = true;
  }

  private get width(): number {
    return Math.max(1, this.element.clientWidth);
  }

  private x(tick: number): number {
    const [first, last] = this.range;
    return INSET + ((tick - first) / Math.max(1, last - first)) * (this.width - 2 * INSET);
  }

  private tickAt(x: number): number {
    const [first, last] = this.range;
    const part = Math.max(0, Math.min(1, (x - INSET) / Math.max(1, this.width - 2 * INSET)));
    return Math.round(first + part * (last - first));
  }

  private showTip(event: PointerEvent): void {
    if (!this.about || event.pointerType === 'touch') {
      return;
    }
    const x = event.clientX - this.element.getBoundingClientRect().left;
    const tick = this.tickAt(x);
    const near = this.about.events.filter((each) => Math.abs(this.x(each.tick) - x) < NEAR).slice(0, 3);
    const isNearDifference = this.differs !== undefined && Math.abs(this.x(this.differs) - x) < NEAR;
    const texts = [
      `tick ${tick.toLocaleString('en')}`, ...near.map(eventText),
      ...(isNearDifference ? [`differs from tick ${this.differs!} on`] : []),
    ];
    this.tip.textContent = texts.join(' · ');
    this.tip.hidden = false;
    const half = this.tip.offsetWidth / 2;
    this.tip.style.transform = `translateX(${Math.max(0, Math.min(this.width - 2 * half, x - half)).toFixed(0)}px)`;
  }

  // ---- drawing ------------------------------------------------------------------------------------

  /** @param tick  that is shown; @param target  that was asked for */
  draw(tick: number, target: number): void {
    const now = `${tick},${target}`;
    if (!this.about || (!this.isStale && now === this.drawn)) {
      return;
    }
    this.isStale = false;
    this.drawn = now;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const height = this.element.clientHeight;
    const [width, tall] = [Math.round(this.width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== tall) {
      [this.canvas.width, this.canvas.height] = [width, tall];
    }
    const context = this.canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, height);
    const style = getComputedStyle(this.element);
    const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    this.drawTrack(context, of);
    this.drawEvents(context, of);
    this.drawHead(context, tick, target, of);
  }

  private drawTrack(context: CanvasRenderingContext2D, of: (name: string) => string): void {
    const { top, height } = TRACK;
    const [left, right] = [this.x(this.range[0]), this.x(this.range[1])];
    context.save();
    context.beginPath();
    context.roundRect(left, top, right - left, height, 5);
    context.fillStyle = of('track');
    context.fill();
    context.clip();
    this.drawProof(context, of);
    this.drawActivity(context, of);
    if (this.differs !== undefined) {
      context.fillStyle = of('bad');
      context.globalAlpha = 0.28;
      context.fillRect(this.x(this.differs), top, right - this.x(this.differs), height);
      context.globalAlpha = 1;
      context.fillRect(this.x(this.differs) - 1, top, 2, height);
    }
    context.restore();
    context.fillStyle = of('soft');
    for (const keyframe of this.about!.keyframes) {
      if (keyframe >= this.range[0] && keyframe <= this.range[1]) {
        const x = this.x(keyframe);
        context.fillRect(Math.round(x) - 0.5, top + height + 3, 1, 5);
      }
    }
  }

  private drawProof(context: CanvasRenderingContext2D, of: (name: string) => string): void {
    const { bins } = this.proof ?? { bins: new Uint8Array(0) };
    const { firstTick, lastTick } = this.about!;
    const ticks = Math.max(1, lastTick - firstTick);
    for (let i = 0, end = 0; i < bins.length; i = end) {
      const bin = bins[i]!;
      for (end = i + 1; end < bins.length && bins[end] === bin; ) {
        end += 1;
      }
      if (bin > 0) {
        const [from, to] = [
          this.x(firstTick + (i * ticks) / PROOF_BINS), this.x(firstTick + (end * ticks) / PROOF_BINS),
        ];
        context.fillStyle = of(bin === WRONG ? 'bad' : 'good');
        context.globalAlpha = bin === WRONG ? 0.8 : 0.2 + (0.4 * bin) / 100;
        context.fillRect(from, TRACK.top, to - from, TRACK.height);
      }
    }
    context.globalAlpha = 1;
  }

  private drawActivity(context: CanvasRenderingContext2D, of: (name: string) => string): void {
    const { activity, firstTick, lastTick } = this.about!;
    const ticks = Math.max(1, lastTick - firstTick);
    context.fillStyle = of('ink');
    context.globalAlpha = 0.3;
    context.beginPath();
    activity.forEach((share, i) => {
      const [from, to] = [
        this.x(firstTick + (i * ticks) / activity.length), this.x(firstTick + ((i + 1) * ticks) / activity.length),
      ];
      const high = share * (TRACK.height - 4);
      context.rect(from, TRACK.top + TRACK.height - high, to - from, high);
    });
    context.fill();
    context.globalAlpha = 1;
  }

  private drawEvents(context: CanvasRenderingContext2D, of: (name: string) => string): void {
    for (const event of this.about!.events) {
      const x = this.x(event.tick);
      context.fillStyle =
        event.kind === 'desync' ? of('bad') : event.slot === undefined ? of('soft') : memberHex(event.slot);
      context.strokeStyle = context.fillStyle;
      context.lineWidth = 1.75;
      context.beginPath();
      if (event.kind === 'member' || event.kind === 'resumed') { // comes: a triangle that points down
        context.moveTo(x - 5, EVENT_Y - 5);
        context.lineTo(x + 5, EVENT_Y - 5);
        context.lineTo(x, EVENT_Y + 5);
        context.fill();
      } else if (event.kind === 'desync') {
        context.moveTo(x - 4.5, EVENT_Y - 4.5);
        context.lineTo(x + 4.5, EVENT_Y + 4.5);
        context.moveTo(x + 4.5, EVENT_Y - 4.5);
        context.lineTo(x - 4.5, EVENT_Y + 4.5);
        context.stroke();
      } else {
        context.arc(x, EVENT_Y, 4, 0, 2 * Math.PI);
        if (event.kind === 'left' || event.kind === 'dropped') {
          context.stroke();
        } else {
          context.fill();
        }
      }
    }
  }

  private drawHead(
    context: CanvasRenderingContext2D, tick: number, target: number, of: (name: string) => string,
  ): void {
    const x = this.x(target);
    context.fillStyle = of('accent');
    if (tick !== target) { // what is shown until it is there
      context.globalAlpha = 0.5;
      context.fillRect(this.x(tick) - 1, TRACK.top - 2, 2, TRACK.height + 4);
      context.globalAlpha = 1;
    }
    context.fillRect(x - 1, TRACK.top - 6, 2, TRACK.height + 12);
    context.beginPath();
    context.arc(x, TRACK.top + TRACK.height / 2, 7, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = of('back');
    context.beginPath();
    context.arc(x, TRACK.top + TRACK.height / 2, 2.5, 0, 2 * Math.PI);
    context.fill();
  }
}
