// A WebAssembly module that is loaded once. When that has failed, who asks next loads it again.
import { loadModule, type Module } from '../src/module.js';

export function moduleAt(address: URL): () => Promise<Module> {
  let loading: Promise<Module> | null = null;
  return () => (loading ??= loadModule(address).catch((error: unknown) => {
    loading = null;
    throw error;
  }));
}
