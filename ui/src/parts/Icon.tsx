/** Drawn on a 16 by 16 grid, in the colour of the surrounding text. */
const drawings = {
    overview: 'M2.5 9.5 8 3l5.5 6.5M4 8v5h8V8',
    tasks: 'M2.5 4h1M6 4h7.5M2.5 8h1M6 8h7.5M2.5 12h1M6 12h7.5',
    jobs: 'M5 4h2.5M8.5 12H11M5.5 8h1a2 2 0 0 0 2-2V5.5M6.5 8a2 2 0 0 1 2 2v.5 M2 3h3v2H2zM8.5 3h5v2.5h-5zM11 10.5h3v3h-3z',
    workers: 'M3 2.5h10v4.5H3zM3 9h10v4.5H3zM5.5 4.750h.010M5.5 11.250h.010M8 4.750h2.5M8 11.250h2.5',
    recovery: 'M8 13.5s-5.5-3.2-5.5-7A3 3 0 0 1 8 4.8a3 3 0 0 1 5.5 1.7c0 3.8-5.5 7-5.5 7zM4.5 8h2l1-2 1.5 3.5 1-1.5h1.5',
    queues: 'M2.5 3.5h11M2.5 6.5h11M2.5 9.5h11M2.5 12.5h6',
    schedules: 'M3 3.5h10v10H3zM3 6.5h10M5.5 2v2.5M10.5 2v2.5',
    catalog: 'M3 2.5h7.5L13 5v8.5H3zM6 7h4M6 10h4',
    access: 'M6 10a3.5 3.5 0 1 1 2.8-1.4L14 13.5M11.5 11.2l-1.5 1.5',
    audit: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2',
    clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.2 1.5',
    hand: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.5 8h5M8.5 6l2 2-2 2',
    running: 'M8 2a6 6 0 1 1-5.4 3.4',
    check: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.3 8.2l1.9 1.9 3.5-3.9',
    cross: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6 6l4 4M10 6l-4 4',
    slash: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM3.9 12.1l8.2-8.2',
    hourglass: 'M4.5 2.5h7M4.5 13.5h7M5.3 2.5c0 3 2.7 3.5 2.7 5.5s-2.7 2.5-2.7 5.5M10.7 2.5c0 3-2.7 3.5-2.7 5.5s2.7 2.5 2.7 5.5',
    pause: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.5 6v4M9.5 6v4',
    skip: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.2 6l2 2-2 2M8.4 6l2 2-2 2',
    warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.3v.010',
    info: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.3v3.5M8 5.2v.010',
    pulse: 'M1.5 8.5h3L6.5 4l3 8 2-3.5h3',
    drain: 'M8 2v8M4.8 7 8 10.2 11.2 7M3 13.5h10',
    moon: 'M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5z',
    sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
    screen: 'M2 3h12v8H2zM6 13.5h4M8 11v2.5',
    copy: 'M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3',
    search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2',
    menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
    close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
    right: 'M6 3.5 10.5 8 6 12.5',
    down: 'M3.5 6 8 10.5 12.5 6',
    up: 'M3.5 10 8 5.5l4.5 4.5',
    play: 'M5 3.5v9l7.5-4.5z',
    retry: 'M13 8a5 5 0 1 1-1.5-3.6L13 6M13 2.5V6H9.5',
    bolt: 'M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z',
    child: 'M3 3h6v4H3zM7 9.5h6v4H7zM5 7v4.5h2',
    user: 'M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM3 13.5c.3-2.5 2.3-4 5-4s4.7 1.5 5 4',
    exit: 'M9.5 3H3.5v10h6M7 8h7M11.5 5.5 14 8l-2.5 2.5',
    plus: 'M8 3v10M3 8h10',
    fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
    flag: 'M4 14V2.5h8l-2 3 2 3H4',
} as const;
export type IconName = keyof typeof drawings;

/** Hidden from screen readers: the text beside it says the same. */
export function Icon({ name, size = 16, className = '' }: { name: IconName; size?: number; className?: string }) {
    return (
        <svg className={`icon ${className}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d={drawings[name]} />
        </svg>
    );
}
