/** "late_result_refused" as people read it: "late result refused". */
export const kindWords = (kind: string) => kind.replaceAll('_', ' ');

/** Enough of an id to tell it from its neighbours: its end, since ids of one moment begin alike. */
export const shortId = (id: string) => (id.length > 13 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);

/** A worker as an event names it, "worker web-1 (6c43e804-…)", without what nobody can remember. */
export const withoutIds = (text: string) => text.replace(/\s*\([0-9a-f]{8}-[0-9a-f-]{27}\)/g, '');

export const isId = (text: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);

/** A script's colours and cursor games, which a page does not play. */
export const withoutEscapes = (text: string) => text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007|\u001b[@-_]/g, '');
