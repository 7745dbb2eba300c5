// Makes a component of agent.js: JavaScript's engine and the agent in one file.

import { writeFile } from "node:fs/promises";
import { componentize } from "@bytecodealliance/componentize-js";

const { component } = await componentize({
  sourcePath: "agent.js",
  witPath: "wit",
  worldName: "classifier",
  // Without these the engine asks for nothing of a system, neither clock nor entropy: the sandbox has none.
  disableFeatures: ["stdio", "random", "clocks", "http", "fetch-event"],
});
await writeFile("template-agent.wasm", component);
