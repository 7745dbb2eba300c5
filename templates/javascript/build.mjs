// Builds a component from agent.js: the JavaScript engine and the agent in one file.

import { writeFile } from "node:fs/promises";
import { componentize } from "@bytecodealliance/componentize-js";

const { component } = await componentize({
  sourcePath: "agent.js",
  witPath: "wit",
  worldName: "classifier",
  // The only system feature that the engine needs is printing, which goes to the agent's log; the sandbox has neither
  // a true clock nor entropy.
  disableFeatures: ["random", "clocks", "http", "fetch-event"],
});
await writeFile("template-agent.wasm", component);
