// Sources of the page and of the tests as one script, for Node or for a browser. The bundler is vite's.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The sources of the page. */
export const pageDir = fileURLToPath(new URL('../../client-sample/web/page', import.meta.url));

/**
 * @param packageDir  of the built package, whose dependencies are used
 * @param source      of a module; its imports are relative to `folder`
 * @return the script
 */
export async function bundle(packageDir, source, folder = pageDir) {
  const vite = createRequire(resolve(packageDir, 'package.json')).resolve('vite/package.json');
  const { build } = createRequire(vite)('esbuild');
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    nodePaths: [resolve(packageDir, 'node_modules')],
    external: ['node:*', 'ws'],
  });
  return outputFiles[0].text;
}

/** The same, imported into this process. */
export const load = async (packageDir, source, folder) => {
  const script = await bundle(packageDir, source, folder);
  return import(`data:text/javascript;base64,${Buffer.from(script).toString('base64')}`);
};
