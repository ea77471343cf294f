import { describe, expect, it } from 'vitest';
import { yamlOf } from './yaml';

describe('A definition as YAML', () => {
    it('has scripts as blocks and short lists on one line', () => {
        const text = yamlOf({ main: 'nightly', workflows: { nightly: { steps: { fetch: { script: 'set -e\nfetch $DAY\n', depends_on: ['a', 'b-2'] } } } } });
        expect(text).toBe(['main: nightly', 'workflows:', '  nightly:', '    steps:', '      fetch:', '        script: |', '          set -e', '          fetch $DAY', '        depends_on: [a, b-2]', ''].join('\n'));
    });
    it('quotes texts that would be read as another type', () => {
        expect(yamlOf({ a: 'true', b: '12', c: 'x: y', d: '{{ input.a }}', e: '', f: '# no', g: 3, h: false })).toBe('a: "true"\nb: "12"\nc: "x: y"\nd: "{{ input.a }}"\ne: ""\nf: "# no"\ng: 3\nh: false\n');
    });
    it('omits null members', () => {
        expect(yamlOf({ a: null, b: 1 })).toBe('b: 1\n');
    });
    it('writes lists of mappings item by item', () => {
        expect(yamlOf({ hooks: [{ task: 'tell', input: { a: 1 } }, 'x'] })).toBe('hooks:\n  - task: tell\n    input:\n      a: 1\n  - x\n');
    });
});
