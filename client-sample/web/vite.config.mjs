// The package's one script. ISO_WEB_BUILD is the folder with what the build has made (generated/) and where the package
// is put together (package/dist).
import { resolve } from 'node:path';
import { defineConfig } from 'vite';

const build = process.env.ISO_WEB_BUILD;
if (!build) {
  throw new Error('ISO_WEB_BUILD is not set: build with CMake (client-sample/web/README.md)');
}

export default defineConfig({
  resolve: { alias: { '#generated': resolve(build, 'generated') } },
  build: {
    target: 'es2022',
    outDir: resolve(build, 'package/dist'),
    emptyOutDir: false, // the module lies there
    lib: { entry: resolve(import.meta.dirname, 'src/index.ts'), formats: ['es'], fileName: 'isostep' },
    rollupOptions: { external: ['@bufbuild/protobuf', '@bufbuild/protobuf/wkt', '@bufbuild/protobuf/wire', 'fzstd', 'ws'] },
  },
  logLevel: 'warn',
});
