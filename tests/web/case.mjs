// Case files of tests/golden (golden_case.h): a snapshot and the inputs of the ticks after it. In Node and in a
// browser.
export class Case {
  /** @param bytes  of the file, a Uint8Array */
  constructor(bytes) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    if (new TextDecoder().decode(this.take(8)) !== 'ISOGOLD1') {
      throw new Error('this is no case file');
    }
    this.snapshot = this.take(this.u(4));
    this.tickCount = this.u(4);
  }

  take(size) {
    this.at += size;
    return new Uint8Array(this.view.buffer, this.view.byteOffset + this.at - size, size);
  }

  u(size) {
    return this.take(size).reduceRight((sum, byte) => sum * 256 + byte, 0);
  }

  /** The next tick's input. @param decode  a command from its canonical bytes */
  nextInput(tick, decode) {
    const changes = Array.from({ length: this.u(2) }, () => ({
      kind: this.u(1), slot: this.u(1), slotGeneration: this.u(4),
    }));
    const commands = Array.from({ length: this.u(2) }, () => {
      const slot = this.u(1);
      this.at += 8;
      const sequence = this.view.getBigUint64(this.at - 8, true);
      return { slot, sequence, moved: 0, command: decode(this.take(this.u(2))) };
    });
    return { tick: BigInt(tick), changes, commands };
  }
}

/**
 * Steps the world of a case to its end.
 * @param World  the package's class
 * @param ticks  Set of those whose root is asked for
 * @return the roots as [tick, text]
 */
export function rootsOf(World, module, bytes, ticks) {
  const file = new Case(bytes);
  const world = World.fromSnapshot(module, file.snapshot);
  const roots = [];
  for (let tick = 1; tick <= file.tickCount; ++tick) {
    world.step(file.nextInput(tick, (command) => world.decodeCommand(command)));
    if (ticks.has(tick)) {
      roots.push([tick, world.root.toString(16).padStart(16, '0')]);
    }
  }
  world.destroy();
  return roots;
}
