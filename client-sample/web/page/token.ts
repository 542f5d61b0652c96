// The token with which the page may change something: for as long as the tab is open, in its storage.

export const token = {
  get: (): string => sessionStorage.getItem('token') ?? '',
  set: (value: string): void => sessionStorage.setItem('token', value),
};

/** Takes the token of a link, #token=… or behind a route #/s/main?token=…, out of the address, where others could read it. */
export function takeToken(): void {
  const found = /[#?&]token=([A-Za-z0-9._~+/=-]+)/.exec(location.hash);
  if (found === null) {
    return;
  }
  token.set(found[1]!);
  const rest = location.hash.replace(found[0], '');
  history.replaceState(null, '', `${location.pathname}${location.search}${rest.length > 1 ? rest : ''}`);
}
