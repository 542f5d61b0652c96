// The token with which the page may change something: for as long as the tab is open, in its storage.

/** The header that shows the token, if there is one. */
export function right(): Record<string, string> {
  const token = sessionStorage.getItem('token');
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/**
 * Takes the token of a link, #token=… or behind a route #/s/main?token=…, out of the address, where others could read
 * it.
 */
export function takeToken(): void {
  const [found, key, token] = /[#?&](token)=([\w.~+/=-]+)/.exec(location.hash) ?? [];
  if (found) {
    sessionStorage.setItem(key!, token!);
    history.replaceState(null, '', location.href.replace(found, ''));
  }
}
