// The page that the server serves. ISO_WEB_BUILD is the folder with what the build has made: generated/ and the modules in
// play/ and player/; the page goes into site/. All addresses are relative, so that the page works below any path.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url)); // import.meta.dirname is not in Debian 12's Node 18

const build = process.env.ISO_WEB_BUILD;
if (!build) {
  throw new Error('ISO_WEB_BUILD is not set: build with CMake (client-sample/web/README.md)');
}

const SCRIPT_MAX = 700000; // [bytes] that a first session loads: scripts and the module
const COMPRESSED_MAX = 220000;
const LATER = /^player[.-]/; // what only the player of recordings loads

/** Packs the files as the server sends them, prints what a first session loads, and ends the build when that is too much. */
const packing = {
  name: 'packing',
  closeBundle() {
    const folder = resolve(build, 'site/assets');
    const sum = { plain: 0, gzip: 0, brotli: 0 };
    const later = { ...sum };
    for (const name of readdirSync(folder).filter((entry) => /[.](js|wasm|css)$/.test(entry))) {
      const bytes = readFileSync(resolve(folder, name));
      const brotli = brotliCompressSync(bytes);
      writeFileSync(resolve(folder, `${name}.br`), brotli);
      const of = LATER.test(name) ? later : sum;
      of.plain += bytes.length;
      of.gzip += gzipSync(bytes, { level: 9 }).length;
      of.brotli += brotli.length;
    }
    console.log(`the page: ${sum.plain} bytes, ${sum.gzip} with gzip, ${sum.brotli} with brotli`);
    console.log(`the player of recordings: ${later.plain} bytes, ${later.gzip} with gzip, ${later.brotli} with brotli`);
    if (sum.plain > SCRIPT_MAX || sum.gzip > COMPRESSED_MAX) {
      throw new Error(`the page may have ${SCRIPT_MAX} bytes, ${COMPRESSED_MAX} with gzip`);
    }
  },
};

export default defineConfig({
  root: here,
  base: './',
  resolve: { alias: { '#generated': resolve(build, 'generated'), '#module': resolve(build, 'play'), '#player': resolve(build, 'player') } },
  plugins: [packing],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    outDir: resolve(build, 'site'),
    emptyOutDir: true,
    assetsInlineLimit: 0, // the policy allows scripts of the own origin only
    modulePreload: { polyfill: false },
  },
  logLevel: 'warn',
});
