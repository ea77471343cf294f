import { useQuery } from '@tanstack/react-query';
import { part } from '../api/client';
import { catalogTasksQuery, catalogWorkflowsQuery } from '../api/queries';
import type { CatalogTask, CatalogWorkflow } from '../api/types';
import { Card, Command, Empty, Failed, Page, Skeleton, Tags, useTitle } from '../parts/basics';
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
                        {workflows.error && !workflows.data ? <Failed error={workflows.error} what="The workflows" retry={() => void workflows.refetch()} /> : workflows.data ? <Workflows all={workflows.data} /> : <Skeleton lines={4} height={44} />}
                    </Card>
                    <Card title="Tasks">{tasks.error && !tasks.data ? <Failed error={tasks.error} what="The tasks" retry={() => void tasks.refetch()} /> : tasks.data ? <Tasks all={tasks.data} /> : <Skeleton lines={4} height={44} />}</Card>
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
    if (all.length === 0) return <p className="faint card-text">The file defines no workflows.</p>;
    return (
        <table className="table cards">
            <thead>
                <tr>
                    <th scope="col">Workflow</th>
                    <th scope="col">Description</th>
                    <th scope="col">Steps</th>
                    <th scope="col">Input</th>
                    <th scope="col">
                        <span className="unseen">Actions</span>
                    </th>
                </tr>
            </thead>
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
    if (all.length === 0) return <p className="faint card-text">The file defines no tasks.</p>;
    return (
        <table className="table cards">
            <thead>
                <tr>
                    <th scope="col">Task</th>
                    <th scope="col">Kind</th>
                    <th scope="col">Queue</th>
                    <th scope="col">After a crash</th>
                    <th scope="col">Arguments</th>
                    <th scope="col">
                        <span className="unseen">Actions</span>
                    </th>
                </tr>
            </thead>
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
