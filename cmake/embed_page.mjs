// Writes the files of the built page into one blob, each as it is, gzipped and in brotli where that is smaller, and a C++
// source that holds the blob and a table of what is in it: server/page/page.h.
//   node embed_page.mjs DIST BLOB SOURCE
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const [dist, blobPath, sourcePath] = process.argv.slice(2);
const types = {
    '.css': 'text/css; charset=utf-8',
    '.html': 'text/html; charset=utf-8',
    '.ico': 'image/x-icon',
    '.js': 'text/javascript; charset=utf-8',
    '.json': 'application/json',
    '.png': 'image/png',
    '.svg': 'image/svg+xml',
    '.txt': 'text/plain; charset=utf-8',
    '.webmanifest': 'application/manifest+json',
    '.woff2': 'font/woff2',
};

function filesBelow(folder, prefix = '') {
    return readdirSync(folder, { withFileTypes: true })
        .sort((one, other) => (one.name < other.name ? -1 : 1))
        .flatMap((entry) =>
            entry.isDirectory() ? filesBelow(join(folder, entry.name), `${prefix}/${entry.name}`) : [`${prefix}/${entry.name}`],
        );
}

function encodings(bytes) {
    const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
    const smaller = [
        { encoding: 'br', bytes: brotliCompressSync(bytes, brotli) },
        { encoding: 'gzip', bytes: gzipSync(bytes, { level: 9 }) },
    ].filter((each) => each.bytes.length < bytes.length * 0.95);
    return [...smaller.sort((one, other) => one.bytes.length - other.bytes.length), { encoding: '', bytes }];
}

const pieces = [];
const rows = [];
let offset = 0;
for (const path of filesBelow(dist)) {
    const type = types[extname(path)];
    if (!type) throw new Error(`${path}: cmake/embed_page.mjs does not know the content type of ${extname(path)}`);
    for (const { encoding, bytes } of encodings(readFileSync(join(dist, path)))) {
        rows.push(`    {${JSON.stringify(path)}, "${type}", "${encoding}", {holdfast_page_blob + ${offset}, ${bytes.length}}},`);
        pieces.push(bytes);
        offset += bytes.length;
    }
}
const blob = Buffer.concat(pieces);
// The digest makes the source change with the blob, which no compiler cache looks into.
const digest = createHash('sha256').update(blob).digest('hex');
writeFileSync(blobPath, blob);
writeFileSync(
    sourcePath,
    `// Made by cmake/embed_page.mjs; SHA-256 of the blob: ${digest}
#include "server/page/page.h"

__asm__(
    ".pushsection .rodata\\n"
    ".balign 16\\n"
    ".hidden holdfast_page_blob\\n"
    ".global holdfast_page_blob\\n"
    "holdfast_page_blob:\\n"
    ".incbin \\"${blobPath}\\"\\n"
    ".byte 0\\n"
    ".popsection\\n");
extern "C" __attribute__((visibility("hidden"))) const char holdfast_page_blob[];

namespace holdfast::page {

std::span<const EmbeddedFile> embedded_files() {
    static const EmbeddedFile files[] = {
${rows.map((row) => `    ${row}`).join('\n')}
    };
    return files;
}

}  // namespace holdfast::page
`,
);
