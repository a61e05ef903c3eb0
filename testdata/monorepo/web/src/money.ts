/** Amounts are whole cents everywhere; only this file knows how people write them. */
export type Language = "de" | "en" | "fr";

const styles: Record<Language, { group: string; point: string; pattern: (amount: string) => string }> = {
  de: { group: ".", point: ",", pattern: (amount) => `${amount}\u00a0€` },
  en: { group: ",", point: ".", pattern: (amount) => `€${amount}` },
  fr: { group: "\u202f", point: ",", pattern: (amount) => `${amount}\u00a0€` },
};

export function show(cents: number, language: Language): string {
  if (!Number.isSafeInteger(cents)) {
    throw new RangeError(`not whole cents: ${cents}`);
  }
  const { group, point, pattern } = styles[language];
  const digits = String(Math.abs(cents)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, group);
  const text = pattern(whole + point + digits.slice(-2));
  return cents < 0 ? `\u2212${text}` : text;
}

/** Reads what is typed into a field: null while it is not an amount yet. */
export function read(text: string, language: Language): number | null {
  const { group, point } = styles[language];
  const plain = text.replace(/[\s\u00a0\u202f€]/g, "").split(group).join("");
  const match = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(plain);
  if (!match || (match[2] !== undefined && !plain.includes(point))) {
    return null;
  }
  return Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
}

/** Adds up without ever leaving whole cents. */
export function sum(amounts: readonly number[]): number {
  const total = amounts.reduce((sofar, cents) => sofar + cents, 0);
  if (!Number.isSafeInteger(total)) {
    throw new RangeError("total out of range");
  }
  return total;
}
