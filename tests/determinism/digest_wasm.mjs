// Runs a digest in a WebAssembly module: node digest_wasm.mjs MODULE. The exit code is that of its main.
import { readFileSync } from 'node:fs';

let memory;

function text(at) {
  const bytes = new Uint8Array(memory.buffer);
  return Buffer.from(bytes.subarray(at, bytes.indexOf(0, at))).toString();
}

// As far as the digests need it. Arguments lie one after the other, each at a multiple of its size.
function printf(format, args) {
  const view = new DataView(memory.buffer);
  let at = args;
  process.stdout.write(text(format).replace(/%(016llx|zu|u|s)/g, (all, kind) => {
    const size = kind === '016llx' ? 8 : 4;
    at = Math.ceil(at / size) * size + size;
    if (size === 8) {
      return view.getBigUint64(at - 8, true).toString(16).padStart(16, '0');
    }
    const number = view.getUint32(at - 4, true);
    return kind === 's' ? text(number) : String(number);
  }));
  return 0;
}

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), { env: { printf } });
memory = instance.exports.memory;
process.exit(instance.exports.digest_main());
