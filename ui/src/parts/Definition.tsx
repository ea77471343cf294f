import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { definitionQuery } from '../api/queries';
import type { Json } from '../api/types';
import { yamlOf } from '../model/yaml';
import { Card, Choice, Failed, Skeleton } from './basics';
import { JsonView } from './JsonView';

/** The definition that the job was started with. Later changes of the file do not affect it. */
export function Definition({ job }: { job: string }) {
    const definition = useQuery(definitionQuery(job));
    const [form, setForm] = useState<'yaml' | 'json'>('yaml');
    const choice = <Choice label="Form" options={[['yaml', 'YAML'], ['json', 'JSON']] as const} value={form} onChange={setForm} />;
    return (
        <Card title="Definition" aside={choice}>
            {definition.error ? <Failed error={definition.error} what="The definition" retry={() => void definition.refetch()} /> : definition.data === undefined ? <Skeleton lines={12} /> : form === 'yaml' ? <Yaml value={definition.data} /> : <JsonView value={definition.data} label="the definition" />}
        </Card>
    );
}

function Yaml({ value }: { value: Json }) {
    const text = useMemo(() => yamlOf(value), [value]);
    return (
        <pre className="yaml" tabIndex={0} aria-label="Definition as YAML">
            {text.split('\n').map((line, index) => (
                <YamlLine key={index} line={line} />
            ))}
        </pre>
    );
}

function YamlLine({ line }: { line: string }) {
    const key = /^(\s*(?:- )*)([^\s:"'][^:]*:|"[^"]*":)(?=\s|$)(.*)$/.exec(line);
    if (!key) return <span>{`${line}\n`}</span>;
    return (
        <span>
            {key[1]}
            <span className="yaml-key">{key[2]}</span>
            {`${key[3]}\n`}
        </span>
    );
}
