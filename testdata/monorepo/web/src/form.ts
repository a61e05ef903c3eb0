export interface Draft {
  country: string;
  postcode: string;
  grams: string;
  sides: [string, string, string];
}

export type Mistakes = Partial<Record<keyof Draft, string>>;

const postcodes: Record<string, RegExp> = {
  DE: /^\d{5}$/,
  AT: /^[1-9]\d{3}$/,
  NL: /^[1-9]\d{3} ?[A-Z]{2}$/,
  GB: /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/,
  PL: /^\d{2}-\d{3}$/,
};

/** Every mistake at once, so that nobody has to press the button four times. */
export function check(draft: Draft): Mistakes {
  const mistakes: Mistakes = {};
  const pattern = postcodes[draft.country];
  if (!pattern) {
    mistakes.country = draft.country === "" ? "choose a country" : "we do not deliver there";
  } else if (!pattern.test(draft.postcode.trim().toUpperCase())) {
    mistakes.postcode = `not a postcode of ${draft.country}`;
  }
  const grams = whole(draft.grams);
  if (grams === null || grams < 1) {
    mistakes.grams = "whole grams, please";
  } else if (grams > 31_500) {
    mistakes.grams = "31.5 kg at most";
  }
  const sides = draft.sides.map(whole);
  if (sides.some((side) => side === null || side < 1)) {
    mistakes.sides = "whole millimetres, please";
  } else if (Math.max(...(sides as number[])) > 2_000) {
    mistakes.sides = "2 m at most";
  }
  return mistakes;
}

function whole(text: string): number | null {
  const plain = text.trim();
  return /^\d{1,7}$/.test(plain) ? Number(plain) : null;
}
