import { read, show, sum } from "../src/money";

describe("show", () => {
  test.each([
    [0, "de", "0,00\u00a0€"],
    [5, "de", "0,05\u00a0€"],
    [123456789, "de", "1.234.567,89\u00a0€"],
    [100000, "en", "€1,000.00"],
    [99999, "en", "€999.99"],
    [-1, "en", "\u2212€0.01"],
    [1234567, "fr", "12\u202f345,67\u00a0€"],
  ] as const)("%i cents in %s", (cents, language, text) => {
    expect(show(cents, language)).toBe(text);
  });

  test.each([0.5, NaN, Infinity, 2 ** 53])("refuses %p", (cents) => {
    expect(() => show(cents, "de")).toThrow(RangeError);
  });
});

describe("read", () => {
  test.each`
    text           | language | cents
    ${"12"}        | ${"de"}  | ${1200}
    ${"12,5"}      | ${"de"}  | ${1250}
    ${"1.234,56"}  | ${"de"}  | ${123456}
    ${"€1,234.56"} | ${"en"}  | ${123456}
    ${"1 234,56"}  | ${"fr"}  | ${123456}
    ${"0,05 €"}    | ${"de"}  | ${5}
  `("$text ($language)", ({ text, language, cents }) => {
    expect(read(text, language)).toBe(cents);
  });

  test.each(["", "€", "12,", "12,345", "-1", "zwölf", "1e3", "1234567890"])("%p is not an amount yet", (text) => {
    expect(read(text, "de")).toBeNull();
  });

  test("what is shown can be read", () => {
    for (const language of ["de", "en", "fr"] as const) {
      for (let cents = 0; cents < 3_000_000; cents += 7_919) {
        expect(read(show(cents, language), language)).toBe(cents);
      }
    }
  });
});

describe("sum", () => {
  test("ten cents three times", () => {
    expect(sum([10, 10, 10])).toBe(30);
    expect(sum([])).toBe(0);
  });

  test("no silent rounding", () => {
    expect(() => sum([Number.MAX_SAFE_INTEGER, 1])).toThrow("out of range");
  });
});

test.todo("Swiss francs round to five centimes");
