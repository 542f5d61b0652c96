/** The names of the games that the page's modules have (vite.config.mjs). */
declare const GAMES: readonly string[];

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
