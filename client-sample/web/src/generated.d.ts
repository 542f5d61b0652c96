// Made by scripts/descriptors.mjs when the package is built.
declare module '#generated/descriptors.mjs' {
  /** The .proto files as a google.protobuf.FileDescriptorSet, in base64. */
  export const descriptors: string;
}

/** Whether options are checked, which the page need not have done to its own. */
declare const CHECKS: boolean;
