import { debounce } from "../src/debounce";

describe("with a clock of our own", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test("only the newest counts", () => {
    const act = jest.fn();
    const typed = debounce(act, 200);
    for (const text of ["5", "50", "506"]) {
      typed(text);
      jest.advanceTimersByTime(199);
    }
    expect(act).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(act.mock.calls).toEqual([["506"]]);
  });

  test("flush does not wait, and fires once", () => {
    const act = jest.fn();
    const typed = debounce(act, 200);
    typed(1);
    typed.flush();
    typed.flush();
    jest.runAllTimers();
    expect(act).toHaveBeenCalledTimes(1);
  });

  test("cancelled is cancelled", () => {
    const act = jest.fn();
    const typed = debounce(act, 200);
    typed(1);
    typed.cancel();
    typed.flush();
    jest.runAllTimers();
    expect(act).not.toHaveBeenCalled();
  });

  test("undefined is a value too", () => {
    const act = jest.fn();
    debounce<undefined>(act, 200)(undefined);
    jest.runAllTimers();
    expect(act).toHaveBeenCalledWith(undefined);
  });
});

test("with the clock on the wall", async () => {
  const began = performance.now();
  const value = await new Promise((resolve) => {
    const typed = debounce(resolve, 300);
    typed("first");
    typed("last");
  });
  expect(value).toBe("last");
  expect(performance.now() - began).toBeGreaterThan(250);
});
