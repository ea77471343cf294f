"""The figures of a comparison as people read them: text tables, and docs/performance.md."""
import re
import statistics

# The file that bench/compare writes: {"made", "short", "rounds", "commit", "changed", "machine", "postgres",
# "missing", "failures", "topics"}. A topic is {"name", "title", "figures": [{"label", "unit", "less_is_better"}],
# "rows"}, a row {"what", "who", "setting", "command", "is_holdfast", "floor", "aim", "values", "runs"}: the values of
# each figure in all rounds, and {"load", "busy_cores", "busy"} just before each round.


def number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.2f}"


def cell(values):
    """The median, and the range where there are several."""
    if not values:
        return "-"
    median = number(statistics.median(values))
    return median if len(values) == 1 else f"{median} ({number(min(values))} – {number(max(values))})"


def heading(figure):
    label, unit = figure["label"], figure["unit"]
    return label if label.endswith(unit) else f"{label}, {unit}"


def first_median(row):
    return statistics.median(row["values"][0]) if row["values"] and row["values"][0] else None


def times_the_best_peer(topic, row):
    """How many times as fast as the fastest peer that does the same, by the first figure; None: there is none."""
    less = topic["figures"][0]["less_is_better"]
    peers = [first_median(other) for other in topic["rows"]
             if not other["is_holdfast"] and other["what"] == row["what"] and first_median(other)]
    own = first_median(row)
    if not row["is_holdfast"] or not peers or not own:
        return None
    return min(peers) / own if less else own / max(peers)


def verdict(topic, row):
    """Where the first figure stands between the floor and the aim; empty without a floor."""
    own, less = first_median(row), topic["figures"][0]["less_is_better"]
    if row["floor"] is None or own is None:
        return ""
    reaches = (lambda target: own <= target) if less else (lambda target: own >= target)
    if row["aim"] is not None and reaches(row["aim"]):
        return f"reaches its aim, {number(row['aim'])}"
    return f"{'reaches' if reaches(row['floor']) else 'MISSES'} its floor, {number(row['floor'])}"


def is_busy(row):
    return any(run["busy"] for run in row["runs"])


def compared(topic, row):
    times = times_the_best_peer(topic, row)
    return "" if times is None else f"{times:.2f} x"


def any_compared(topic):
    return any(compared(topic, row) for row in topic["rows"])


# ---- Text ---------------------------------------------------------------------------------------------------------

def aligned(lines):
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def text_table(topic, with_targets=True):
    lines = [["measure", "system", "setting", *map(heading, topic["figures"]), "best peer", "target", "machine"]]
    for row in topic["rows"]:
        load = "BUSY" if is_busy(row) else "quiet" if row["runs"] else ""
        lines.append([row["what"], row["who"], row["setting"], *map(cell, row["values"]), compared(topic, row),
                      verdict(topic, row) if with_targets else "", load])
    return f"{topic['title']}\n{aligned(lines)}\n"


def machine_lines(data):
    machine = data["machine"]
    settings = " ".join(f"{name}={value}" for name, value in data["postgres"].items())
    return [f"{machine['cores']} cores of {machine['model']}, {machine['memory_gb']} GB, {machine['kernel']}, "
            f"{machine['file_system']} with an fdatasync of {machine['sync_us']} us, {machine['priority']} priority",
            f"PostgreSQL: {settings}", "SQLite: journal_mode=WAL synchronous=FULL",
            f"Holdfast at commit {data['commit']}{', with local changes' if data['changed'] else ''}"]


# ---- The document -------------------------------------------------------------------------------------------------

def faults(data):
    """Why these figures may not be published, a sentence each."""
    found = []
    if data["short"]:
        found.append("It is a short run, whose figures mean nothing.")
    if data["rounds"] < 3:
        found.append("It has fewer than three rounds.")
    if data["machine"]["priority"] != "normal":
        found.append(f"It ran at {data['machine']['priority']} priority.")
    if data["changed"]:
        found.append("The sources had local changes: commit them first.")
    for name in ("fsync", "synchronous_commit", "full_page_writes"):
        if data["postgres"].get(name) != "on":
            found.append(f"PostgreSQL had {name} off.")
    if {data["machine"]["file_system"], data["postgres"].get("file_system")} & {"tmpfs", "ramfs"}:
        found.append("A database was in memory.")
    found += [f"No figure: {failure}" for failure in data["failures"]]
    for topic in data["topics"]:
        found += [f"The machine was busy during: {topic['name']}, {row['what']}, {row['who']}."
                  for row in topic["rows"] if is_busy(row)]
    return found


def markdown_table(topic):
    beside = ["beside the best peer"] if any_compared(topic) else []
    headings = ["measure", "system", "setting", *map(heading, topic["figures"]), *beside, "command"]
    lines = [headings, ["---"] * 3 + ["---:"] * (len(headings) - 4) + ["---"]]
    for row in topic["rows"]:
        ratio = [compared(topic, row)] if beside else []
        lines.append([row["what"], row["who"], row["setting"], *map(cell, row["values"]), *ratio,
                      f"`{row['command']}`"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def document(data, text):
    """The text with `{{machine}}`, `{{table NAME}}` and the like filled in. Every table must have its place."""
    tables = {f"table {topic['name']}": markdown_table(topic) for topic in data["topics"]}
    places = {**tables, "machine": "\n".join(machine_lines(data)), "date": data["made"][:10],
              "missing": " ".join(["Not in the tables:", *data["missing"]]) if data["missing"] else
              "All peers were installed."}
    used = set()

    def fill(match):
        used.add(match.group(1))
        return places[match.group(1)]

    filled = re.sub(r"\{\{([^}]+)\}\}", fill, text)
    unplaced = set(tables) - used
    if unplaced:
        raise ValueError(f"bench/performance.md has no place for {', '.join(sorted(unplaced))}")
    return filled
