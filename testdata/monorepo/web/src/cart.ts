export interface Item {
  id: string;
  zone: string;
  cents: number;
  count: number;
}

export interface Cart {
  items: readonly Item[];
  coupon: { code: string; percent: number } | null;
  state: "open" | "paying" | "paid";
}

export type Action =
  | { type: "add"; item: Omit<Item, "count"> }
  | { type: "count"; id: string; count: number }
  | { type: "coupon"; code: string; percent: number }
  | { type: "pay" }
  | { type: "failed" }
  | { type: "paid" };

export const empty: Cart = { items: [], coupon: null, state: "open" };
export const most = 99;

/** Returns the next cart, or the very same one when the action does not apply. */
export function reduce(cart: Cart, action: Action): Cart {
  if (cart.state === "paying") {
    switch (action.type) {
      case "paid":
        return { ...empty, state: "paid" };
      case "failed":
        return { ...cart, state: "open" };
      default:
        return cart;
    }
  }
  switch (action.type) {
    case "add":
      return add(cart.state === "paid" ? empty : cart, action.item);
    case "count":
      return setCount(cart, action.id, action.count);
    case "coupon":
      if (action.percent <= 0 || action.percent > 50 || cart.items.length === 0) {
        return cart;
      }
      return { ...cart, coupon: { code: action.code.trim().toUpperCase(), percent: action.percent } };
    case "pay":
      return cart.items.length === 0 ? cart : { ...cart, state: "paying" };
    default:
      return cart;
  }
}

function add(cart: Cart, item: Omit<Item, "count">): Cart {
  const known = cart.items.find((other) => other.id === item.id);
  if (known) {
    return setCount(cart, item.id, known.count + 1);
  }
  return { ...cart, items: [...cart.items, { ...item, count: 1 }] };
}

function setCount(cart: Cart, id: string, count: number): Cart {
  const known = cart.items.find((item) => item.id === id);
  if (!known || !Number.isInteger(count) || count < 0 || known.count === Math.min(count, most)) {
    return cart;
  }
  const items =
    count === 0
      ? cart.items.filter((item) => item.id !== id)
      : cart.items.map((item) => (item.id === id ? { ...item, count: Math.min(count, most) } : item));
  return { ...cart, items, coupon: items.length === 0 ? null : cart.coupon };
}

/** What is to be paid: the coupon is taken off once, half a cent in favour of the customer. */
export function total(cart: Cart): number {
  const full = cart.items.reduce((sofar, item) => sofar + item.cents * item.count, 0);
  return full - Math.ceil((full * (cart.coupon?.percent ?? 0)) / 100);
}
