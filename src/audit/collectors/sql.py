"""Prints the rows of queries, and the state of migrations, of the databases of a service, as JSON.

With `scan` in INPUT, also what each migration changes that was not applied, and the size of its tables.

INPUT has `databases`: for each the name, the environment variable and the section of its connection, its
queries, and the directory of its migrations in the image. `cells` repeats queries in each cell of nova. All
queries are read in one read-only transaction. Connections never leave the pod.
"""
import ast
import configparser
import glob
import importlib.util
import json
import os
import re
import sys
import urllib.parse

import pymysql
import pymysql.cursors


def connection_url(database):
    url = os.environ.get(database['variable'])
    if url:
        return url
    parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    parser.read(sorted(glob.glob('/etc/%s/**/*.conf' % database['service'], recursive=True)))
    if parser.has_option(database['section'], 'connection'):
        return parser.get(database['section'], 'connection').replace('$$', '$')
    raise LookupError('neither %s nor [%s]connection is set' % (database['variable'], database['section']))


# As SQLAlchemy reads it (sqlalchemy: engine/url.py): a password may have characters that end it for urllib.
URL = re.compile(
    r'(?P<scheme>[\w+]+)://(?:(?P<username>[^:/]*)(?::(?P<password>[^@]*))?@)?'
    r'(?:\[(?P<ipv6>[^/?]+)\]|(?P<hostname>[^/:?]+))?(?::(?P<port>\d+))?(?:/(?P<path>[^?]*))?(?:\?(?P<query>.*))?')


def parts_of(url):
    found = URL.fullmatch(url)
    if found is None:
        raise LookupError('the connection is no URL')
    parts = {name: value or '' for name, value in found.groupdict().items()}
    parts['hostname'] = parts.pop('ipv6') or parts['hostname']
    return parts


def connect(url):
    parts = parts_of(url)
    query = urllib.parse.parse_qs(parts['query'])
    ssl = {name[4:]: query[name][0] for name in ('ssl_ca', 'ssl_cert', 'ssl_key') if name in query}
    return pymysql.connect(
        host=parts['hostname'], port=int(parts['port'] or 3306), user=urllib.parse.unquote(parts['username']),
        password=urllib.parse.unquote(parts['password']), database=parts['path'],
        charset='utf8mb4', ssl=ssl or None, connect_timeout=10, read_timeout=120,
        cursorclass=pymysql.cursors.DictCursor)


def rows(cursor, queries):
    found = {}
    for name, query in queries.items():
        cursor.execute(query)
        found[name] = cursor.fetchall()
    return found


def revisions(package, directory):
    """Returns the migrations of the image: each with those that it follows or depends on, and its file."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    root = os.path.join(list(spec.submodule_search_locations)[0], directory)
    found = {}
    for path in glob.glob(os.path.join(root, '**', '*.py'), recursive=True):
        values = values_of(parsed(path))
        if isinstance(values.get('revision'), str):
            follows = names(values.get('down_revision')) + names(values.get('depends_on'))
            found[values['revision']] = (follows, path)
    return found or None


def parsed(path):
    with open(path, encoding='utf-8') as text:
        return ast.parse(text.read())


def values_of(module):
    values = {}
    for node in module.body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, 'targets', [])
        for target in targets:
            if isinstance(target, ast.Name):
                values[target.id] = constant(node.value, values)
    return values


def constant(node, values):
    if isinstance(node, ast.Name):
        return values.get(node.id)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def names(value):
    return [value] if isinstance(value, str) else [each for each in value or () if isinstance(each, str)]


def schema(cursor, database):
    known = revisions(database['service'], database['migrations'])
    cursor.execute('SELECT version_num FROM alembic_version')
    applied = [row['version_num'] for row in cursor.fetchall()]
    if known is None:
        return {'applied': applied, 'known': None, 'pending': [], 'unknown': []}
    reached, rest = set(), list(applied)
    while rest:
        revision = rest.pop()
        if revision not in reached:
            reached.add(revision)
            rest.extend(known.get(revision, ([], ''))[0])
    pending = sorted(set(known) - reached)
    unknown = sorted(set(applied) - set(known))
    # To an image that does not know the schema, all its migrations look new.
    new = {} if unknown else {each: known[each][1] for each in pending}
    return {
        'applied': applied,
        'known': len(known),
        'pending': pending,
        'unknown': unknown,
        **({'steps': steps(cursor, new)} if INPUT.get('scan') else {}),
    }


# What a migration does to a table that has rows, by the function of alembic, of which one depends on its arguments; and
# by statements of SQL.
FUNCTIONS = {
    'drop_table': 'drops the table',
    'rename_table': 'renames the table',
    'drop_column': 'drops the column',
    'alter_column': None,
}
STATEMENTS = [(re.compile(pattern, re.I), does) for pattern, does in (
    (r'\s*DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?`?(?P<table>\w+)', 'drops the table'),
    (r'\s*RENAME\s+TABLE\s+`?(?P<table>\w+)', 'renames the table'),
    (r'\s*ALTER\s+TABLE\s+`?(?P<table>\w+)`?\s.*\bDROP\s+COLUMN\s+`?(?P<column>\w+)', 'drops the column'),
    (r'\s*ALTER\s+TABLE\s+`?(?P<table>\w+)`?\s.*\b(?:CHANGE|RENAME\s+COLUMN)\s+`?(?P<column>\w+)', 'renames the column'),
    (r'\s*ALTER\s+TABLE\s+`?(?P<table>\w+)`?\s.*\bMODIFY\s+(?:COLUMN\s+)?`?(?P<column>\w+)', 'changes the type of the column'),
    (r'\s*ALTER\s+TABLE\s+`?(?P<table>\w+)`?\s.*\bCONVERT\s+TO\b', 'rewrites the table'),
)]


def altered(options):
    if 'new_column_name' in options:
        return 'renames the column'
    if 'type_' in options:
        return 'changes the type of the column'
    return 'allows no NULL in the column' if options.get('nullable') == 'False' else None


def text_of(node, values):
    """The string of an expression: a constant, one with known names in it, or `text()` of one; else None."""
    if isinstance(node, ast.Call) and node.args and getattr(node.func, 'attr', getattr(node.func, 'id', '')) == 'text':
        return text_of(node.args[0], values)
    if isinstance(node, ast.JoinedStr):
        parts = [text_of(each.value if isinstance(each, ast.FormattedValue) else each, values) for each in node.values]
        return None if None in parts else ''.join(parts)
    found = constant(node, values)
    return found if isinstance(found, str) else None


def operations(node, values, batches=()):
    """Yields what the calls below a node do, without those of a downgrade; `batches` are tables by name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) and child.name.startswith('downgrade'):
            continue
        items = constant(child.iter, values) if isinstance(child, ast.For) else None
        if isinstance(items, (list, tuple)) and isinstance(child.target, ast.Name):
            for item in items:
                yield from operations(child, {**values, child.target.id: item}, batches)
            continue
        inner = dict(batches)
        for item in child.items if isinstance(child, ast.With) else []:
            call, name = item.context_expr, item.optional_vars
            if isinstance(call, ast.Call) and getattr(call.func, 'attr', '') == 'batch_alter_table':
                inner[getattr(name, 'id', '')] = argument(call, 0, 'table_name', values)
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            yield from operation(child, values, inner)
        yield from operations(child, values, inner)


