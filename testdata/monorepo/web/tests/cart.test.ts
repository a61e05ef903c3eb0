import { type Action, type Cart, empty, most, reduce, total } from "../src/cart";

const letter = { id: "letter", zone: "A", cents: 395 };
const crate = { id: "crate", zone: "C", cents: 4495 };

function after(...actions: Action[]): Cart {
  return actions.reduce(reduce, empty);
}

describe("items", () => {
  test("the same item twice is one line", () => {
    const cart = after({ type: "add", item: letter }, { type: "add", item: crate }, { type: "add", item: letter });
    expect(cart.items.map(({ id, count }) => [id, count])).toEqual([["letter", 2], ["crate", 1]]);
    expect(total(cart)).toBe(2 * 395 + 4495);
  });

  test("none of an item is no line", () => {
    expect(after({ type: "add", item: letter }, { type: "count", id: "letter", count: 0 })).toEqual(empty);
  });

  test("a warehouse is not a customer", () => {
    const cart = after({ type: "add", item: letter }, { type: "count", id: "letter", count: 5000 });
    expect(cart.items[0].count).toBe(most);
    expect(reduce(cart, { type: "add", item: letter })).toBe(cart);
  });

  test.each([-1, 1.5, NaN])("a count of %p changes nothing", (count) => {
    const cart = after({ type: "add", item: letter });
    expect(reduce(cart, { type: "count", id: "letter", count })).toBe(cart);
  });

  test("reducing never changes the cart before", () => {
    const before = after({ type: "add", item: letter });
    const copy = structuredClone(before);
    reduce(before, { type: "add", item: letter });
    reduce(before, { type: "coupon", code: "x", percent: 5 });
    expect(before).toEqual(copy);
  });
});

describe("coupons", () => {
  const cart = after({ type: "add", item: letter });

  test.each([
    [10, 355],
    [50, 197],
    [1, 391],
  ])("%i %% off", (percent, cents) => {
    expect(total(reduce(cart, { type: "coupon", code: " Grüße ", percent }))).toBe(cents);
  });

  test.each([0, -5, 51])("%i %% is no coupon", (percent) => {
    expect(reduce(cart, { type: "coupon", code: "x", percent })).toBe(cart);
  });

  test("codes are capitals", () => {
    expect(reduce(cart, { type: "coupon", code: " grüße ", percent: 5 }).coupon?.code).toBe("GRÜSSE");
  });

  test("gone with the last item", () => {
    const off = reduce(cart, { type: "coupon", code: "x", percent: 5 });
    expect(reduce(off, { type: "count", id: "letter", count: 0 }).coupon).toBeNull();
  });

  test.skip("two coupons at once (marketing has not decided)", () => {
    expect(cart.coupon).toHaveLength(2);
  });
});

describe("paying", () => {
  const paying = after({ type: "add", item: letter }, { type: "pay" });

  test("an empty cart cannot be paid", () => {
    expect(reduce(empty, { type: "pay" })).toBe(empty);
  });

  test.each<Action>([
    { type: "add", item: crate },
    { type: "count", id: "letter", count: 3 },
    { type: "coupon", code: "x", percent: 5 },
    { type: "pay" },
  ])("no $type while the card is read", (action) => {
    expect(reduce(paying, action)).toBe(paying);
  });

  test("a card that failed leaves the cart", () => {
    expect(reduce(paying, { type: "failed" })).toEqual({ ...paying, state: "open" });
  });

  test("paid, then a new cart", () => {
    const paid = reduce(paying, { type: "paid" });
    expect(paid).toEqual({ ...empty, state: "paid" });
    expect(reduce(paid, { type: "add", item: crate })).toMatchObject({ state: "open", items: [{ id: "crate", count: 1 }] });
  });
});
