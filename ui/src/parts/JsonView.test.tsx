import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { beginsOpen, JsonView, summaryOf } from './JsonView';

const text = (value: Parameters<typeof JsonView>[0]['value']) =>
    renderToStaticMarkup(<JsonView value={value} label="it" />).replace(/<svg.*?<\/svg>/g, '').replace(/<[^>]+>/g, ' ').replaceAll('&quot;', '"').replace(/\s+/g, ' ');

describe('A JSON value', () => {
    it('is shown with its members', () => {
        expect(text({ name: 'Ada', list: [1, null], empty: {} })).toContain('{ name "Ada" list [ 0 1 1 null ] empty {} }');
    });
    it('that is long starts collapsed, with its size', () => {
        const long = Array.from({ length: 500 }, (_, index) => index);
        expect(beginsOpen(long, 0)).toBe(false);
        expect(text({ long })).toContain('[ 500 items ]');
    });
    it('that is deep starts collapsed at its deep parts', () => {
        expect(text({ a: { b: { c: { d: 1 } } } })).not.toContain('d');
    });
    it('is summarized in words', () => {
        expect([summaryOf([]), summaryOf([1]), summaryOf({ a: 1, b: 2 })]).toEqual(['[]', '[ 1 item ]', '{ 2 members }']);
    });
    it('is shown as text, whatever it contains', () => {
        expect(renderToStaticMarkup(<JsonView value="<script>alert(1)</script>" label="it" />)).not.toContain('<script>');
    });
});
