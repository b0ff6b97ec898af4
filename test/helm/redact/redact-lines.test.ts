import {expect, it} from 'vitest'
import {redactLines} from '../../../src/helm/redact/redact-lines.ts'

it.each([
  ['password = hunter2', 'password = ***'],
  ['  admin_token: abc def', '  admin_token: ***'],
  ['"apiKey": "abc",', '"apiKey": ***'],
  ['- secret: abc', '- secret: ***'],
  ['connection = mysql://keystone:hunter2@db/keystone', 'connection = mysql://keystone:***@db/keystone'],
  ['region = RegionOne\npassword=x', 'region = RegionOne\npassword=***'],
  ['oops password=SEK1', 'oops password=***'],
  ['db password: SEK2 of nova', 'db password: ***'],
  ['{"user": "a", "password": "SEK5"}', '{"user": "a", "password": ***'],
  ['"{\\"password\\": \\"SEK5\\"}"', '"{\\"password\\": ***'],
  ['run --db-password=SEK6', 'run --db-password=***'],
  ['Authorization: Bearer abcdefgh', 'Authorization: ***'],
  ['sent Bearer eyJhbGciOiJI', 'sent Bearer ***'],
  ['a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb', 'a\n***\nb'],
  ['password:\n  hunter2\nuser: a', 'password:\n  ***\nuser: a'],
  ['[db]\npassword =\n\n  "hunter2"', '[db]\npassword =\n\n  ***'],
  ['- token: |\n    a: b\n\n    c\n  user: a', '- token: |\n    ***\n\n    ***\n  user: a'],
  ['tokens: # two\n  - abc\n  - def\nx', 'tokens: ***\n  - ***\n  - ***\nx'],
  ['tokens:\n- abc\n- def\nuser: a', 'tokens:\n- ***\n- ***\nuser: a'],
  ['secrets:\n  name: nova\n  token: abc', 'secrets:\n  name: nova\n  token: ***'],
  ['password:\nuser: a', 'password:\nuser: a'],
  ['passwords:\n  admin: abc\n  user: "def"\nregion: x', 'passwords:\n  admin: ***\n  user: ***\nregion: x'],
  [
    'passwords:\n  db:\n    admin: abc\n  max_length: 9',
    'passwords:\n  db:\n    admin: ***\n  max_length: 9',
  ],
  [
    'keystone_authtoken:\n  auth_url: x\n  password: y',
    'keystone_authtoken:\n  auth_url: x\n  password: ***',
  ],
  ['[db]\npassword = abc\n  def\nuser = a', '[db]\npassword = ***\n  ***\nuser = a'],
  ['password: "abc\n  def"\nuser: a', 'password: ***\n  ***\nuser: a'],
  ['{"token": "abc\ndef",\n"a": 1}', '{"token": ***\n***\n"a": 1}'],
  ['password: abc\n  user: a', 'password: ***\n  user: a'],
  ['mysql --user root --password hush -h db', 'mysql --user root --password *** -h db'],
  ["run --db-password 'a b' --verbose", 'run --db-password *** --verbose'],
  ['run --password=hush \\\n  --user a', 'run --password=***\n  --user a'],
  ['run --password $DB_PASSWORD --token "${TOKEN}"', 'run --password $DB_PASSWORD --token "${TOKEN}"'],
  [
    '{\n  "passwords": {\n    "admin": "abc"\n  },\n  "a": 1\n}',
    '{\n  "passwords": {\n    "admin": ***\n  },\n  "a": 1\n}',
  ],
  ['"tokens": [\n  "abc",\n  "def"\n],\n"a": 1', '"tokens": [\n  ***\n  ***\n],\n"a": 1'],
  ['passwords: {a: b,\n  c: d}\nuser: a', 'passwords: ***\n  c: ***\nuser: a'],
  ["password: 'it''s\n  abc'\nuser: a", 'password: ***\n  ***\nuser: a'],
  ['[passwords]\nadmin = abc\n[db]\nuser = a', '[passwords]\nadmin = ***\n[db]\nuser = a'],
  ['[token]\nhash = abc', '[token]\nhash = abc'],
  ['passwords.admin=abc', 'passwords.admin=***'],
  ['- {name: DB_PASSWORD, value: abc}', '- {name: DB_PASSWORD, value: ***'],
  [
    '- name: DB_PASSWORD\n  value: abc\n- name: A\n  value: b',
    '- name: DB_PASSWORD\n  value: ***\n- name: A\n  value: b',
  ],
  [
    '- name: DB_PASSWORD\n  value: |\n    abc\n- name: A',
    '- name: DB_PASSWORD\n  value: |\n    ***\n- name: A',
  ],
  [
    '- name: DB_PASSWORD\n  valueFrom: {secretKeyRef: {name: a, key: b}}',
    '- name: DB_PASSWORD\n  valueFrom: {secretKeyRef: {name: a, key: b}}',
  ],
  ['["mysql", "--password", "abc", "-h", "db"]', '["mysql", "--password", ***, "-h", "db"]'],
  ['- --password\n- abc\n- -h\n- db', '- --password\n- ***\n- -h\n- db'],
  [
    '- --password\n- $(DB_PASSWORD)\n- --password\n- --user',
    '- --password\n- $(DB_PASSWORD)\n- --password\n- --user',
  ],
  ['<user>a</user><password>abc</password>', '<user>a</user><password>***</password>'],
  ["CREATE USER nova IDENTIFIED BY 'abc';", 'CREATE USER nova IDENTIFIED BY ***;'],
  ['openssl --key /etc/tls/tls.key --password "abc"', 'openssl --key /etc/tls/tls.key --password ***'],
  ['run --password --user root', 'run --password --user root'],
  ['"identity:revoke_token": "rule:admin_required"', '"identity:revoke_token": "rule:admin_required"'],
  ['secretKeyRef:\n  name: nova\n  key: DB_PASSWORD', 'secretKeyRef:\n  name: nova\n  key: DB_PASSWORD'],
  ['- secretKeyRef: {name: nova, key: DB_PASSWORD}', '- secretKeyRef: {name: nova, key: DB_PASSWORD}'],
  ['imagePullSecrets:\n  - name: registry', 'imagePullSecrets:\n  - name: registry'],
  [
    'secrets:\n  identity:\n    admin: nova-keystone-admin\n    nova: S3cret',
    'secrets:\n  identity:\n    admin: nova-keystone-admin\n    nova: ***',
  ],
  ['user:\n  ada', 'user:\n  ada'],
  ['password = {{ .Values.password }}', 'password = {{ .Values.password }}'],
  ['password: ""', 'password: ""'],
  ['session_cookie = false', 'session_cookie = false'],
  ['authorization: RBAC', 'authorization: RBAC'],
  ['use Bearer authentication', 'use Bearer authentication'],
  ['token_provider', 'token_provider'],
  ['debug = true', 'debug = true'],
])('%j is shown as %j', (text, shown) => {
  expect(redactLines(text)).toBe(shown)
})

it.each([
  ['long words', `x = ${'a'.repeat(200_000)}`],
  ['many values', 'value: a, '.repeat(20_000)],
  ['many flags', '-ab "'.repeat(40_000)],
  ['many elements', '<a>b'.repeat(50_000)],
  ['many references', 'secretKeyRef: {key: a} '.repeat(10_000)],
])('is quick with %s', (_, text) => {
  expect(redactLines(text)).toContain(text.slice(0, 5))
})
