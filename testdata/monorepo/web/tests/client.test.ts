import { type Answer, price, Refused } from "../src/client";

const parcel = { zone: "A", grams: 900, length: 100, width: 100, height: 100 };

function gateway(...answers: (Answer | Error)[]) {
  const send = jest.fn(async () => {
    const answer = answers.shift();
    if (answer === undefined) {
      throw new Error("asked once too often");
    }
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  });
  const pauses: number[] = [];
  const wait = async (ms: number) => void pauses.push(ms);
  return { send, wait, pauses };
}

const yes: Answer = { status: 201, body: { id: "q1", cents: 850 } };

test("one question, one price", async () => {
  const { send, wait, pauses } = gateway(yes);
  await expect(price(parcel, send, wait)).resolves.toBe(850);
  expect(send).toHaveBeenCalledWith("/quotes", parcel);
  expect(pauses).toEqual([]);
});

test("later and later", async () => {
  const { send, wait, pauses } = gateway(new Error("reset"), { status: 503, body: null }, new Error("reset"), yes);
  await expect(price(parcel, send, wait)).resolves.toBe(850);
  expect(pauses).toEqual([100, 200, 400]);
});

test("a busy gateway says when", async () => {
  const { send, wait, pauses } = gateway({ status: 429, retryAfter: 3, body: {} }, yes);
  await expect(price(parcel, send, wait)).resolves.toBe(850);
  expect(pauses).toEqual([3000]);
});

test("four times is enough, and nobody waits after the last", async () => {
  const { send, wait, pauses } = gateway(...Array.from({ length: 4 }, () => new Error("reset")));
  await expect(price(parcel, send, wait)).rejects.toThrow("reset");
  expect(send).toHaveBeenCalledTimes(4);
  expect(pauses).toHaveLength(3);
});

test.each([
  [400, { error: "grams must be between 1 and 1000000" }, "grams must be"],
  [422, { error: "unknown zone Ø" }, "unknown zone Ø"],
  [404, "<html>", "no reason given"],
])("%i is final", async (status, body, message) => {
  const { send, wait } = gateway({ status, body });
  const asked = price(parcel, send, wait);
  await expect(asked).rejects.toBeInstanceOf(Refused);
  await expect(asked).rejects.toThrow(message);
  expect(send).toHaveBeenCalledTimes(1);
});

test.each([[null], [{}], [{ cents: "850" }], [{ cents: 8.5 }]])("%j is no price", async (body) => {
  const { send, wait } = gateway({ status: 201, body });
  await expect(price(parcel, send, wait)).rejects.toThrow("has no price");
});
