// The page that the server serves. ISO_WEB_BUILD is the folder with what the build has made: generated/ and the modules
// in play/ and player/; the page goes into site/. All addresses are relative, so that the page works below any path.
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
const COMPRESSED_MAX = 224000;
const PLAYER = /^player[.-]/; // what only the player of recordings loads
const SPACE = /^(space|three|isostep3)[.-]/; // what only a session or a recording in space loads

/** The files that are loaded only when they are needed: chunks of a dynamic import, and their styles. */
function findLater(bundle) {
  const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
  const first = new Set();
  const add = (name) => {
    if (!first.has(name)) {
      first.add(name);
      bundle[name].imports.forEach(add);
      bundle[name].viteMetadata.importedCss.forEach((style) => first.add(style));
    }
  };
  chunks.filter(({ isEntry }) => isEntry).forEach(({ fileName }) => add(fileName));
  const all = chunks.flatMap(({ fileName, viteMetadata }) => [fileName, ...viteMetadata.importedCss]);
  return new Set(all.filter((name) => !first.has(name)));
}

let later = new Set();

/**
 * Packs the files as the server sends them, prints what a first session loads, and ends the build when that is too
 * much.
 */
const packing = {
  name: 'packing',
  generateBundle(_, bundle) {
    later = findLater(bundle);
  },
  closeBundle() {
    const folder = resolve(build, 'site/assets');
    const none = { plain: 0, gzip: 0, brotli: 0 };
    const sums = { first: { ...none }, later: { ...none }, player: { ...none }, space: { ...none } };
    for (const name of readdirSync(folder).filter((entry) => /[.](js|wasm|css)$/.test(entry))) {
      const bytes = readFileSync(resolve(folder, name));
      const sum = PLAYER.test(name)
        ? sums.player
        : SPACE.test(name)
          ? sums.space
          : later.has(`assets/${name}`)
            ? sums.later
            : sums.first;
      const brotli = brotliCompressSync(bytes);
      writeFileSync(resolve(folder, `${name}.br`), brotli);
      sum.plain += bytes.length;
      sum.gzip += gzipSync(bytes, { level: 9 }).length;
      sum.brotli += brotli.length;
    }
    for (const [name, { plain, gzip, brotli }] of Object.entries(sums)) {
      console.log(`the page, ${name}: ${plain} bytes, ${gzip} with gzip, ${brotli} with brotli`);
    }
    writeFileSync(resolve(build, 'sizes.json'), JSON.stringify(sums)); // for the test that reads the README
    const isOwn = process.env.ISO_WEB_GAMES !== undefined; // somebody's own games may be large
    if (!isOwn && (sums.first.plain > SCRIPT_MAX || sums.first.gzip > COMPRESSED_MAX)) {
      throw new Error(`the page may have ${SCRIPT_MAX} bytes, ${COMPRESSED_MAX} with gzip`);
    }
  },
};

/** The names of the games that the page's modules have: a session of another one is not offered. */
async function readGames() {
  const { instance } = await WebAssembly.instantiate(readFileSync(resolve(build, 'player/isostep3.wasm')));
  const { iso_web_game_name: nameAt, memory } = instance.exports;
  const games = [];
  for (let at = nameAt(0); at !== 0; at = nameAt(games.length)) {
    const bytes = new Uint8Array(memory.buffer, at);
    games.push(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0))));
  }
  return games;
}

export default defineConfig({
  root: here,
  define: { CHECKS: 'false', GAMES: JSON.stringify(await readGames()) },
  base: './',
  resolve: {
    alias: {
      '#generated': resolve(build, 'generated'), '#module': resolve(build, 'play'), '#player': resolve(build, 'player'),
    },
  },
  plugins: [packing],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 600, // [kB] three.js, which only what is in space loads
    outDir: resolve(build, 'site'),
    emptyOutDir: true,
    assetsInlineLimit: 0, // the policy allows scripts of the own origin only
    modulePreload: { polyfill: false },
    rollupOptions: { output: { manualChunks: (id) => (id.includes('/node_modules/three/') ? 'three' : undefined) } },
  },
  logLevel: 'warn',
});
