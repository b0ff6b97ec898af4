{{- /*
The program of the component `status`. A chart declares what it asks as `service_status.checks`: queries, or a
script of its own, `NAME.py` with a function `check()` that returns a summary and the findings, or another one
that prints a line {"state", "summary", "findings"}.
*/ -}}
{{- define "common.scripts.service-status.py" -}}
"""Asks a service how it is, and logs the answer when it changes: {"state": "healthy|unhealthy|unknown", "summary", "findings"}.

With METRICS_PORT, serves the last answer to Prometheus."""
import datetime
import http.server
import importlib.util
import json
import os
import re
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse

# Another script that imports this one has no checks.
CHECKS = json.loads(os.environ.get("CHECKS", "{}"))
SCRIPTS = os.path.dirname(os.path.abspath(__file__))
FILES = os.environ.get("CONFIG_FILES", "/var/lib/kolla/config_files")
RESULT = os.path.join(os.environ.get("HOME", "/tmp"), "status.json")
# The readiness probe: the time of this file lies in the future while the last healthy answer counts.
MARK = os.path.join(os.environ.get("HOME", "/tmp"), "healthy")
FRESH_SECONDS = 60
PERIOD_SECONDS, PERIOD_SECONDS_UNTIL_HEALTHY = 15, 3
TIMEOUT_SECONDS = 10
MOST_FINDINGS = 20
STATES = ["healthy", "unhealthy", "unknown"]


def connection_of(section):
    """The URL of a database in the configuration of the service: a variable takes precedence over its files."""
    url = os.environ.get("OS_%s__CONNECTION" % section.upper())
    if url:
        return url
    import configparser

    options = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    options.read(sorted(os.path.join(FILES, name) for name in os.listdir(FILES)))
    if not options.has_option(section, "connection"):
        raise LookupError("the configuration has no connection in [%s]" % section)
    return options.get(section, "connection").replace("$$", "$")


# As SQLAlchemy reads it (sqlalchemy: engine/url.py): a password may have characters that end it for urllib.
URL = re.compile(
    r"(?P<scheme>[\w+]+)://(?:(?P<username>[^:/]*)(?::(?P<password>[^@]*))?@)?"
    r"(?:\[(?P<ipv6>[^/?]+)\]|(?P<hostname>[^/:?]+))?(?::(?P<port>\d+))?(?:/(?P<path>[^?]*))?(?:\?(?P<query>.*))?"
)


def parts_of(url):
    """The parts of a URL by their names; no error quotes it, because it has a password."""
    found = URL.fullmatch(url)
    if found is None:
        raise LookupError("the connection is no URL")
    parts = {name: value or "" for name, value in found.groupdict().items()}
    parts["hostname"] = parts.pop("ipv6") or parts["hostname"]
    return parts


def connect(url):
    parts = parts_of(url)
    if parts["scheme"] == "sqlite":
        import sqlite3

        return sqlite3.connect("/" + parts["path"])
    import pymysql

    authority = urllib.parse.parse_qs(parts["query"]).get("ssl_ca")
    return pymysql.connect(
        host=parts["hostname"],
        port=int(parts["port"] or 3306),
        user=urllib.parse.unquote(parts["username"]),
        password=urllib.parse.unquote(parts["password"]),
        database=parts["path"],
        ssl={"ca": authority[0]} if authority else None,
        connect_timeout=TIMEOUT_SECONDS,
        read_timeout=TIMEOUT_SECONDS,
    )


def select(url, query):
    connection = connect(url)
    try:
        cursor = connection.cursor()
        cursor.execute(query)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]
    finally:
        connection.close()


def databases(check):
    """The databases of a check: the one in its section or, as nova has cells, those whose URLs a query returns."""
    url = connection_of(check.get("section", "database"))
    if "cells" not in check:
        return [url]
    cells = select(connection_of(check["cells"]["section"]), check["cells"]["query"])
    return [cell_url(str(next(iter(cell.values()))), url) for cell in cells]


def cell_url(template, url):
    """Fills in the parts of the main connection, as nova does (nova/objects/cell_mapping.py)."""
    try:
        return template.format(fragment="", **parts_of(url))
    except (KeyError, IndexError, ValueError):
        raise LookupError("the connection of a cell has unknown fields") from None


def report_time(value):
    return datetime.datetime.fromisoformat(value) if isinstance(value, str) else value


def down(seen, seconds):
    """Why a service is down that has reported at this time (UTC); None if it is up."""
    if seen is None:
        return "down, it has never reported"
    now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    if (now - seen).total_seconds() <= seconds:
        return None
    return "down, no report since %sZ" % seen.isoformat(" ", "seconds")


