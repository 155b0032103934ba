// Runs a guest on V8 and checks that it makes the host calls that it made on Wasmtime, in order,
// with their arguments and with the same bytes in its memory. Each is answered from the log.
//
//   node second_engine.mjs PROGRAM.wasm LOG      # LOG: what host_calls printed
import fs from "node:fs";
import readline from "node:readline";

const [, , file, log] = process.argv;
const module = new WebAssembly.Module(fs.readFileSync(file));
const imports = WebAssembly.Module.imports(module);

class Ended extends Error {}
class Differs extends Error {}

const calls = [];
for await (const line of readline.createInterface({ input: fs.createReadStream(log) }))
  calls.push(line);

let next = 0;
let memory = null;

function differs(what) {
  throw new Differs(`host call ${next} of ${calls.length} differs: ${what}`);
}

function word(value) {
  return typeof value === "bigint" ? BigInt.asUintN(64, value) : BigInt(value >>> 0);
}

function answer(index, words) {
  if (next === calls.length) differs(`${imports[index].name} is one more`);
  const call = JSON.parse(calls[next]);
  // A program may import one function several times; V8 then calls the last.
  if (imports[call.import].name !== imports[index].name)
    differs(`${imports[index].name} instead of ${imports[call.import].name}`);
  words.forEach((value, i) => {
    if (word(value) !== BigInt(call.words[i]))
      differs(`argument ${i} of ${imports[index].name} is ${word(value)}, not ${call.words[i]}`);
  });
  const bytes = Buffer.from(memory.buffer);
  for (const [at, hex] of call.read) {
    const is = bytes.toString("hex", at, at + hex.length / 2);
    if (is !== hex) differs(`${imports[index].name} finds ${is} at ${at}, not ${hex}`);
  }
  for (const [at, hex] of call.written) bytes.write(hex, at, "hex");
  next += 1;
  if (call.ended) throw new Ended();
  return call.result | 0;
}

const given = {};
imports.forEach(({ module: from, name }, index) => {
  given[from] ??= {};
  given[from][name] = (...words) => answer(index, words);
});

const { exports } = new WebAssembly.Instance(module, given);
memory = exports.memory;
try {
  // Each return is an idle; the log goes on where the guest was woken.
  while (next < calls.length) {
    const before = next;
    exports._start();
    if (next === before) differs("_start returned without a call");
  }
} catch (error) {
  if (error instanceof Differs) {
    console.log(error.message);
    process.exit(1);
  }
  if (!(error instanceof Ended)) throw error;
}
if (next !== calls.length) {
  console.log(`the guest ended after ${next} of ${calls.length} host calls`);
  process.exit(1);
}
console.log(`${calls.length} host calls are the same`);
