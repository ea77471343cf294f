import { part, post } from '../api/client';
import type { Step } from '../api/types';
import { OrderButton } from './Order';

/** The buttons that decide an approval. */
export function Decide({ job, step }: { job: string; step: Step }) {
    const decide = (approve: boolean) => async (reason: string) => {
        await post(`/jobs/${part(job)}/steps/${part(step.name)}/approve`, { approve, ...(reason ? { reason } : {}) });
        return { text: `Step ${step.name} is ${approve ? 'approved' : 'rejected'}.` };
    };
    const question = step.message ?? `Step ${step.name} waits for a decision.`;
    return (
        <div className="decide">
            <OrderButton label="Approve" icon="check" primary reason="optional" give={decide(true)} confirm={{ title: 'Approve?', text: question, button: 'Approve' }} />
            <OrderButton label="Reject" icon="cross" danger reason="optional" give={decide(false)} confirm={{ title: 'Reject?', text: `${question} Rejecting fails the step.`, button: 'Reject' }} />
        </div>
    );
}
