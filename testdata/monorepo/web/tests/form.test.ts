import { check, type Draft } from "../src/form";

const good: Draft = { country: "DE", postcode: "50667", grams: "900", sides: ["300", "200", "100"] };

test("nothing to say", () => {
  expect(check(good)).toEqual({});
});

describe("postcodes", () => {
  test.each([
    ["DE", "01067", true],
    ["DE", "1067", false],
    ["AT", "1010", true],
    ["AT", "0101", false],
    ["NL", "1012 ab", true],
    ["NL", "1012A", false],
    ["GB", "SW1A 1AA", true],
    ["GB", "M1 1AE", true],
    ["GB", "SW1A", false],
    ["PL", "00-950", true],
    ["PL", "00950", false],
    ["DE", "５０６６７", false],
  ])("%s %s: %s", (country, postcode, fine) => {
    expect("postcode" in check({ ...good, country, postcode })).toBe(!fine);
  });

  test("no country, no complaint about the postcode", () => {
    expect(check({ ...good, country: "", postcode: "" })).toEqual({ country: "choose a country" });
    expect(check({ ...good, country: "AQ" })).toEqual({ country: "we do not deliver there" });
  });
});

describe("measures", () => {
  test.each(["", "0", "-1", "1.5", "1,5", "12345678", "١"])("%p grams", (grams) => {
    expect(check({ ...good, grams })).toEqual({ grams: "whole grams, please" });
  });

  test("the limit is inside", () => {
    expect(check({ ...good, grams: "31500" })).toEqual({});
    expect(check({ ...good, grams: "31501" })).toEqual({ grams: "31.5 kg at most" });
  });

  test.each([0, 1, 2])("side %i counts", (at) => {
    const sides: Draft["sides"] = ["1", "1", "1"];
    sides[at] = "2001";
    expect(check({ ...good, sides })).toEqual({ sides: "2 m at most" });
  });
});

test("all mistakes at once", () => {
  const mistakes = check({ country: "DE", postcode: "x", grams: "x", sides: ["x", "1", "1"] });
  expect(Object.keys(mistakes).sort()).toEqual(["grams", "postcode", "sides"]);
});
