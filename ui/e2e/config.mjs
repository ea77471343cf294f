/** The configuration of the server and the workers in the tests. */
export const config = `
worker: { heartbeat_interval: 500ms, snapshot_interval: 1s }
tasks:
  greet:
    script: 'echo "Hello, $NAME"; echo "a warning" >&2; echo "{\\"greeting\\": \\"Hello, $NAME\\"}" > $HOLDFAST_RESULT'
    env: { NAME: "{{ input.name }}" }
  slow:
    script: 'for i in 1 2 3 4 5 6 7 8 9; do holdfast progress 0.$i "part $i of 9"; echo "part $i"; sleep 1; done; sleep 120'
  fails: { script: 'echo "cannot go on" >&2; exit 3' }
workflows:
  release:
    description: Fetch, build the pictures, ask, and report
    input:
      day: { type: text, required: true, description: the day to release }
      mode: { type: text, enum: [full, quick], default: full }
      copies: { type: integer, default: 2 }
    steps:
      fetch: { script: 'echo fetched; echo "[\\"a\\",\\"b\\",\\"c\\"]" > $HOLDFAST_RESULT' }
      pictures: { for_each: "{{ steps.fetch.output }}", script: 'echo "picture $ITEM"', env: { ITEM: "{{ item }}" }, depends_on: fetch }
      allow: { approval: "Release {{ input.day }}?", depends_on: pictures }
      report: { workflow: report, depends_on: allow }
  report:
    steps:
      render: { script: 'echo rendered' }
      send: { script: 'echo sent', depends_on: render }
  broken:
    steps:
      one: { script: 'echo fine' }
      two: { script: 'echo "no such file" >&2; exit 1', depends_on: one }
      three: { script: 'echo never', depends_on: two }
schedules:
  nightly: { workflow: report, cron: "30 2 * * *", zone: Europe/Berlin }
`;
