import { describe, expect, it } from 'vitest';
import { SseParser } from './sse';

describe('Server-sent events', () => {
    const text = ': hi\n\nevent: hello\ndata: {"now":1}\n\nid: 7\nevent: event\ndata: a\ndata: b\n\n';
    const messages = [
        { event: 'hello', data: '{"now":1}', id: null },
        { event: 'event', data: 'a\nb', id: '7' },
    ];
    it('are parsed from one piece', () => {
        expect(new SseParser().push(text)).toEqual(messages);
    });
    it('are parsed from any pieces', () => {
        const windows = text.replaceAll('\n', '\r\n');
        for (const form of [text, windows]) {
            const parser = new SseParser();
            expect([...form].flatMap((letter) => parser.push(letter))).toEqual(messages);
        }
    });
    it('are reported only when they are complete', () => {
        const parser = new SseParser();
        expect(parser.push('data: half\n')).toEqual([]);
        expect(parser.push('\n')).toEqual([{ event: 'message', data: 'half', id: null }]);
    });
});
