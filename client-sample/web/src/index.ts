export { Client, connect, type ClientOptions, type Command, type Stats, type Welcome } from './client.js';
export { Draw, DrawKind, DrawRole, itemAt, poseAt, UNIT, type DrawItem, type Packed, type Pose } from './display.js';
export { Comparison, type Difference, type FieldDifference, type InputDifference } from './compare.js';
export {
  EVENT_NAMES, type ClientEvents, type EventName, type Mark, type Member, type Outcome, type OutcomeKind,
  type TickCommand,
} from './events.js';
export { type SocketClass, type SocketLike } from './socket.js';
export { descriptor, decodeEnvelope, readMessage, writeMessage } from './codec.js';
export { IsostepError, Layout, Status, fieldSize, type Field, type Plain, type Struct } from './layout.js';
export { loadModule, Module, Scratch, type ModuleSource } from './module.js';
export { Recording, RecordingError, Replay, type ReplayedTick } from './recording.js';
export {
  ShapeKind3, SpaceView, SPACE_MODULE, dimensionsOf, pose3At, type Heights3, type Point3, type Pose3, type Rotation3,
  type Shape3,
} from './space.js';
export { World, type TickInput } from './world.js';
