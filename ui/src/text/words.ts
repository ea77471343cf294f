/** "late_result_refused" becomes "late result refused". */
export const kindWords = (kind: string) => kind.replaceAll('_', ' ');

/** The first and last characters of an id: ids of the same moment begin alike, so the end is needed. */
export const shortId = (id: string) => (id.length > 13 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);

/** An event's text without the ids: "worker web-1 (6c43e804-…)" becomes "worker web-1". */
export const withoutIds = (text: string) => text.replace(/\s*\([0-9a-f]{8}-[0-9a-f-]{27}\)/g, '');

export const isId = (text: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);

/** The text without terminal escapes (colours, cursor movements). */
export const withoutEscapes = (text: string) => text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007|\u001b[@-_]/g, '');
