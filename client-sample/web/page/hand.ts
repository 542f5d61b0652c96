// The hand: a TARGET joint between a point of a body and the pointer, made by commands like any other joint.
import { type Client } from '../src/client.js';
import { type ClientEvents } from '../src/events.js';

const ONE = 65536; // Q16.16
const HERTZ = 6 * ONE;
const KIND_TARGET = 2;

const q16 = (value: number): number => Math.round(value * ONE);
/** Q31.32, for what is above the 15 micrometres of Q16.16 nothing is lost. */
const q32 = (value: number): bigint => BigInt(Math.round(value * ONE)) << 16n;

export class Hand {
  private created: number | null = null; // the sequence of the command that makes the joint
  private joint = 0n; // 0n: not known yet
  private isHolding = false;
  private target: { x: number; y: number } | null = null; // that the joint does not have yet

  constructor(
    private readonly client: Client,
    private readonly complain: (status: number) => void,
  ) {
    client.on('outcome', (outcome) => this.learn(outcome));
    client.on('tick', () => this.follow());
    client.on('refused', ({ sequence, status }) => {
      if (sequence === this.created && sequence !== 0) {
        this.forget();
        this.complain(status);
      }
    });
  }

  grab(body: bigint, x: number, y: number, force: number): void {
    this.release();
    const pose = this.client.poses().find((candidate) => candidate.body === body);
    if (!pose) {
      return;
    }
    const [dx, dy] = [x - pose.x, y - pose.y];
    const [cos, sin] = [Math.cos(pose.angle), Math.sin(pose.angle)];
    this.isHolding = true;
    this.joint = 0n;
    this.target = null;
    this.created = this.client.command({
      case: 'createJoint',
      value: {
        joint: {
          kind: KIND_TARGET,
          enabled: true,
          bodyB: body,
          anchorBX: q16(dx * cos + dy * sin),
          anchorBY: q16(dy * cos - dx * sin),
          hertz: HERTZ,
          dampingRatio: ONE,
          springDampingRatio: ONE,
          limitDampingRatio: ONE,
          forceMax: q32(force),
          targetX: q32(x),
          targetY: q32(y),
          ratio: ONE,
          axisX: ONE,
        },
      },
    });
  }

  move(x: number, y: number): void {
    this.target = { x, y };
  }

  release(): void {
    this.isHolding = false;
    this.follow();
  }

  /** The handle of what was created is known as soon as it is predicted. */
  private learn(outcome: ClientEvents['outcome']): void {
    if (outcome.kind !== 'result' || this.created === null || Number(outcome.first) !== this.created) {
      return;
    }
    if (outcome.mark === 'withdrawn') {
      this.joint = 0n;
    } else if (outcome.status !== 0) {
      if (outcome.mark === 'confirmed') {
        this.forget();
        this.complain(outcome.status);
      }
    } else {
      this.joint = outcome.second;
    }
  }

  /** Once a tick: a hand that moves faster has no use of it. */
  private follow(): void {
    if (this.joint === 0n) {
      return;
    }
    if (!this.isHolding) {
      this.client.command({ case: 'destroyJoint', value: { joint: this.joint } });
      this.forget();
    } else if (this.target !== null) {
      this.client.command({ case: 'setTarget', value: { joint: this.joint, targetX: q32(this.target.x), targetY: q32(this.target.y) } });
      this.target = null;
    }
  }

  private forget(): void {
    this.created = null;
    this.joint = 0n;
    this.isHolding = false;
    this.target = null;
  }
}
