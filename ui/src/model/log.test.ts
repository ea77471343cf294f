import { describe, expect, it } from 'vitest';
import type { LogPiece } from '../api/shapes';
import { LogLines, marked, matching } from './log';

let offset = 0;
const piece = (text: string, stream = 'stdout', lease = 1): LogPiece => ({ offset: offset++, at: '2026-11-15T18:26:20Z', lease, stream, text });
const texts = (...pieces: LogPiece[]) => {
    const book = new LogLines();
    book.add(pieces);
    return book.lines.map((line) => line.text);
};

describe('The lines of a log', () => {
    it('are joined where a piece was cut', () => {
        expect(texts(piece('one\ntw'), piece('o\nthree'))).toEqual(['one', 'two', 'three']);
    });
    it('of different streams and runs are not mixed', () => {
        expect(texts(piece('out'), piece('err\n', 'stderr'), piece('put\n'), piece('again\n', 'stdout', 2))).toEqual(['output', 'err', 'again']);
    });
    it('keep empty lines, and add none at the end', () => {
        expect(texts(piece('a\n\nb\n'))).toEqual(['a', '', 'b']);
    });
    it('show the last version of an overwritten line', () => {
        expect(texts(piece('10%\r50%\r100%\ndone\r\n'))).toEqual(['100%', 'done']);
    });
    it('have no colours', () => {
        expect(texts(piece('\u001b[1;32mok\u001b[0m\n'))).toEqual(['ok']);
    });
});

describe('A search in a log', () => {
    const lines = ['An error', 'fine', 'ERROR: error'].map((text) => ({ text, at: '', stream: 'stdout', lease: 1, step: null }));
    it('ignores case', () => {
        expect(matching(lines, 'error')).toEqual([0, 2]);
        expect(matching(lines, '')).toEqual([]);
    });
    it('marks every match', () => {
        expect(marked('ERROR: error!', 'error')).toEqual(['', 'ERROR', ': ', 'error', '!']);
        expect(marked('fine', 'error')).toEqual(['fine']);
    });
});
