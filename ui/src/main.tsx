import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client';
import { App } from './App';
import { Link } from './router/router';
import { ToastProvider } from './parts/Toasts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/pages.css';

const client = new QueryClient({
    defaultOptions: {
        queries: {
            staleTime: 1000,
            // Retry only when the server did not answer or failed; a refused request stays refused.
            retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
            retryDelay: (failures) => 500 * 2 ** failures,
        },
    },
});

createRoot(document.getElementById('root')!).render(
    <StrictMode>
        <QueryClientProvider client={client}>
            <ToastProvider renderLink={(to, text) => <Link to={to}>{text}</Link>}>
                <App />
            </ToastProvider>
        </QueryClientProvider>
    </StrictMode>,
);
