/** The agent's settings; `jointly check` verifies that the agent uses the defaults stated here. */
export const parameters = [
  { name: "size", defaultValue: "20", summary: "number of members" },
  { name: "prior-scale", defaultValue: "3", summary: "standard deviation of a logit before any data" },
  { name: "steps", defaultValue: "100", summary: "most steps to the mode of a member" },
];

const known = "known: " + parameters.map((it) => `${it.name}=${it.defaultValue}`).join(", ");

/** Returns the value of every parameter. Throws if a setting is unknown, malformed or given twice; ignores none. */
export function parse(settings) {
  const texts = new Map(parameters.map((it) => [it.name, it.defaultValue]));
  const given = new Set();
  for (const { name, value } of settings) {
    if (!texts.has(name)) refuse(`there is no ${name}`);
    if (given.has(name)) refuse(`${name} is given twice`);
    given.add(name);
    texts.set(name, value);
  }
  return {
    size: count(texts, "size"),
    priorScale: positive(texts, "prior-scale"),
    steps: count(texts, "steps"),
  };
}

function count(texts, name) {
  const value = number(texts.get(name), /^[0-9]+$/);
  if (!(Number.isSafeInteger(value) && value > 0)) {
    refuse(`${name}=${texts.get(name)}: expected a whole number of at least 1`);
  }
  return value;
}

function positive(texts, name) {
  const value = number(texts.get(name), /^[0-9+.eE-]+$/);
  if (!(value > 0 && Number.isFinite(value))) refuse(`${name}=${texts.get(name)}: expected a number above 0`);
  return value;
}

/** Parses a text of the given characters as a number, else returns NaN. JavaScript accepts more, such as 0b10. */
function number(text, characters) {
  return characters.test(text) ? Number(text) : NaN;
}

/** Throws a failure; the value that an exported function throws becomes its typed failure. */
function refuse(reason) {
  throw { tag: "invalid-setting", val: `${reason}; ${known}` };
}
