// Case files of tests/golden (golden_case.h): a snapshot and the inputs of the ticks after it.
import { readFileSync } from 'node:fs';

export class Case {
  constructor(path) {
    this.bytes = readFileSync(path);
    this.at = 8;
    if (this.bytes.toString('latin1', 0, 8) !== 'ISOGOLD1') {
      throw new Error(`${path} is no case file`);
    }
    this.snapshot = this.take(this.u(4));
    this.tickCount = this.u(4);
  }

  take(size) {
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }

  u(size) {
    return this.take(size).readUIntLE(0, size);
  }

  /** The next tick's input. @param decode  a command from its canonical bytes */
  nextInput(tick, decode) {
    const changes = Array.from({ length: this.u(2) }, () => ({ kind: this.u(1), slot: this.u(1), slotGeneration: this.u(4) }));
    const commands = Array.from({ length: this.u(2) }, () => {
      const slot = this.u(1);
      const sequence = this.take(8).readBigUInt64LE(0);
      return { slot, sequence, moved: 0, command: decode(this.take(this.u(2))) };
    });
    return { tick: BigInt(tick), changes, commands };
  }
}
