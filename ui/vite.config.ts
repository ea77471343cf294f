import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// The server that `npm run dev` shows the page of.
const server = process.env.HOLDFAST_SERVER ?? 'http://127.0.0.1:7070';

export default defineConfig({
    plugins: [react()],
    server: { proxy: { '/api': server } },
    build: {
        target: 'es2021',
        // Nothing is inlined: the server's Content-Security-Policy allows files of its own only.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: true,
    },
    test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'] },
});
