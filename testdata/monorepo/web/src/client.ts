export interface Parcel {
  zone: string;
  grams: number;
  length: number;
  width: number;
  height: number;
}

export interface Answer {
  status: number;
  retryAfter?: number; // seconds
  body: unknown;
}

export type Send = (path: string, body: unknown) => Promise<Answer>;
export type Wait = (ms: number) => Promise<void>;

/** The gateway said no, and why. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "Refused";
  }
}

const tries = 4;

/** Asks for a price. Busy and broken gateways are asked again, later and later; a refusal is final. */
export async function price(parcel: Parcel, send: Send, wait: Wait): Promise<number> {
  let last: Error = new Error("never asked");
  for (let attempt = 0; attempt < tries; attempt++) {
    let pause = 100 * 2 ** attempt;
    try {
      const answer = await send("/quotes", parcel);
      if (answer.status === 201) {
        return cents(answer.body);
      }
      last = new Refused(answer.status, reason(answer.body));
      if (answer.status !== 429 && answer.status < 500) {
        throw last;
      }
      pause = answer.retryAfter === undefined ? pause : answer.retryAfter * 1000;
    } catch (error) {
      if (error instanceof Refused || error instanceof TypeError) {
        throw error;
      }
      last = error as Error;
    }
    if (attempt < tries - 1) {
      await wait(pause);
    }
  }
  throw last;
}

function cents(body: unknown): number {
  const value = (body as { cents?: unknown } | null)?.cents;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw new TypeError("the gateway's answer has no price");
  }
  return value;
}

function reason(body: unknown): string {
  const value = (body as { error?: unknown } | null)?.error;
  return typeof value === "string" ? value : "no reason given";
}