def argument(call, position, name, values):
    """An argument of a call, by its position or its name; None if it is not known."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return text_of(keyword.value, values)
    return text_of(call.args[position], values) if position < len(call.args) else None


def operation(call, values, batches):
    owner = getattr(call.func.value, 'id', '')
    if call.func.attr == 'execute' and call.args:
        statement = text_of(call.args[0], values)
        for pattern, does in STATEMENTS if statement else []:
            found = pattern.match(statement)
            if found:
                yield {'does': does, **found.groupdict()}
                return
        if statement is None and owner == 'op':
            yield {'does': 'executes SQL that it computes', 'table': None}
    if call.func.attr not in FUNCTIONS:
        return
    options = {each.arg: ast.unparse(each.value) for each in call.keywords}
    does = FUNCTIONS[call.func.attr] or altered(options)
    if does is None:
        return
    position = 0 if owner in batches else 1
    found = {'does': does, 'table': batches[owner] if owner in batches else argument(call, 0, 'table_name', values)}
    if call.func.attr.endswith('_column'):
        found['column'] = argument(call, position, 'column_name', values)
    yield found


def steps(cursor, files):
    """Returns what the migrations of these files do, with the rows and bytes of each table."""
    found = [
        {'revision': revision, 'branch': 'contract' if '/contract/' in path else None, **each}
        for revision, path in files.items()
        for module in [parsed(path)]
        for each in operations(module, values_of(module))
    ]
    cursor.execute(
        'SELECT table_name name, COALESCE(table_rows, 0) row_count, COALESCE(data_length + index_length, 0) bytes '
        'FROM information_schema.tables WHERE table_schema = DATABASE()')
    sizes = {row['name']: row for row in cursor.fetchall()}
    for step in found:
        size = sizes.get(step['table'], {})
        step['rows'], step['bytes'] = int(size.get('row_count', 0)), int(size.get('bytes', 0))
    return found


def read(url, database):
    with connect(url) as connection, connection.cursor() as cursor:
        cursor.execute('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ')
        cursor.execute('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
        found = rows(cursor, database.get('queries', {}))
        if 'migrations' in database:
            found['schema'] = schema(cursor, database)
        cells = database.get('cells')
        if cells:
            cursor.execute("SELECT COALESCE(NULLIF(name, ''), uuid) name, database_connection FROM cell_mappings")
            mapped = cursor.fetchall()
            found['cells'] = {
                cell['name']: read(cell_url(cell['database_connection'], cells), cells) for cell in mapped}
            if len(found['cells']) < len(mapped):
                raise LookupError('several cells have the same name')
    return found


def cell_url(template, database):
    """Fills in the parts of the main connection, as nova does (nova/objects/cell_mapping.py)."""
    if '{' not in template:
        return template
    try:
        return template.format(fragment='', **parts_of(connection_url(database)))
    except (KeyError, IndexError, ValueError):
        raise LookupError('the connection of a cell has unknown fields') from None


def main():
    found = {database['name']: read(connection_url(database), database) for database in INPUT['databases']}
    json.dump(found, sys.stdout, default=str)


try:
    main()
except (pymysql.MySQLError, LookupError) as error:
    sys.exit('%s: %s' % (type(error).__name__, error))
except Exception as error:  # Its message may quote a connection with its password.
    sys.exit('%s in the collector of the database' % type(error).__name__)
