// What the Worker needs of a session in space: the module that has such worlds, and its pictures. Loaded for one only.
import wasm from '#player/isostep3.wasm?url';
import type { Client } from '../../src/client.js';
import { SpaceView } from '../../src/space.js';
import type { World } from '../../src/world.js';
import type { Look, Picture3 } from '../messages.js';
import { moduleAt } from '../module.js';
import { Laps } from './space-laps.js';

const SLOTS = 32; // that a session may have

export const module = moduleAt(new URL(wasm, import.meta.url));

/** Takes pictures of a world. */
export class Shooter {
  private readonly view: SpaceView;
  private readonly known = new Set<number>(); // looks, by their hash

  constructor(of: Client | World) {
    this.view = new SpaceView(of);
  }

  /**
   * @param parts   bits of Draw
   * @param buffer  of an earlier picture, which is filled again if it is large enough
   * @param before, part  as in SpaceView.posesPacked
   */
  shoot(parts: number, buffer: ArrayBuffer | null, before = 0, part = 1): Omit<Picture3, 'player' | 'players'> {
    const { view } = this;
    const poses = view.posesPacked(before, part);
    const [bodyCount, bodyStride, size] = [poses.count, poses.stride, poses.words.length];
    const room = 4 * (size + 2 * size); // as a rule a body has one shape
    const isLarge = (bytes: number): boolean => buffer !== null && buffer.byteLength >= bytes;
    let words = new Int32Array(isLarge(room) ? buffer! : new ArrayBuffer(room));
    words.set(poses.words);
    const shapes = view.shapesPacked(); // the poses are not valid any more
    const total = size + shapes.words.length;
    if (words.length < total) {
      const larger = new Int32Array(total + (total >> 2));
      larger.set(words.subarray(0, size));
      words = larger;
    }
    words.set(shapes.words, size);
    const lines = view.linesPacked(parts, before, part).words.slice();
    return {
      words, lines, bodyCount, bodyStride, shapeCount: shapes.count, shapeStride: shapes.stride,
      looks: this.findLooks(words, size, shapes.count, shapes.stride),
    };
  }

  private findLooks(words: Int32Array, from: number, count: number, stride: number): Look[] {
    const looks: Look[] = [];
    for (let at = from; at < from + count * stride; at += stride) {
      const hash = words[at + 3]!;
      if (!this.known.has(hash)) {
        const shape = this.view.shape((BigInt(words[at + 2]! >>> 0) << 32n) | BigInt(words[at + 1]! >>> 0));
        if (shape) {
          this.known.add(hash);
          looks.push({ hash, shape });
        }
      }
    }
    return looks;
  }

  free(): void {
    this.view.free();
  }
}

/** The pictures of a session. */
export class Drawer {
  private readonly shooter: Shooter;
  private readonly laps: Laps;

  constructor(private readonly client: Client) {
    this.shooter = new Shooter(client);
    this.laps = new Laps(client);
  }

  draw(parts: number, buffer: ArrayBuffer | null): Picture3 {
    const { client } = this;
    const players: { slot: number; body: bigint }[] = [];
    for (let slot = 0; slot < SLOTS; ++slot) {
      const body = client.playerBodyOf(slot);
      if (body !== 0n) {
        players.push({ slot, body });
      }
    }
    const race = client.welcome?.game === 'rally' ? { race: this.laps.racers(players) } : {};
    return { ...this.shooter.shoot(parts, buffer), player: client.playerBody, players, ...race };
  }

  free(): void {
    this.shooter.free();
  }
}
