// Makes a component of agent.js: JavaScript's engine and the agent in one file.

import { writeFile } from "node:fs/promises";
import { componentize } from "@bytecodealliance/componentize-js";

const { component } = await componentize({
  sourcePath: "agent.js",
  witPath: "wit",
  worldName: "classifier",
  // The engine asks for nothing of a system but a place to print to, the agent's log: the sandbox has neither a true clock
  // nor entropy.
  disableFeatures: ["random", "clocks", "http", "fetch-event"],
});
await writeFile("template-agent.wasm", component);
