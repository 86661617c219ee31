// node in_browser.mjs FOLDER PAGE ARGUMENTS: the program of a page, the demo, then pytest with the arguments, under Pyodide.
// FOLDER has `node_modules/pyodide`, and `wheels` of pure Python. NumPy is loaded by Pyodide unless a wheel of it is among them.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const [folder, page, ...tests] = process.argv.slice(2);
const { PYODIDE, install, run } = await import(pathToFileURL(join(ROOT, "docs/_static/in_browser.mjs")).href);
const found = createRequire(join(resolve(folder), "any.js")).resolve("pyodide/pyodide.mjs");
const { loadPyodide, version } = await import(pathToFileURL(found).href);
if (version !== PYODIDE) throw new Error(`Pyodide ${version} is there, and the page loads ${PYODIDE}`);

const python = await loadPyodide();
const wheels = readdirSync(join(folder, "wheels")).filter((name) => name.endsWith(".whl"));
const place = python.runPython("import site; site.getsitepackages()[0]");
for (const name of wheels.filter((name) => !name.startsWith("chainrules_py-"))) {
  python.unpackArchive(new Uint8Array(readFileSync(join(folder, "wheels", name))), "wheel", { extractDir: place });
}
if (!wheels.some((name) => name.startsWith("numpy-"))) await python.loadPackage("numpy");

const wheel = wheels.find((name) => name.startsWith("chainrules_py-"));
python.FS.writeFile(`/tmp/${wheel}`, new Uint8Array(readFileSync(join(folder, "wheels", wheel))));
await install(python, `emfs:/tmp/${wheel}`);

const program = readFileSync(page, "utf8").match(/```python\n(.*?)```/s)[1];
await run(python, program, console.log);
console.log("--");

python.FS.mkdirTree("/checkout");
python.FS.mount(python.FS.filesystems.NODEFS, { root: ROOT }, "/checkout");
python.globals.set("arguments", python.toPy(tests));
process.exitCode = python.runPython(`
import os, runpy, sys
runpy.run_path("/checkout/examples/demo.py", run_name="__main__")
print("--")
os.chdir("/checkout")
sys.path += ["tests/samples", "tests/shared"]
import pytest
int(pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir=/checkout", *arguments]))
`);
