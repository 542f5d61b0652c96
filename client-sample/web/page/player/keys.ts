// The player's keys. The session's listen too: they get none while a recording is shown.
export interface KeyActions {
  toggle(): void;
  step(ticks: number): void;
  /** The ticks of a second. */
  second(): number;
  first(): void;
  last(): void;
  faster(by: number): void;
  zoom(factor: number): void;
  fit(): void;
}

export function listenForKeys(view: HTMLElement, actions: KeyActions): void {
  const keys: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    ' ': () => actions.toggle(),
    ArrowLeft: ({ shiftKey }) => actions.step(shiftKey ? -actions.second() : -1),
    ArrowRight: ({ shiftKey }) => actions.step(shiftKey ? actions.second() : 1),
    Home: () => actions.first(),
    End: () => actions.last(),
    '[': () => actions.faster(-1),
    ']': () => actions.faster(1),
    '+': () => actions.zoom(1.2),
    '=': () => actions.zoom(1.2),
    '-': () => actions.zoom(1 / 1.2),
    0: () => actions.fit(),
  };
  document.addEventListener(
    'keydown',
    (event) => {
      const target = event.target as HTMLElement;
      if (view.hidden || (target !== document.body && !view.contains(target))) {
        return;
      }
      event.stopPropagation();
      const isTyping = target.matches('input[type=text], select, dialog *');
      const isPressed = event.key === ' ' && target.matches('button, a, input[type=checkbox]');
      const act = keys[event.key];
      if (act && !isTyping && !isPressed && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        act(event);
      }
    },
    { capture: true },
  );
}