def ask_databases(check):
    """Rows have a `name` and perhaps a `host`, a `problem`, and when they were last `seen`."""
    count, findings, present = 0, [], {}
    for row in [row for url in databases(check) for row in select(url, check["query"])]:
        name, host = row["name"], row.get("host")
        # A component that is switched off leaves its rows.
        if check["least"].get(name) == 0:
            continue
        problem = down(report_time(row["seen"]), check["down_after"]) if "seen" in row else None
        # The host is a pod, and another one may have replaced it: `least` is what counts.
        if problem and check.get("moves"):
            continue
        # Of one that is down, nothing else is said: gates excuse parts that are down on nodes that are away.
        problem = problem or row.get("problem")
        present[name] = present.get(name, 0) + 1
        if problem:
            findings.append("%s%s: %s" % (name, " on %s" % host if host and host != name else "", problem))
        else:
            count += 1
    for name, least in check["least"].items():
        if present.get(name, 0) < least:
            findings.append("%s: %d of %d %s" % (name, present.get(name, 0), least, "up" if "down_after" in check else "exist"))
    return "%s: %d" % (check["summary"], count) if "summary" in check else "", findings


MODULES = {}


def ask_script(name):
    path = os.path.join(SCRIPTS, name)
    if name.endswith(".py"):
        if name not in MODULES:
            spec = importlib.util.spec_from_file_location(name[:-3].replace("-", "_"), path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            MODULES[name] = module
        return MODULES[name].check()
    printed = subprocess.run(["bash", path], stdout=subprocess.PIPE, timeout=2 * TIMEOUT_SECONDS, check=True).stdout
    answer = json.loads(printed.splitlines()[-1])
    if answer["state"] == "unknown":
        raise RuntimeError("; ".join(answer.get("findings") or [answer["summary"]]))
    return answer["summary"], answer.get("findings", []) or ([answer["summary"]] if answer["state"] != "healthy" else [])


def cause(error):
    """One line of an error; the message of one that has a code before it."""
    has_code = len(error.args) == 2 and isinstance(error.args[0], int)
    text = str(error.args[1] if has_code else error)
    return (text.strip().splitlines() or [type(error).__name__])[0]


def ask():
    summaries, findings, unknown = [], [], []
    for name, check in CHECKS.items():
        try:
            summary, found = ask_script(check["script"]) if "script" in check else ask_databases(check)
            summaries += [summary] if summary else []
            findings += found
        except Exception as error:
            unknown.append("%s: %s" % (name, cause(error)))
    state = "unhealthy" if findings else "unknown" if unknown else "healthy"
    if len(findings) > MOST_FINDINGS:
        findings[MOST_FINDINGS:] = ["and %d more" % (len(findings) - MOST_FINDINGS)]
    return {"state": state, "summary": ", ".join(summaries), "findings": findings + unknown}


def write(answer):
    with open(RESULT + ".new", "w") as file:
        json.dump(answer, file)
    os.replace(RESULT + ".new", RESULT)
    if answer["state"] == "healthy":
        until = time.time() + FRESH_SECONDS
        with open(MARK, "a"):
            os.utime(MARK, (until, until))
    # After an unknown answer the last healthy one counts until it is old.
    elif answer["state"] == "unhealthy" and os.path.exists(MARK):
        os.remove(MARK)


class Metrics(http.server.BaseHTTPRequestHandler):
    """The last answer: whether each state is the present one, the findings, and the age."""

    answer, asked = {"state": "unknown", "findings": []}, time.time()
    timeout = 10

    def do_GET(self):
        states = ["kk_service_state{state=\"%s\"} %d" % (state, state == Metrics.answer["state"]) for state in STATES]
        lines = ["# TYPE kk_service_state gauge"] + states + [
            "# TYPE kk_service_findings gauge",
            "kk_service_findings %d" % len(Metrics.answer["findings"]),
            "# TYPE kk_service_age_seconds gauge",
            "kk_service_age_seconds %.1f" % (time.time() - Metrics.asked),
        ]
        body = ("\n".join(lines) + "\n").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Its log has the answers."""


class MetricsServer(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6 if ":" in os.environ.get("METRICS_ADDRESS", "") else socket.AF_INET

    def server_bind(self):
        # Not HTTPServer's, which looks the name of the address up.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]


def serve_metrics():
    port = os.environ.get("METRICS_PORT")
    if port:
        server = MetricsServer((os.environ["METRICS_ADDRESS"], int(port)), Metrics)
        threading.Thread(target=server.serve_forever, daemon=True).start()


def change_of(answer):
    """What makes a report worth a line: numbers in the summary are not, as a bus has more queues each minute."""
    return answer["state"], answer["findings"], re.sub("[0-9]+", "", answer["summary"])


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    if os.path.exists(MARK):
        os.remove(MARK)
    serve_metrics()
    logged = None
    while True:
        answer = ask()
        Metrics.answer, Metrics.asked = answer, time.time()
        write(answer)
        if change_of(answer) != logged:
            print(json.dumps(answer), flush=True)
            logged = change_of(answer)
        time.sleep(PERIOD_SECONDS if answer["state"] == "healthy" else PERIOD_SECONDS_UNTIL_HEALTHY)


if __name__ == "__main__":
    main()
{{ end -}}
