import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ApiError, get, part, post } from '../api/client';
import type { CatalogTask, CatalogWorkflow, InputField, Json } from '../api/types';
import { errorsAt, fieldsOfParameters, initialValues, inputOf, jsonOrText, wholeForm, type FormErrors, type FormValues } from '../model/form';
import { Card, Facts, Failed, Page, Skeleton, Tags, useTitle } from '../parts/basics';
import { Icon } from '../parts/Icon';
import { JsonView } from '../parts/JsonView';
import { useMay } from '../parts/Order';
import { SchemaForm } from '../parts/SchemaForm';
import { useToasts } from '../parts/Toasts';
import { Link, navigate } from '../router/router';
import { jobPath, taskPath } from './links';

type Definition = { workflow: CatalogWorkflow; task: null } | { task: CatalogTask; workflow: null };

/** A form for an entry of the catalog: the input schema of a workflow, or the template members of a task. */
export default function RunPage({ kind, name }: { kind: string; name: string }) {
    useTitle(`Run ${name}`);
    const isWorkflow = kind === 'workflows';
    const definition = useQuery({
        queryKey: ['catalog', kind, name],
        queryFn: async ({ signal }): Promise<Definition> =>
            isWorkflow
                ? { workflow: await get<CatalogWorkflow>(`/catalog/workflows/${part(name)}`, {}, signal), task: null }
                : { task: await get<CatalogTask>(`/catalog/tasks/${part(name)}`, {}, signal), workflow: null },
    });
    return (
        <Page crumb={<Link to="/catalog">Catalog</Link>} title={name} lead={definition.data?.workflow?.description ?? (isWorkflow ? 'A workflow' : 'A task')}>
            {definition.error && !definition.data ? <Failed error={definition.error} what={name} retry={() => void definition.refetch()} /> : definition.data ? <Form definition={definition.data} name={name} /> : <Skeleton lines={8} height={40} />}
        </Page>
    );
}

/** The single field for an entry without a schema. */
const anyField: InputField = { name: 'input', type: 'any', required: false, default: null, enum: null, description: 'Any JSON value.' };

function fieldsOf({ workflow, task }: Definition): { fields: InputField[]; isFree: boolean } {
    const fields = workflow ? (workflow.input ?? []) : fieldsOfParameters(task.parameters);
    return fields.length ? { fields, isFree: false } : { fields: [{ ...anyField, name: workflow ? 'input' : 'args' }], isFree: true };
}

function Form({ definition, name }: { definition: Definition; name: string }) {
    const { fields, isFree } = fieldsOf(definition);
    const [values, setValues] = useState<FormValues>(() => initialValues(fields));
    const [errors, setErrors] = useState<FormErrors>({});
    const [busy, setBusy] = useState(false);
    const may = useMay('submit');
    const toasts = useToasts();

    const start = async (input: Json) => {
        if (definition.workflow) {
            const { id } = await post<{ id: string }>('/jobs', { workflow: name, input: input ?? {} });
            toasts.say('The job is accepted.');
            navigate(jobPath(id));
        } else {
            const { id } = await post<{ id: string }>('/tasks', { name, args: input });
            toasts.say('The task is accepted.');
            navigate(taskPath(id));
        }
    };
    const submit = async (event: FormEvent) => {
        event.preventDefault();
        const checked = inputOf(fields, values);
        setErrors(checked.errors);
        if (Object.keys(checked.errors).length) return focusFirst(checked.errors);
        const free = values[fields[0]!.name] ?? '';
        setBusy(true);
        try {
            await start(isFree ? (free ? jsonOrText(free) : null) : checked.input);
        } catch (error) {
            const problem = error instanceof ApiError ? error.problem : { type: '', status: 0, title: '', code: '', detail: String(error) };
            const found = errorsAt(fields.map((field) => field.name), problem);
            setErrors(found);
            toasts.complain(problem.detail);
            focusFirst(found);
        } finally {
            setBusy(false);
        }
    };
    return (
        <div className="columns">
            <div className="column">
                <Card title={definition.workflow ? 'Start a job' : 'Submit a task'}>
                    <form className="card-text" noValidate onSubmit={(event) => void submit(event)}>
                        <SchemaForm fields={fields} values={values} errors={errors} onChange={(field, text) => setValues({ ...values, [field]: text })} />
                        {errors[wholeForm] && (
                            <p className="field-error" role="alert">
                                {errors[wholeForm]}
                            </p>
                        )}
                        <div className="form-buttons">
                            <button type="submit" className="button button-primary" disabled={!may || busy} title={may ? undefined : 'This needs the scope submit.'}>
                                <Icon name="play" size={14} /> {definition.workflow ? 'Start the job' : 'Submit the task'}
                            </button>
                            <button type="button" className="button" onClick={() => { setValues(initialValues(fields)); setErrors({}); }}>
                                Reset
                            </button>
                        </div>
                    </form>
                </Card>
            </div>
            <div className="column column-side">{definition.workflow ? <AboutWorkflow workflow={definition.workflow} /> : <AboutTask task={definition.task} />}</div>
        </div>
    );
}

function focusFirst(errors: FormErrors) {
    const first = Object.keys(errors).find((name) => name !== wholeForm);
    if (first) document.getElementById(`input-${first}`)?.focus();
}

function AboutWorkflow({ workflow }: { workflow: CatalogWorkflow }) {
    return (
        <Card title="Steps" aside={workflow.timeout && <span className="faint">at most {workflow.timeout}</span>}>
            <ol className="step-list">
                {workflow.steps.map((step) => (
                    <li key={step.name}>
                        <span>
                            <strong>{step.name}</strong> <span className="faint">{step.task ?? step.workflow ?? step.kind}</span>
                        </span>
                        {step.depends_on.length > 0 && <span className="faint">after {step.depends_on.join(', ')}</span>}
                    </li>
                ))}
            </ol>
        </Card>
    );
}

function AboutTask({ task }: { task: CatalogTask }) {
    return (
        <Card title="About">
            <Facts
                facts={[
                    ['Kind', task.kind],
                    ['Queue', task.queue],
                    ['Priority', task.priority],
                    ['Tags', task.tags.length ? <Tags tags={task.tags} /> : null],
                    ['Timeout', task.timeout],
                    ['On a crash', task.on_crash],
                    ['Concurrency key', task.concurrency_key],
                ]}
            />
            <JsonView value={{ ...task.retry }} label="the retry policy" />
        </Card>
    );
}
