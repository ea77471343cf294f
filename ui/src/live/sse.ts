export interface Message {
    event: string;
    data: string;
    id: string | null;
}

/** Parses server-sent events from pieces of text, cut at any point. */
export class SseParser {
    private rest = '';
    private event = '';
    private data: string[] = [];
    private id: string | null = null;

    push(piece: string): Message[] {
        const text = this.rest + piece;
        // A lone \r at the end may be half of a \r\n.
        const cut = text.endsWith('\r') ? text.length - 1 : text.length;
        const lines = text.slice(0, cut).split(/\r\n|\n|\r/);
        this.rest = lines.pop()! + text.slice(cut);
        return lines.flatMap((line) => this.take(line));
    }

    private take(line: string): Message[] {
        if (line === '') return this.dispatch();
        const colon = line.indexOf(':');
        if (colon === 0) return [];
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'event') this.event = value;
        if (field === 'data') this.data.push(value);
        if (field === 'id') this.id = value;
        return [];
    }

    private dispatch(): Message[] {
        const message = { event: this.event || 'message', data: this.data.join('\n'), id: this.id };
        const isEmpty = this.data.length === 0 && this.event === '';
        this.event = '';
        this.data = [];
        this.id = null;
        return isEmpty ? [] : [message];
    }
}
