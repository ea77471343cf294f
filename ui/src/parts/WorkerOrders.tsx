import { part, post, remove } from '../api/client';
import type { Worker } from '../api/types';
import { navigate } from '../router/router';
import { OrderButton, type Outcome } from './Order';

const outcomes: Record<string, Outcome> = {
    asked: { text: 'The worker was asked to drain: it claims no more tasks, finishes its running tasks, and leaves.' },
    cordoned: { text: 'The worker is cordoned: it claims no more tasks; its running tasks continue.' },
    uncordoned: { text: 'The worker claims tasks again.' },
    removed: { text: 'The worker is removed.' },
    holds_leases: { text: 'The worker still holds tasks. They must be recovered first.', bad: true },
    still_active: { text: 'The worker has not left. Drain it first.', bad: true },
};

export function WorkerOrders({ worker, small = false }: { worker: Worker; small?: boolean }) {
    const path = `/workers/${part(worker.id)}`;
    const order = async (word: string) => {
        const { status } = await post<{ status: string }>(`${path}/${word}`);
        return outcomes[status] ?? { text: status };
    };
    if (worker.status === 'inactive')
        return (
            <OrderButton
                label="Remove"
                small={small}
                danger
                confirm={{ title: `Remove ${worker.name}?`, text: 'The worker has left. Its row is deleted; its runs stay in the history of their tasks.' }}
                give={async () => {
                    const { status } = await remove<{ status: string }>(path);
                    if (status === 'removed') navigate('/workers');
                    return outcomes[status] ?? { text: status };
                }}
            />
        );
    return (
        <>
            {worker.cordoned ? (
                <OrderButton label="Uncordon" small={small} give={() => order('uncordon')} />
            ) : (
                <OrderButton label="Cordon" small={small} give={() => order('cordon')} confirm={{ title: `Cordon ${worker.name}?`, text: 'It claims no more tasks until it is uncordoned. Its running tasks continue.' }} />
            )}
            <OrderButton
                label="Drain"
                small={small}
                danger
                give={() => order('drain')}
                confirm={{ title: `Drain ${worker.name}?`, text: 'It claims no more tasks, finishes its running tasks, and leaves. Its process ends; this cannot be undone.', button: 'Drain it' }}
            />
        </>
    );
}
