export { descriptor, decodeEnvelope, readMessage, writeMessage } from './codec.js';
export { IsostepError, Layout, Status, fieldSize, type Field, type Plain, type Struct } from './layout.js';
export { loadModule, Module, Scratch, type ModuleSource } from './module.js';
export { World, type TickInput } from './world.js';
