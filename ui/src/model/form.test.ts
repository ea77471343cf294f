import { describe, expect, it } from 'vitest';
import type { InputField } from '../api/types';
import { errorsAt, fieldsOfParameters, initialValues, inputOf, wholeForm } from './form';

const field = (name: string, type: InputField['type'], more: Partial<InputField> = {}): InputField => ({ name, type, required: false, default: null, enum: null, description: null, ...more });

describe('A form made from a schema', () => {
    const fields = [field('day', 'text', { required: true }), field('copies', 'integer', { default: 2 }), field('ratio', 'number'), field('dry', 'boolean', { default: false }), field('names', 'list', { default: ['Ada'] }), field('more', 'object'), field('mode', 'text', { enum: ['full', 'quick'], default: 'full' }), field('level', 'integer', { enum: [1, 2] })];

    it('begins with the defaults', () => {
        expect(initialValues(fields)).toEqual({ day: '', copies: '2', ratio: '', dry: 'false', names: '[\n  "Ada"\n]', more: '', mode: 'full', level: '' });
    });
    it('returns values of the types in the schema', () => {
        const { input, errors } = inputOf(fields, { day: '15', copies: '3', ratio: '1.5', dry: 'true', names: '["a"]', more: '{"a": 1}', mode: 'quick', level: '2' });
        expect(errors).toEqual({});
        expect(input).toEqual({ day: '15', copies: 3, ratio: 1.5, dry: true, names: ['a'], more: { a: 1 }, mode: 'quick', level: 2 });
    });
    it('omits empty fields', () => {
        expect(inputOf(fields, { day: 'x' }).input).toEqual({ day: 'x' });
    });
    it('shows an error at each invalid field', () => {
        const { errors } = inputOf(fields, { day: '', copies: '1.5', ratio: 'x', names: '{}', more: '[1', mode: 'slow' });
        expect(Object.keys(errors)).toEqual(['day', 'copies', 'ratio', 'names', 'more', 'mode']);
    });
});

describe('An error of the server', () => {
    const problem = (errors: { where: string; detail: string }[]) => ({ type: '', status: 422, code: 'REFUSED', title: 'Refused', detail: 'the input is not valid', errors });
    it('is shown at the field that it names', () => {
        expect(errorsAt(['day', 'mode'], problem([{ where: 'input.day', detail: 'is missing' }, { where: 'input', detail: '"mode" is not one of full, quick' }]))).toEqual({ day: 'is missing', mode: '"mode" is not one of full, quick' });
    });
    it('without a field is shown at the form', () => {
        expect(errorsAt(['day'], problem([{ where: 'workflow', detail: 'is unknown' }]))).toEqual({ [wholeForm]: 'workflow: is unknown' });
        expect(errorsAt(['day'], { type: '', status: 503, code: 'OVERLOADED', title: '', detail: 'try again' })).toEqual({ [wholeForm]: 'try again' });
    });
});

describe('A task without a schema', () => {
    it('has a field for each member that its templates use, once', () => {
        expect(fieldsOfParameters(['file', 'input.size.width', 'size']).map((one) => one.name)).toEqual(['file', 'size']);
    });
});
