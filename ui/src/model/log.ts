import type { LogPiece } from '../api/shapes';
import { withoutEscapes } from '../text/words';

export interface LogLine {
    text: string;
    at: string;
    stream: string;
    lease: number;
    step: string | null;
}

/** Joins the pieces of one run and stream into lines: a piece ends where the pipe was read, not at the end of a line. */
export class LogLines {
    readonly lines: LogLine[] = [];
    private open = new Map<string, LogLine>();

    add(pieces: LogPiece[]): void {
        for (const piece of pieces) this.addPiece(piece);
    }

    private addPiece(piece: LogPiece): void {
        const key = `${piece.task ?? ''} ${piece.lease} ${piece.stream}`;
        const parts = withoutEscapes(piece.text).split('\n');
        const last = parts.length - 1;
        parts.forEach((part, index) => {
            const text = lastWritten(part);
            const line = this.open.get(key);
            if (line) line.text += text;
            else if (index < last || text !== '') this.begin(key, piece, text);
            if (index < last) this.open.delete(key);
        });
    }

    private begin(key: string, piece: LogPiece, text: string): void {
        const line = { text, at: piece.at, stream: piece.stream, lease: piece.lease, step: piece.step ?? null };
        this.lines.push(line);
        this.open.set(key, line);
    }
}

/** The last version of a line that was overwritten, as progress bars do. */
function lastWritten(text: string): string {
    const line = text.replace(/\r+$/, '');
    return line.slice(line.lastIndexOf('\r') + 1);
}

/** The indices of the lines that contain the text, ignoring case. */
export function matching(lines: LogLine[], wanted: string): number[] {
    const needle = wanted.toLowerCase();
    if (!needle) return [];
    const found: number[] = [];
    lines.forEach((line, index) => {
        if (line.text.toLowerCase().includes(needle)) found.push(index);
    });
    return found;
}

/** The text split at its matches: every second piece is a match. */
export function marked(text: string, wanted: string): string[] {
    if (!wanted) return [text];
    const pieces: string[] = [];
    const lower = text.toLowerCase();
    const needle = wanted.toLowerCase();
    let from = 0;
    for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, from)) {
        pieces.push(text.slice(from, at), text.slice(at, at + needle.length));
        from = at + needle.length;
    }
    return [...pieces, text.slice(from)];
}
