// Sources of the page and of the tests as one script, for Node or for a browser. The bundler is vite's.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const withoutNode = {
  name: 'without-node',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'node' }));
    build.onLoad({ filter: /.*/, namespace: 'node' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
  },
};

/** The sources of the page. */
export const pageDir = fileURLToPath(new URL('../../client-sample/web/page', import.meta.url));

/**
 * @param packageDir  of the built package, whose dependencies are used
 * @param source      of a module; its imports are relative to `folder`
 * @param isForBrowser  what is imported of Node is undefined
 * @return the script
 */
export async function bundle(packageDir, source, folder = pageDir, isForBrowser = false) {
  const vite = createRequire(resolve(packageDir, 'package.json')).resolve('vite/package.json');
  const { build } = createRequire(vite)('esbuild');
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    nodePaths: [resolve(packageDir, 'node_modules')],
    external: isForBrowser ? [] : ['node:*', 'ws'],
    plugins: isForBrowser ? [withoutNode] : [],
  });
  return outputFiles[0].text;
}

/** The same, imported into this process. */
export const load = async (packageDir, source, folder) => {
  const script = await bundle(packageDir, source, folder);
  return import(`data:text/javascript;base64,${Buffer.from(script).toString('base64')}`);
};
