import type { InputField, Json, Problem } from '../api/types';

/** The texts in the form, as typed. '' means not given. */
export type FormValues = Record<string, string>;
export type FormErrors = Record<string, string>;
/** The key for errors that belong to no single field. */
export const wholeForm = '';

export const initialText = (field: InputField): string =>
    field.default === null || field.default === undefined ? '' : shown(field, field.default);

export function initialValues(fields: InputField[]): FormValues {
    return Object.fromEntries(fields.map((field) => [field.name, initialText(field)]));
}

function shown(field: InputField, value: Json): string {
    if (typeof value === 'string' && field.type !== 'any') return value;
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : typeof value === 'string' ? value : JSON.stringify(value);
}

/** The input from the form, or its errors by field. */
export function inputOf(fields: InputField[], values: FormValues): { input: Record<string, Json>; errors: FormErrors } {
    const input: Record<string, Json> = {};
    const errors: FormErrors = {};
    for (const field of fields) {
        const text = values[field.name] ?? '';
        if (text === '') {
            if (field.required) errors[field.name] = 'This is required.';
            continue;
        }
        try {
            input[field.name] = valueOf(field, text);
        } catch (error) {
            errors[field.name] = (error as Error).message;
        }
    }
    return { input, errors };
}

export function valueOf(field: InputField, text: string): Json {
    if (field.enum) {
        const chosen = field.enum.find((value) => shown(field, value) === text);
        if (chosen === undefined) throw new Error(`One of ${field.enum.map((value) => shown(field, value)).join(', ')}.`);
        return chosen;
    }
    switch (field.type) {
        case 'text':
            return text;
        case 'boolean':
            if (text !== 'true' && text !== 'false') throw new Error('Must be true or false.');
            return text === 'true';
        case 'integer':
            if (!/^[+-]?\d+$/.test(text.trim())) throw new Error('A whole number, such as 12.');
            return Number(text);
        case 'number':
            if (text.trim() === '' || !Number.isFinite(Number(text))) throw new Error('A number, such as 1.5.');
            return Number(text);
        case 'list':
            return parsed(text, Array.isArray, 'A JSON list, such as ["a", "b"].');
        case 'object':
            return parsed(text, (value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'A JSON object, such as {"key": "value"}.');
        case 'any':
            return jsonOrText(text);
    }
}

function parsed(text: string, fits: (value: Json) => boolean, wanted: string): Json {
    let value: Json;
    try {
        value = JSON.parse(text) as Json;
    } catch {
        throw new Error(wanted);
    }
    if (!fits(value)) throw new Error(wanted);
    return value;
}

/** JSON if the text is valid JSON, else a string, like `-i KEY=VALUE` of the command line. */
export function jsonOrText(text: string): Json {
    try {
        return JSON.parse(text) as Json;
    } catch {
        return text;
    }
}

/** The server's errors by field; the others under `wholeForm`. */
export function errorsAt(fields: string[], problem: Problem): FormErrors {
    const errors: FormErrors = {};
    const rest: string[] = [];
    for (const { where, detail } of problem.errors ?? []) {
        const field = fields.find((name) => names(where, name)) ?? fields.find((name) => detail.includes(`"${name}"`));
        if (field) errors[field] = errors[field] ? `${errors[field]} ${detail}` : detail;
        else rest.push(where ? `${where}: ${detail}` : detail);
    }
    if (!problem.errors?.length) rest.push(problem.detail);
    if (rest.length) errors[wholeForm] = rest.join('\n');
    return errors;
}

function names(where: string, field: string): boolean {
    return where === field || where.endsWith(`.${field}`) || where.endsWith(`/${field}`) || where.startsWith(`input.${field}.`) || where.startsWith(`input.${field}[`);
}

/** A task of the catalog has no schema, so each member that its templates use becomes a field of any type. */
export function fieldsOfParameters(parameters: string[]): InputField[] {
    return [...new Set(parameters.map((name) => name.replace(/^input\./, '').split('.')[0]!))].map((name) => ({
        name,
        type: 'any',
        required: true,
        default: null,
        enum: null,
        description: null,
    }));
}
