import { useQuery } from '@tanstack/react-query';
import { part } from '../api/client';
import { catalogTasksQuery, catalogWorkflowsQuery } from '../api/queries';
import type { CatalogTask, CatalogWorkflow } from '../api/types';
import { Card, Command, Empty, Head, Loaded, Page, Tags, useTitle } from '../parts/basics';
import { Icon } from '../parts/Icon';
import { Link } from '../router/router';
import { plural } from '../text/number';

export default function CatalogPage() {
    useTitle('Catalog');
    const workflows = useQuery(catalogWorkflowsQuery);
    const tasks = useQuery(catalogTasksQuery);
    const isEmpty = workflows.data?.length === 0 && tasks.data?.length === 0;
    return (
        <Page title="Catalog" lead="Tasks and workflows that the server's holdfast.yaml defines. Run each with a form.">
            {isEmpty ? (
                <Card>
                    <Empty icon="catalog" title="The catalog is empty">
                        <p>
                            Define tasks and workflows in <code>holdfast.yaml</code> next to the server, and check them:
                        </p>
                        <Command>holdfast config check</Command>
                    </Empty>
                </Card>
            ) : (
                <>
                    <Card title="Workflows">
                        <Loaded query={workflows} what="The workflows" lines={4} empty={<p className="faint card-text">The file defines no workflows.</p>}>
                            {(all) => <Workflows all={all} />}
                        </Loaded>
                    </Card>
                    <Card title="Tasks">
                        <Loaded query={tasks} what="The tasks" lines={4} empty={<p className="faint card-text">The file defines no tasks.</p>}>
                            {(all) => <Tasks all={all} />}
                        </Loaded>
                    </Card>
                </>
            )}
        </Page>
    );
}

function Run({ to, name }: { to: string; name: string }) {
    return (
        <Link to={to} className="button button-small" aria-label={`Run ${name}`}>
            <Icon name="play" size={13} /> Run
        </Link>
    );
}

function Workflows({ all }: { all: CatalogWorkflow[] }) {
    return (
        <table className="table cards">
            <Head columns={['Workflow', 'Description', 'Steps', 'Input']} actions />
            <tbody>
                {all.map((one) => (
                    <tr key={one.name}>
                        <th scope="row" data-label="Workflow">
                            <Link to={`/catalog/workflows/${part(one.name)}`} className="row-link">
                                {one.name}
                            </Link>
                        </th>
                        <td data-label="Description">{one.description ?? <span className="faint">–</span>}</td>
                        <td data-label="Steps" title={one.steps.map((step) => step.name).join(', ')}>
                            {plural(one.steps.length, 'step')}
                        </td>
                        <td data-label="Input">{one.input?.length ? <Tags tags={one.input.map((field) => `${field.name}${field.required ? ' *' : ''}`)} /> : <span className="faint">any</span>}</td>
                        <td className="row-actions">
                            <Link to={`/jobs?workflow=${part(one.name)}`} className="button button-small">
                                Jobs
                            </Link>
                            <Run to={`/catalog/workflows/${part(one.name)}`} name={one.name} />
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Tasks({ all }: { all: CatalogTask[] }) {
    return (
        <table className="table cards">
            <Head columns={['Task', 'Kind', 'Queue', 'After a crash', 'Arguments']} actions />
            <tbody>
                {all.map((one) => (
                    <tr key={one.name}>
                        <th scope="row" data-label="Task">
                            <Link to={`/catalog/tasks/${part(one.name)}`} className="row-link">
                                {one.name}
                            </Link>
                        </th>
                        <td data-label="Kind">{one.kind}</td>
                        <td data-label="Queue">{one.queue}</td>
                        <td data-label="After a crash">{one.on_crash === 'requeue' ? 'run again' : 'fail'}</td>
                        <td data-label="Arguments">{one.parameters.length ? <Tags tags={one.parameters} /> : <span className="faint">any</span>}</td>
                        <td className="row-actions">
                            <Link to={`/tasks?name=${part(one.name)}`} className="button button-small">
                                Runs
                            </Link>
                            <Run to={`/catalog/tasks/${part(one.name)}`} name={one.name} />
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
