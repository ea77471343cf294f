import { useEffect, useId, useState } from 'react';

/** Applies the filter when the typing pauses. */
const rest = 300;

export function FilterField({ label, value, onChange, placeholder }: { label: string; value: string; onChange: (value: string) => void; placeholder?: string }) {
    const [text, setText] = useState(value);
    const field = useId();
    useEffect(() => setText(value), [value]);
    useEffect(() => {
        if (text.trim() === value) return;
        const timer = setTimeout(() => onChange(text.trim()), rest);
        return () => clearTimeout(timer);
    }, [text]);
    return (
        <div className="filter-field">
            <label htmlFor={field}>{label}</label>
            <input id={field} value={text} placeholder={placeholder ?? 'any'} onChange={(event) => setText(event.target.value)} spellCheck={false} autoComplete="off" />
        </div>
    );
}
