// The hand: a TARGET joint between a point of a body and the pointer, made by commands like any other joint.
import type { Client, Command } from '../src/client.js';
import type { ClientEvents } from '../src/events.js';
import { destroyJoint, hold, moveHand, type Place } from './commands.js';

export class Hand {
  private created: number | null = null; // the sequence of the command that makes the joint
  private joint = 0n; // 0n: not known yet
  private isHolding = false;
  private target: Place | null = null; // that the joint does not have yet

  constructor(private readonly client: Client) {
    client.on('outcome', (outcome) => this.learn(outcome));
    client.on('tick', () => this.follow());
    client.on('refused', ({ sequence }) => sequence === this.created && this.forget());
    client.on('lost', ({ sequence }) => sequence === this.created && this.forget());
  }

  /** @param force  [N] the most that it can do */
  grab(body: bigint, at: Place, force: number): void {
    const pose = this.client.poses().find((candidate) => candidate.body === body);
    if (pose) {
      this.take(hold(pose, at, force));
    }
  }

  /** @param command  makes the joint */
  take(command: Command): void {
    this.release();
    this.created = this.client.command(command);
    this.isHolding = true;
    this.joint = 0n;
    this.target = null;
  }

  move(to: Place): void {
    this.target = to;
  }

  release(): void {
    this.isHolding = false;
    this.follow();
  }

  /** The handle of what was created is known as soon as it is predicted. */
  private learn({ kind, mark, first, second, status }: ClientEvents['outcome']): void {
    if (kind !== 'result' || this.created === null || Number(first) !== this.created) {
      return;
    }
    this.joint = mark !== 'withdrawn' && status === 0 ? second : 0n;
    if (mark === 'confirmed' && status !== 0) {
      this.forget();
    }
  }

  /** Once a tick: a hand that moves faster has no use of it. */
  private follow(): void {
    if (this.joint === 0n) {
      return;
    }
    if (!this.isHolding) {
      this.client.command(destroyJoint(this.joint));
      this.forget();
    } else if (this.target !== null) {
      this.client.command(moveHand(this.joint, this.target));
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
