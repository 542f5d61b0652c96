export { Client, connect, type ClientOptions, type Command, type Stats, type Welcome } from './client.js';
export { Draw, itemAt, poseAt, UNIT, type DrawItem, type Packed, type Pose } from './display.js';
export { type ClientEvents, type EventName, type Mark, type Member, type Outcome, type OutcomeKind, type TickCommand } from './events.js';
export { type SocketClass, type SocketLike } from './socket.js';
export { descriptor, decodeEnvelope, readMessage, writeMessage } from './codec.js';
export { IsostepError, Layout, Status, fieldSize, type Field, type Plain, type Struct } from './layout.js';
export { loadModule, Module, Scratch, type ModuleSource } from './module.js';
export { Recording, RecordingError, Replay, type ReplayedTick } from './recording.js';
export { World, type TickInput } from './world.js';
