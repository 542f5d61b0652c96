// A session in space on the page: the view, the tools and what the keys steer by. Loaded for one only.
import './space.css';
import type { Controls } from '../games.js';
import type { Keys } from '../input.js';
import type { Picture3, Request } from '../messages.js';
import type { Theme } from '../theme.js';
import type { ToolName } from '../tools.js';
import { byId } from '../view.js';
import { Vector3 } from 'three';
import { Labels } from './space-labels.js';
import { RaceTable } from './space-race.js';
import { Eye, Stage3, type Body } from './space-stage.js';
import { Tools3 } from './space-tools.js';

const FOLLOW_SHARE = 0.12; // of the way to the own body, each sixtieth of a second
const CHASE_SHARE = 0.05; // likewise of the angle that it has turned
const LEVEL = 0.3; // what of a front is along the ground at least: else the body stands on end
const UP = new Vector3(0, 1, 0);
const NEAR = 13; // [m] from which the own body is seen at first
const TURN_LEAST = 0.01; // [rad] that the camera turns before the keys do
const SLOW_MS = 50; // for a picture, over SLOW_OVER_MS: there is less in the next ones
const SLOW_OVER_MS = 3000;
const HIDDEN_MS = 1000; // nobody has looked
const FIT_WAIT = 20; // [pictures] for a game in which members have no body

/** What the page lends. */
export interface Lent {
  readonly theme: () => Theme;
  readonly controls: () => Controls;
  readonly tool: () => ToolName;
  readonly keys: Keys;
  readonly names: ReadonlyMap<number, string>;
  /** The own one; undefined: a spectator's. */
  readonly slot: () => number | undefined;
  readonly post: (request: Request) => void;
}

export class SpacePage {
  readonly stage: Stage3;
  picture: Picture3 | null = null;
  /** Whether slow drawing is met by drawing less. */
  isThrifty = true;
  private readonly tools: Tools3;
  private readonly labels = new Labels(byId('names'));
  private readonly race = new RaceTable(byId('play'));
  private readonly follow = byId<HTMLInputElement>('follow');
  private pictures = 0;
  private isFitted = false;
  private turn = 0;
  private heading = 0; // [rad] that the camera has followed
  private moved = 0; // [ms] when it last moved
  private readonly pace = { last: 0, sum: 0, count: 0 };

  /** @throws Error  there is no WebGL 2 */
  constructor(private readonly lent: Lent) {
    const listen = (canvas: HTMLCanvasElement): void => this.tools.listen(canvas);
    this.tools = new Tools3(() => this.stage, lent.tool, lent.post, () => (this.follow.checked = false));
    this.stage = new Stage3(byId('play'), new Eye(), '', listen);
    this.stage.canvas.id = 'world3';
    byId('world').after(this.stage.canvas); // below the tools
    document.documentElement.classList.add('in-space');
  }

  take(picture: Picture3): void {
    this.picture = picture;
    this.pictures += 1;
    this.stage.take(picture);
  }

  paint(): void {
    const { stage, picture, lent } = this;
    if (picture === null) {
      return;
    }
    if (!this.isFitted && (stage.body(picture.player) !== null || this.pictures > FIT_WAIT)) {
      this.isFitted = true;
      this.fit();
    }
    const panel = byId('panel');
    stage.covered = !panel.hidden && innerWidth > 640 ? panel.offsetWidth + 12 : 0;
    this.economize(performance.now());
    this.move(picture);
    this.steer();
    stage.canvas.setAttribute('aria-label', byId('world').getAttribute('aria-label') ?? '');
    stage.paint(lent.theme());
    this.race.show(picture.race, lent.slot(), lent.names);
    this.labels.show(stage, picture.players.map((player) => ({ ...player, name: lent.names.get(player.slot) ?? '' })));
  }

  /** What draws slowly, without a graphics card, draws without shadows, and then fewer pixels. */
  private economize(now: number): void {
    const { pace, stage } = this;
    const took = now - pace.last;
    pace.last = now;
    if (took > HIDDEN_MS || !this.isThrifty) {
      return;
    }
    pace.sum += took;
    pace.count += 1;
    if (pace.sum > SLOW_OVER_MS) {
      stage.quality -= pace.sum / pace.count > SLOW_MS && stage.quality > 0 ? 1 : 0;
      pace.sum = pace.count = 0;
    }
  }

  /** The angle of a body's front about the vertical [rad], or null: it has none. */
  private headingOf(body: Body): number | null {
    const front = new Vector3(1, 0, 0).applyQuaternion(body.rotation);
    return Math.hypot(front.x, front.z) > LEVEL ? Math.atan2(front.x, front.z) : null;
  }

  /** The camera goes round with the own body; where the user has turned it, seen from there, it stays. */
  private chase(own: Body, share: number): void {
    const heading = this.headingOf(own);
    if (heading !== null && this.lent.controls().chases) {
      const { camera, target } = this.stage.eye;
      const turn =
        share * (((((heading - this.heading + Math.PI) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)) - Math.PI);
      this.heading += turn;
      camera.position.sub(target).applyAxisAngle(UP, turn).add(target);
    }
  }

  /** The camera goes with the own body, but not while a hand may take it along: that would move the hand on. */
  private move({ player }: Picture3): void {
    const now = performance.now();
    const sixtieths = Math.min(30, ((now - this.moved) * 60) / 1000);
    const shareOf = (share: number): number => 1 - (1 - share) ** sixtieths;
    this.moved = now;
    const own = this.follow.checked && !this.tools.isHolding ? this.stage.body(player) : null;
    if (own) {
      const { camera, target } = this.stage.eye;
      const way = own.position.clone().sub(target).multiplyScalar(shareOf(FOLLOW_SHARE));
      target.add(way);
      camera.position.add(way);
      this.chase(own, shareOf(CHASE_SHARE));
    }
  }

  /** In some games what is up on the screen is away from the camera. */
  private steer(): void {
    const { controls, keys } = this.lent;
    const turn = controls().turns ? this.stage.controls.getAzimuthalAngle() : 0;
    if (Math.abs(turn - this.turn) > TURN_LEAST) {
      this.turn = turn;
      keys.setTurn(turn);
    }
  }

  zoom(factor: number): void {
    this.stage.zoom(factor);
  }

  /** Shows the own body from near, or all that moves. */
  fit(): void {
    const own = this.picture && this.stage.body(this.picture.player);
    if (own) {
      this.follow.checked = true;
      const heading = this.lent.controls().chases ? this.headingOf(own) : null;
      this.heading = heading ?? this.heading;
      this.stage.eye.look(own.position, NEAR, heading === null ? 0 : heading + Math.PI, 0.34);
    } else {
      this.stage.fit();
    }
  }

  remove(): void {
    this.labels.remove();
    this.race.remove();
    this.stage.remove();
    document.documentElement.classList.remove('in-space');
  }
}
