import { Component, type ReactNode } from 'react';
import { Failed } from './basics';

/** Confines an error to its page; the others keep working. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
    override state = { error: null as unknown };
    static getDerivedStateFromError(error: unknown) {
        return { error };
    }
    override render() {
        if (this.state.error === null) return this.props.children;
        return <Failed error={this.state.error} what="This page" retry={() => window.location.reload()} />;
    }
}
