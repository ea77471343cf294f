// Runs before the first paint, so that a chosen theme does not flash in the other one.
try {
    const chosen = localStorage.getItem('holdfast.theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
    // Storage is forbidden here: the system's theme it is.
}
