// What was typed into the form of a session since it was sent, kept while the form is made anew.

/**
 * Returns the fields of a form that a person changes, by a name that the form made anew has, too.
 *
 * @param {HTMLFormElement | null} form
 * @param {"value" | "defaultValue"} state - as they are now, or as the desk made them
 * @returns {[string, string][]}
 */
export function fieldsOf(form, state = "value") {
  return [...inputsOf(form)].map(([name, input]) => {
    if (input.type !== "checkbox") return [name, input[state]];
    return [name, String(state === "value" ? input.checked : input.defaultChecked)];
  });
}

/**
 * Keeps what was typed, the place of the cursor, and what is folded.
 *
 * @param {HTMLFormElement | null} form - before it is made anew
 * @param {Map<string, string>} sent - the fields that were sent
 * @returns {(made: HTMLFormElement | null) => boolean} puts it into the form made anew; returns
 *   whether anything was typed
 */
export function typedLater(form, sent) {
  const typed = fieldsOf(form).filter(([name, value]) => sent.get(name) !== value);
  const open = [...(form?.querySelectorAll("details") ?? [])].map((details) => details.open);
  const active = /** @type {HTMLTextAreaElement | null} */ (document.activeElement);
  const isTyped = active?.matches("textarea, input:not([type])") ?? false;
  const [start, end] = isTyped ? [active?.selectionStart, active?.selectionEnd] : [];
  return (made) => {
    const inputs = inputsOf(made);
    for (const [name, value] of typed) {
      const input = inputs.get(name);
      if (input?.type === "checkbox") input.checked = value === "true";
      else if (input) input.value = value;
    }
    for (const [place, details] of [...(made?.querySelectorAll("details") ?? [])].entries()) {
      details.open = open[place] ?? details.open;
    }
    const field = /** @type {HTMLTextAreaElement | null} */ (
      active?.id && form?.contains(active) ? document.getElementById(active.id) : null
    );
    field?.focus({ preventScroll: true });
    if (isTyped && field !== active) field?.setSelectionRange(start ?? 0, end ?? 0);
    return typed.length > 0;
  };
}

/** @returns {Map<string, HTMLInputElement>} */
function inputsOf(form) {
  /** @type {HTMLInputElement[]} */
  const inputs = [...(form?.querySelectorAll("textarea, input:not([type]), [name=tag]") ?? [])];
  return new Map(inputs.map((input) => [input.id || `${input.name}=${input.value}`, input]));
}
