// The page whose program runs in the reader's browser. Python comes by Pyodide, from its usual address, when the reader asks for it;
// the package is a wheel beside this file. `tests/packaging/in_browser.mjs` runs the same functions under node.
export const PYODIDE = "0.28.3";
const ADDRESS = `https://cdn.jsdelivr.net/pyodide/v${PYODIDE}/full/pyodide.mjs`;

// What is installed comes from where `micropip` finds it: NumPy from Pyodide, all else from the package index.
export async function install(python, wheel) {
  await python.pyimport("micropip").install(wheel);
}

// Run a program, as if it stood in a file of its own; what it prints, and its error, goes to `print` line by line.
export async function run(python, program, print) {
  python.setStdout({ batched: print });
  const names = python.toPy({ __name__: "__main__" });
  try {
    await python.runPythonAsync(program, { globals: names, filename: "program.py" });
  } catch (error) {
    print(error.message);
  } finally {
    names.destroy();
  }
}

async function load(wheel) {
  const { loadPyodide } = await import(ADDRESS);
  const python = await loadPyodide();
  await python.loadPackage(["numpy", "micropip"]);
  await install(python, wheel);
  return python;
}

function offer(program) {
  const wheel = new URL(`chainrules_py-${DOCUMENTATION_OPTIONS.VERSION}-py3-none-any.whl`, import.meta.url).href;
  const [button, printed] = [document.createElement("button"), document.createElement("pre")];
  let python;
  button.textContent = "Load Python and run";
  button.className = "run-program";
  button.addEventListener("click", async () => {
    const print = (line) => { printed.textContent += `${line}\n`; };
    button.disabled = true;
    try {
      printed.textContent = python ? "" : "Python is loading: 20 MB, once.\n";
      python ??= await load(wheel);
      printed.textContent = "";
      await python.loadPackagesFromImports(program.textContent, { messageCallback: () => {} });
      await run(python, program.textContent, print);
      button.textContent = "Run again";
    } catch (error) {
      print(`Python could not be loaded: ${error.message}`);
    }
    button.disabled = false;
  });
  program.contentEditable = "plaintext-only";
  program.spellcheck = false;
  program.closest("div.highlight-python").after(button, printed);
}

if (typeof document !== "undefined") document.querySelectorAll("div.highlight-python pre").forEach(offer);
