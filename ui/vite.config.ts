import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// The server that `npm run dev` uses.
const server = process.env.HOLDFAST_SERVER ?? 'http://127.0.0.1:7070';

export default defineConfig({
    plugins: [react()],
    server: { proxy: { '/api': server } },
    build: {
        target: 'es2021',
        // Nothing is inlined, because the server's Content-Security-Policy allows only its own files.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: true,
    },
    test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'] },
});
