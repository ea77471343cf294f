import { useQuery } from '@tanstack/react-query';
import { part, post } from '../api/client';
import { queuesQuery } from '../api/queries';
import type { Queue } from '../api/types';
import { Card, Empty, Head, Loaded, Page, useTitle } from '../parts/basics';
import { Icon } from '../parts/Icon';
import { OrderButton } from '../parts/Order';
import { Link } from '../router/router';
import { countText } from '../text/number';

export function QueuesPage() {
    useTitle('Queues');
    const queues = useQuery(queuesQuery);
    return (
        <Page title="Queues" lead="No task of a paused queue is claimed; running tasks continue.">
            <Card>
                <Loaded query={queues} what="The list of queues" lines={4} empty={<Empty icon="queues" title="There are no queues yet">A queue appears with its first task.</Empty>}>
                    {(all) => (
                        <table className="table cards">
                            <Head columns={['Queue', 'Status', ['Waiting', 'number'], ['Claimed or running', 'number']]} actions />
                            <tbody>
                                {all.map((queue) => (
                                    <Row key={queue.name} queue={queue} />
                                ))}
                            </tbody>
                        </table>
                    )}
                </Loaded>
            </Card>
        </Page>
    );
}

function Row({ queue }: { queue: Queue }) {
    const link = (state: string) => `/tasks?state=${state}&queue=${part(queue.name)}`;
    const order = async (word: 'pause' | 'resume') => {
        const { paused } = await post<{ paused: boolean }>(`/queues/${part(queue.name)}/${word}`);
        return { text: paused ? `Queue ${queue.name} is paused: its tasks wait.` : `Queue ${queue.name} is open again.` };
    };
    return (
        <tr>
            <th scope="row" data-label="Queue">
                <Link to={`/tasks?queue=${part(queue.name)}`} className="row-link">
                    {queue.name}
                </Link>
            </th>
            <td data-label="Status">
                <span className={`state is-${queue.paused ? 'PAUSED' : 'fresh'}`}>
                    <Icon name={queue.paused ? 'pause' : 'check'} size={14} /> {queue.paused ? 'paused' : 'open'}
                </span>
            </td>
            <td className="number" data-label="Waiting">
                <Link to={link('PENDING')}>{countText(queue.pending)}</Link>
            </td>
            <td className="number" data-label="Claimed or running">
                <Link to={link('CLAIMED,RUNNING')}>{countText(queue.in_flight)}</Link>
            </td>
            <td className="row-actions">
                {queue.paused ? (
                    <OrderButton label="Resume" icon="play" small give={() => order('resume')} />
                ) : (
                    <OrderButton label="Pause" icon="pause" small give={() => order('pause')} confirm={{ title: `Pause queue ${queue.name}?`, text: 'None of its tasks begins until it is resumed. Running tasks continue.' }} />
                )}
            </td>
        </tr>
    );
}
