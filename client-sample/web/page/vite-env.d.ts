declare module '#module/*?url' {
  const url: string;
  export default url;
}

declare module '#player/*?url' {
  const url: string;
  export default url;
}

declare module '*.svg?url' {
  const url: string;
  export default url;
}
