// Writes src/api/types.ts from the OpenAPI document of the API; with --check it only fails when that is stale.
//   node make-types.mjs PROGRAM [--check]    PROGRAM prints the document
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const target = fileURLToPath(new URL('src/api/types.ts', import.meta.url));
const [program, mode] = process.argv.slice(2);

const quoted = (word) => `'${word}'`;
const nameOf = (ref) => ref.split('/').pop();
const constantOf = (name) => (name[0].toLowerCase() + name.slice(1) + 's').replace(/ys$/, 'ies').replace(/(s|sh)s$/, '$1es');

/** The type of a schema's values: `string | null`, `Task[]`. */
function typeOf(schema) {
    if (schema.$ref) return nameOf(schema.$ref);
    if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
    if (schema.enum) return schema.enum.map(quoted).join(' | ');
    if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
    switch (schema.type) {
        case 'string':
            return schema.format === 'date-time' ? 'Time' : 'string';
        case 'integer':
        case 'number':
            return 'number';
        case 'array':
            return listOf(typeOf(schema.items));
        case 'object':
            return objectOf(schema);
        case undefined:
            return 'Json';
        default:
            return schema.type; // boolean, null
    }
}

function listOf(type) {
    return type.includes(' | ') ? `(${type})[]` : `${type}[]`;
}

function membersOf(schema) {
    const required = new Set(schema.required ?? []);
    return Object.entries(schema.properties).map(([name, member]) => ({
        comment: member.description,
        text: `${name}${required.has(name) ? '' : '?'}: ${typeOf(member)};`,
    }));
}

function objectOf(schema) {
    if (!schema.properties) return `Record<string, ${typeOf(schema.additionalProperties ?? {})}>`;
    return `{ ${membersOf(schema).map((member) => member.text).join(' ')} }`;
}

function declarationOf(name, schema) {
    if (schema.enum) {
        const constant = constantOf(name);
        return `export const ${constant} = [${schema.enum.map(quoted).join(', ')}] as const;\nexport type ${name} = (typeof ${constant})[number];\n`;
    }
    if (!schema.properties) return `export type ${name} = ${typeOf(schema)};\n`;
    const lines = membersOf(schema).flatMap(({ comment, text }) => [...(comment ? [`    /** ${comment} */`] : []), `    ${text}`]);
    return `export interface ${name} {\n${lines.join('\n')}\n}\n`;
}

const { schemas } = JSON.parse(execFileSync(program, { encoding: 'utf8' })).components;
const made = `/** What the API takes and answers. Made by scripts/update-types from its OpenAPI document: do not edit. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** RFC 3339, UTC. */
export type Time = string;

${Object.entries(schemas)
    .map(([name, schema]) => declarationOf(name, schema))
    .join('\n')}`;

if (mode !== '--check') {
    writeFileSync(target, made);
} else if (readFileSync(target, 'utf8') !== made) {
    console.error('ui/src/api/types.ts is stale: run scripts/update-types');
    process.exit(1);
}
