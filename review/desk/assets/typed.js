// The changes in the form of a session since it was sent, which are kept when the form is replaced.

/**
 * Returns the fields of a form that a person can change, by names that the new form has, too.
 *
 * @param {HTMLFormElement | null} form
 * @param {"value" | "defaultValue"} state - the present values, or the values from the desk
 * @returns {[string, string][]}
 */
export function fieldsOf(form, state = "value") {
  return [...inputsOf(form)].map(([name, input]) => {
    if (input.type !== "checkbox") return [name, input[state]];
    return [name, String(state === "value" ? input.checked : input.defaultChecked)];
  });
}

/**
 * Keeps typed text, the position of the cursor, and the state of folded parts.
 *
 * @param {HTMLFormElement | null} form - the form before it is replaced
 * @param {Map<string, string>} sent - the fields that were sent
 * @returns {(made: HTMLFormElement | null) => boolean} a function that puts them into the new form,
 *   and returns whether anything was typed
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
    for (const [index, details] of [...(made?.querySelectorAll("details") ?? [])].entries()) {
      details.open = open[index] ?? details.open;
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
