/** The named parts of a path by a pattern such as "/tasks/:id", or null if it does not match. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
    const wanted = partsOf(pattern);
    const given = partsOf(path);
    if (wanted.length !== given.length) return null;
    const found: Record<string, string> = {};
    for (const [index, part] of wanted.entries()) {
        const value = given[index]!;
        if (part.startsWith(':')) found[part.slice(1)] = decoded(value);
        else if (part !== value) return null;
    }
    return found;
}

const partsOf = (path: string) => path.split('/').filter(Boolean);

function decoded(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}
