import type { Json } from '../api/types';

/** A definition as YAML, with scripts as blocks. Members that are null, empty or false by default are omitted. */
export function yamlOf(value: Json, indent = ''): string {
    if (Array.isArray(value)) return listOf(value, indent);
    if (value !== null && typeof value === 'object') return mappingOf(value, indent);
    return `${indent}${scalar(value, indent)}\n`;
}

function mappingOf(value: { [key: string]: Json }, indent: string): string {
    return Object.entries(value)
        .filter(([, member]) => member !== null)
        .map(([key, member]) => `${indent}${plainOrQuoted(key)}:${below(member, indent)}`)
        .join('');
}

function listOf(value: Json[], indent: string): string {
    return value
        .map((member) => {
            const isNested = member !== null && typeof member === 'object' && !isShort(member);
            return isNested ? `${indent}- ${yamlOf(member, `${indent}  `).trimStart()}` : `${indent}-${below(member, indent)}`;
        })
        .join('');
}

function below(member: Json, indent: string): string {
    if (member === null || typeof member !== 'object') return ` ${scalar(member, indent)}\n`;
    if (isShort(member)) return ` ${flow(member)}\n`;
    return `\n${yamlOf(member, `${indent}  `)}`;
}

/** A list of plain values that fits on the line, or an empty collection. */
function isShort(value: Json[] | { [key: string]: Json }): boolean {
    const members = Object.values(value);
    if (members.length === 0) return true;
    return Array.isArray(value) && members.every((member) => member === null || typeof member !== 'object') && flow(value).length < 80 && !flow(value).includes('\\n');
}

function flow(value: Json): string {
    if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
    if (value !== null && typeof value === 'object') return '{}';
    return typeof value === 'string' ? (/^[\w./-]+$/.test(value) && isPlain(value) ? value : JSON.stringify(value)) : String(value);
}

function scalar(value: Json, indent: string): string {
    if (typeof value !== 'string') return String(value);
    if (value.includes('\n') && !/[^\S\n]\n|\r|\t/.test(value) && !value.startsWith(' ') && value.trim() !== '') return block(value, indent);
    return plainOrQuoted(value);
}

function block(text: string, indent: string): string {
    const mark = text.endsWith('\n') ? '|' : '|-';
    const lines = text.replace(/\n$/, '').split('\n');
    return [mark, ...lines.map((line) => (line ? `${indent}  ${line}` : ''))].join('\n');
}

function isPlain(text: string): boolean {
    return /^[A-Za-z_/.$][^\n\t]*$/.test(text) && !/: |:$| #|[\s]$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n|~)$/i.test(text) && !/^\.(inf|nan)$/i.test(text) && !/^\.?\d/.test(text);
}

function plainOrQuoted(text: string): string {
    return isPlain(text) ? text : JSON.stringify(text);
}
