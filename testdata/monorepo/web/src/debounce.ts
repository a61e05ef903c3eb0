export interface Debounced<T> {
  (value: T): void;
  flush(): void;
  cancel(): void;
}

/** Calls act with the newest value once nothing came for ms. */
export function debounce<T>(act: (value: T) => void, ms: number): Debounced<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pending: { value: T } | undefined;
  const fire = () => {
    clearTimeout(timer);
    const due = pending;
    pending = undefined;
    if (due) {
      act(due.value);
    }
  };
  const debounced = (value: T) => {
    pending = { value };
    clearTimeout(timer);
    timer = setTimeout(fire, ms);
  };
  debounced.flush = fire;
  debounced.cancel = () => {
    clearTimeout(timer);
    pending = undefined;
  };
  return debounced;
}
