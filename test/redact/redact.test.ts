import {createHash} from 'node:crypto'
import {describe, expect, it} from 'vitest'
import {redactor} from '../../src/redact/redact.ts'

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

describe('redactor', () => {
  it.each([
    ['text under a secret key', {password: 'hunter2'}, 'wrong: hunter2.', 'wrong: ***.'],
    ['text anywhere below one', {secrets: {db: ['hunter2']}}, 'wrong: hunter2', 'wrong: ***'],
    ['a number', {password: 12345678}, 'got 12345678', 'got ***'],
    [
      'the password in a URL',
      {connection: 'mysql://nova:hunter2@db/nova'},
      'cannot use hunter2',
      'cannot use ***',
    ],
    ['what Go has quoted', {token: 'a"b\nc-d-e-f'}, 'value "a\\"b\\nc-d-e-f"', 'value "***"'],
    ['each line of a key', {private_key: 'BEGIN KEY\nabcdefgh\nEND KEY'}, 'at abcdefgh: bad', 'at ***: bad'],
    ['base64', {password: 'hunter2'}, 'data: aHVudGVyMg==', 'data: ***'],
    ['an escaped URL', {password: 'hunt er/2'}, 'http://a:hunt%20er%2F2@b', 'http://a:***@b'],
    [
      'characters of regular expressions',
      {password: 'a+(b)*[c]{1}'},
      'saw a+(b)*[c]{1} there',
      'saw *** there',
    ],
    [
      'the longest of several',
      {password: 'hunter2', token: 'hunter2-hunter2'},
      'x hunter2-hunter2 y',
      'x *** y',
    ],
    ['a line of a text', {conf: 'debug = true\npassword = "hunter2"'}, 'wrong: hunter2.', 'wrong: ***.'],
    ['the value of a named item', {env: [{name: 'DB_PASSWORD', value: 'hunter2'}]}, 'got hunter2', 'got ***'],
    ['a long one inside a word', {password: 'correcthorsebattery'}, 'xcorrecthorsebatteryx', 'x***x'],
    [
      'a number as templates of Go write it',
      {pin: {password: 918273645546}},
      'pin: "9.18273645546e+11"',
      'pin: "***"',
    ],
    ['a number of seven digits, too', {password: 1234567}, 'pin: "1.234567e+06"', 'pin: "***"'],
    [
      'a number as schema errors of helm write it',
      {num_password: 918273645546},
      "- at '/x': maximum: got 9.18273645546×10¹¹, want 3",
      "- at '/x': maximum: got ***, want 3",
    ],
    ['a number with its digits in groups', {password: 123456}, 'got 123,456 here', 'got *** here'],
    ['a number in the API server', {password: '73195284'}, '{Value:73195284}', '{Value:***}'],
    ['a text that is an octal number without quotes', {password: '01234567'}, 'got 342391', 'got ***'],
    [
      'base64 of a user and a password',
      {password: 'hunter2'},
      `Basic ${base64('nova:hunter2')}`,
      'Basic ***',
    ],
    ['base64 at another place', {password: 'hunter2'}, `"auth":"${base64('x:hunter2')}"`, '"auth":"***"'],
    [
      'base64 for URLs',
      {password: 'hunter2??>>'},
      Buffer.from('glance:hunter2??>>').toString('base64url'),
      '***',
    ],
    ['hex', {password: 'hunter2'}, `x${Buffer.from('hunter2').toString('hex')}`.slice(1), '***'],
    [
      'signs that oslo.config wants doubled',
      {password: 'hunt$er%2'},
      'is hunt$$er%%2 or hunt$er%%2',
      'is *** or ***',
    ],
    ['another case', {password: 'Hunter2'}, 'HUNTER2 hunter2', '*** ***'],
    ['a short one behind an option', {password: 'abc'}, 'run --password=abc', 'run --password=***'],
    ['a short one behind a key', {password: 'abc'}, 'abc: 1, password: abc', 'abc: 1, password: ***'],
    ['a common word behind a key', {password: 'password'}, 'password: password', 'password: ***'],
    ['a short one of several kinds of signs', {password: 'ab12'}, 'wrong: ab12.', 'wrong: ***.'],
    [
      'a short one that the API server quotes',
      {password: 'abc'},
      'spec.clusterIPs[0]: Invalid value: "abc": must be a valid IP address, abc',
      'spec.clusterIPs[0]: Invalid value: "***": must be a valid IP address, abc',
    ],
  ])('masks %s', (_, values, text, masked) => {
    expect(redactor(values)(text)).toBe(masked)
  })

  it.each([
    ['other values', {region: 'RegionOne'}, 'in RegionOne'],
    ['settings of tokens', {token: {provider: 'fernet-provider'}}, 'no fernet-provider'],
    ['the word itself', {password: 'password', url: 'a://b:secret@c'}, 'no password in the secret'],
    ['short texts', {password: 'admin'}, 'user admin'],
    ['a part of a word', {password: 'keyston'}, 'keystone/templates/a.yaml'],
    ['a setting of a file that is secret', {secret: 'debug = 300s\nroot_pw = abcdefg'}, 'after 300s'],
    ['what is no base64 of a secret', {password: 'hunter2'}, base64('nova:hunter3')],
    ['anything without values', {}, 'Error: need b'],
  ])('does not mask %s', (_, values, text) => {
    expect(redactor(values)(text)).toBe(text)
  })

  it('masks values that helm could not merge, in the messages of both majors', () => {
    const redact = redactor({})

    expect(
      redact('coalesce.go:316: warning: cannot overwrite table with non table for c.auth (map[pw:x(y)])'),
    ).toBe('coalesce.go:316: warning: cannot overwrite table with non table for c.auth (***)')
    expect(
      redact(
        'level=INFO msg="warning: destination for c.auth is a table. Ignoring non-table value (sesame)"',
      ),
    ).toBe('level=INFO msg="warning: destination for c.auth is a table. Ignoring non-table value (***)"')
  })

  it('masks a chart default that its schema rejects, if its key looks secret', () => {
    const redact = redactor({})

    expect(redact("- at '/auth/password': 'abc' does not match pattern '^x$'")).toBe(
      "- at '/auth/password': '***' does not match pattern '^x$'",
    )
    expect(redact("- at '/region': 'abc' does not match pattern '^x$'")).toContain("'abc'")
    expect(redact("- at '/auth/pin_password': maximum: got 12,345, want 3")).toBe(
      "- at '/auth/pin_password': maximum: got ***, want 3",
    )
    expect(redact("- at '/replicas': maximum: got 12, want 3")).toContain('got 12,')
  })

  it.each([
    ["yaml: unknown anchor 'S3cret' referenced", "yaml: unknown anchor '***' referenced"],
    ["yaml: anchor 'S3cret' value contains itself", "yaml: anchor '***' value contains itself"],
    [
      'yaml: line 2: cannot unmarshal !!str `S3cret` into int',
      'yaml: line 2: cannot unmarshal !!str `***` into int',
    ],
    ['yaml: cannot decode !!str `S3cret` as a !!int', 'yaml: cannot decode !!str `***` as a !!int'],
  ])("masks values that helm's YAML quotes: %s", (text, masked) => {
    expect(redactor({})(`Error: error converting YAML to JSON: ${text}`)).toBe(
      `Error: error converting YAML to JSON: ${masked}`,
    )
  })

  const definitions = JSON.stringify(
    {
      permissions: [],
      policies: [{'apply-to': 'queues', priority: 0, pattern: '^(?!amq\\.).*'}],
      users: [{name: 'keystone', password: 'S3cret-X'}],
    },
    null,
    2,
  ).replace('[]', '[\n  ]')

  it.each([
    ['a key of JSON', definitions, '"permissions": []'],
    ['a word that is a value', definitions, '"queues": []'],
    ['brackets', '[[[[[[\nS3cret-X', '[[[[[['],
    ['the header of a section', '[oslo_policy]\npassword = S3cret-X', '[oslo_policy]\nx = 1'],
    ['a comment', '# Kept by the operator\nS3cret-X', '# Kept by the operator'],
    ['a key of YAML', 'backends:\n  - S3cret-X', 'backends:\n  - a'],
    ['the name of a host', 'host = db.openstack.svc\npassword = S3cret-X', 'host = db.openstack.svc'],
    ['a path', 'cacertfile: /etc/ssl/ca.crt\npassword: S3cret-X', 'cacertfile: /etc/ssl/ca.crt'],
  ])('does not mask common lines of a multi-line secret: %s', (_, secret, text) => {
    const redact = redactor({secret})

    expect(redact(text)).toBe(text)
    expect(redact('got S3cret-X')).toBe('got ***')
  })

  it.each([
    ['a value of JSON', definitions, '^(?!amq\\\\.).*'],
    ['an option that is commented out', '# x\n#password = S3cret', 'S3cret'],
    ['a word under a key that looks secret', 'a: b\npassword: sunshine', 'sunshine'],
    ['a line of a key', '-----BEGIN X-----\nkey=abcdef\n-----END X-----', 'key=abcdef'],
    ['a line of base64', 'AQBxdcdk\nZmVybmV0==', 'ZmVybmV0=='],
    ['a line without a key', 'first one\nadmin:$2y$10$abc', 'admin:$2y$10$abc'],
  ])('masks, of a multi-line secret, %s', (_, secret, text) => {
    expect(redactor({secret})(`got <${text}>`)).toBe('got <***>')
  })

  it('masks a megabyte of secrets, each in every form', () => {
    const keys = Array.from({length: 8000}, (_, at) => createHash('sha512').update(`${at}`).digest('hex'))
    const redact = redactor({secrets: keys})

    expect(redact(`${keys[0]}, x${keys[1]}x, ${at64(keys[2]!)}, ${at64(keys[7999]!)}`)).toBe(
      '***, x***x, ***, ***',
    )
    expect(redact('of nobody')).toBe('of nobody')
  })

  it('masks a string of many lines that is too long for one regular expression', () => {
    const lines = Array.from(
      {length: 700},
      (_, at) => `line ${at}: ${createHash('md5').update(`${at}`).digest('hex')}`,
    )
    const redact = redactor({secret: lines.join('\n')})

    expect(redact(`at 3: "${lines[3]}", all: ${at64(lines.join('\n'))}`)).toBe('at 3: "***", all: ***')
  })

  it.each([
    ['warnings', 'warning: '.repeat(100_000)],
    ['schema errors', "at 'a': '".repeat(100_000)],
    ['brackets', `${'('.repeat(100_000)}warning: non-table value`],
  ])('is fast with many %s', (_, text) => {
    expect(redactor({})(text)).toBe(text)
  })

  it('is fast with blanks inside a possible secret', () => {
    const redact = redactor({conf: `password = a${' '.repeat(200_000)}b`})

    expect(redact('nothing')).toBe('nothing')
  })
})

function at64(text: string): string {
  return Buffer.from(text).toString('base64')
}
