// The package's one script. ISO_WEB_BUILD is the folder with what the build has made (generated/) and where the package
// is put together (package/dist).
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url)); // import.meta.dirname is not in Debian 12's Node 18

const build = process.env.ISO_WEB_BUILD;
if (!build) {
  throw new Error('ISO_WEB_BUILD is not set: build with CMake (client-sample/web/README.md)');
}

export default defineConfig({
  define: { CHECKS: 'true' },
  resolve: { alias: { '#generated': resolve(build, 'generated') } },
  build: {
    target: 'es2022',
    outDir: resolve(build, 'package/dist'),
    emptyOutDir: false, // the module lies there
    lib: { entry: resolve(here, 'src/index.ts'), formats: ['es'], fileName: 'isostep' },
    rollupOptions: {
      external: ['@bufbuild/protobuf', '@bufbuild/protobuf/wkt', '@bufbuild/protobuf/wire', 'fzstd', 'ws'],
    },
  },
  logLevel: 'warn',
});
