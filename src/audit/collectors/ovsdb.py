"""Prints the rows of tables of an OVSDB server, as JSON, read in one transaction.

INPUT has `database`, its `sockets` and `controls`, the paths at which images have them, and `tables` with
their columns.
"""
import glob
import json
import os
import re
import subprocess
import sys


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


def first(patterns):
    return next((path for pattern in patterns for path in sorted(glob.glob(pattern))), None)


def value(column):
    if not isinstance(column, list):
        return column
    kind, content = column
    if kind == 'map':
        return {str(name): value(each) for name, each in content}
    return [value(each) for each in content] if kind == 'set' else content


def members():
    """Returns the servers of a clustered database; None if it is not clustered."""
    control = first(INPUT['controls'])
    if control is None:
        return None
    try:
        status = run('ovs-appctl', '-t', control, 'cluster/status', INPUT['database'])
    except subprocess.CalledProcessError:
        return None
    return [{'id': id, 'address': address} for id, address in re.findall(r'^ +(\S+) \(\S+ at ([^)]+)\)', status, re.M)]


def main():
    socket = first(INPUT['sockets'])
    if socket is None:
        sys.exit('no socket of %s: %s' % (INPUT['database'], ' '.join(INPUT['sockets'])))
    names = list(INPUT['tables'])
    selects = [{'op': 'select', 'table': name, 'where': [], 'columns': INPUT['tables'][name]} for name in names]
    answer = json.loads(run(
        'ovsdb-client', '--no-leader-only', 'transact', 'unix:' + socket, json.dumps([INPUT['database']] + selects)))
    tables = {}
    for name, result in zip(names, answer):
        if 'rows' not in result:
            sys.exit('%s: %s' % (name, result))
        tables[name] = [{column: value(each) for column, each in row.items()} for row in result['rows']]
    json.dump({'tables': tables, 'members': members()}, sys.stdout)


try:
    main()
except (subprocess.SubprocessError, OSError) as error:
    sys.exit('%s: %s' % (error, (getattr(error, 'stderr', None) or '').strip()))
