import { part, post, remove } from '../api/client';
import type { Worker } from '../api/types';
import { navigate } from '../router/router';
import { OrderButton, type Outcome } from './Order';

const outcomes: Record<string, Outcome> = {
    asked: { text: 'It is asked to drain: it claims nothing more, ends what it runs, and leaves.' },
    cordoned: { text: 'It is cordoned: it claims nothing more; what it runs goes on.' },
    uncordoned: { text: 'It claims again.' },
    removed: { text: 'It is removed.' },
    holds_leases: { text: 'It still holds tasks; they are recovered first.', bad: true },
    still_active: { text: 'It has not left; drain it first.', bad: true },
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
                confirm={{ title: `Remove ${worker.name}?`, text: 'It has left. Its row is forgotten; what it ran stays in the history of its tasks.' }}
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
                <OrderButton label="Cordon" small={small} give={() => order('cordon')} confirm={{ title: `Cordon ${worker.name}?`, text: 'It claims nothing more until it is uncordoned. What it runs goes on.' }} />
            )}
            <OrderButton
                label="Drain"
                small={small}
                danger
                give={() => order('drain')}
                confirm={{ title: `Drain ${worker.name}?`, text: 'It claims nothing more, ends what it runs, and leaves. Its process ends; this cannot be taken back.', button: 'Drain it' }}
            />
        </>
    );
}
