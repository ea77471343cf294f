import type { InputField } from '../api/types';
import type { FormErrors, FormValues } from '../model/form';

interface SchemaFormProps {
    fields: InputField[];
    values: FormValues;
    errors: FormErrors;
    onChange: (field: string, text: string) => void;
}

/** One form field per input, chosen by its type. */
export function SchemaForm({ fields, values, errors, onChange }: SchemaFormProps) {
    return (
        <>
            {fields.map((field) => {
                const id = `input-${field.name}`;
                const error = errors[field.name];
                const told = [field.description ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
                return (
                    <div key={field.name} className={`field ${error ? 'field-bad' : ''}`}>
                        <label htmlFor={id}>
                            {field.name} <span className="field-type">{field.enum ? 'one of' : field.type}</span>
                            {field.required && <span className="field-required"> required</span>}
                        </label>
                        <Control field={field} id={id} value={values[field.name] ?? ''} onChange={(text) => onChange(field.name, text)} describedBy={told || undefined} isBad={Boolean(error)} />
                        {field.description && (
                            <p className="hint" id={`${id}-hint`}>
                                {field.description}
                            </p>
                        )}
                        {error && (
                            <p className="field-error" id={`${id}-error`} role="alert">
                                {error}
                            </p>
                        )}
                    </div>
                );
            })}
        </>
    );
}

interface ControlProps {
    field: InputField;
    id: string;
    value: string;
    onChange: (text: string) => void;
    describedBy: string | undefined;
    isBad: boolean;
}

function Control({ field, id, value, onChange, describedBy, isBad }: ControlProps) {
    const common = { id, 'aria-describedby': describedBy, 'aria-invalid': isBad, 'aria-required': field.required };
    const options = field.enum ? field.enum.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))) : field.type === 'boolean' ? ['true', 'false'] : null;
    if (options)
        return (
            <select {...common} value={value} onChange={(event) => onChange(event.target.value)}>
                {(!field.required || value === '') && <option value="">{field.required ? 'choose' : 'not given'}</option>}
                {options.map((one) => (
                    <option key={one}>{one}</option>
                ))}
            </select>
        );
    if (field.type === 'object' || field.type === 'list' || (field.type === 'any' && (field.name === 'input' || field.name === 'args')))
        return <textarea {...common} rows={4} value={value} onChange={(event) => onChange(event.target.value)} spellCheck={false} className="code" placeholder={field.type === 'list' ? '[…]' : field.type === 'object' ? '{…}' : 'JSON'} />;
    const isNumber = field.type === 'integer' || field.type === 'number';
    return <input {...common} value={value} onChange={(event) => onChange(event.target.value)} inputMode={isNumber ? 'decimal' : undefined} autoComplete="off" spellCheck={false} />;
}
