// The search field of the coverage page: rows stay whose function has every word that was typed.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("rule-search");
  if (!form) return;
  const [field, count] = [form.querySelector("input"), form.querySelector("output")];
  const rows = [...document.querySelectorAll("#rules tbody tr")].map((row) => [row, row.cells[0].textContent.toLowerCase()]);
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, name] of rows) {
      row.hidden = !words.every((word) => name.includes(word));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} functions`;
    history.replaceState(null, "", field.value ? `#q=${encodeURIComponent(field.value)}` : location.pathname);
  };
  if (location.hash.startsWith("#q=")) field.value = decodeURIComponent(location.hash.slice(3));
  field.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
});
