import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {atNight} from '../../support/night.ts'
import {schemathesis} from './support/schemathesis.ts'
import {openWorkplace, type Serving, type Workplace} from './support/serving.ts'

const RABBITMQ = '/v1/helm_charts/rabbitmq?namespace=openstack'
const STORED = 'kept: true\n'

let workplace: Workplace
let server: Serving
beforeAll(async () => {
  workplace = await openWorkplace()
  server = await workplace.serve(['--log-level', 'warn'])
})
afterAll(() => workplace.remove())

const patch = (body: string | Uint8Array<ArrayBuffer>) =>
  fetch(server.url + RABBITMQ, {method: 'PATCH', headers: {'content-type': 'application/json'}, body})
const change = (values: object) => JSON.stringify({flag: 'reset', values})
const file = (text: string) => change({files: [text]})
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** Nine lists of ten of the one before: a thousand million items, if somebody counts them. */
const BOMB = Array.from({length: 9}, (_, at) =>
  at === 0
    ? 'l0: &l0 [x]'
    : `l${at}: &l${at} [${Array(10)
        .fill(`*l${at - 1}`)
        .join(', ')}]`,
).join('\n')

describe('the REST server under hostile input', () => {
  beforeAll(async () => {
    expect((await patch(file(STORED))).status).toBe(200)
  })

  it.each([
    ['a key of 64 KiB', file(`${'k'.repeat(65_536)}: 1`), 400],
    ['a key of 64 KiB in an expression', change({set: [`${'k'.repeat(65_536)}=1`]}), 400],
    ['an index of a billion', change({set: ['a[1000000000]=1']}), 400],
    ['an alias bomb', file(BOMB), 400],
    ['deeply nested maps', file(nested(10_000)), 400],
    ['deeply nested lists', file('['.repeat(100_000)), 400],
    ['a deeply nested expression', change({set: [`${'a.'.repeat(10_000)}a=1`]}), 400],
    ['__proto__ in JSON', '{"flag": "reset", "values": {}, "__proto__": {"x": 1}}', 400],
    ['__proto__ in YAML', file('a: {__proto__: {x: 1}}'), 400],
    ['__proto__ in an expression', change({set: ['__proto__.x=1']}), 400],
    [
      'constructor.prototype in JSON',
      '{"flag": "reset", "values": {}, "constructor": {"prototype": 1}}',
      400,
    ],
    ['no UTF-8', new Uint8Array([0x22, 0xc3, 0x28, 0x22]), 400],
    ['deeply nested JSON', nested(50_000), 400],
  ] as const)(
    'rejects %s with a clear error, survives and keeps the stored overrides',
    async (_, body, status) => {
      const answer = await patch(body)
      const {error} = (await answer.json()) as {error: {code: string; message: string; hint: string}}

      expect(answer.status, error.message).toBe(status)
      expect(error).toMatchObject({code: expect.stringMatching(/^KK_(?!BUG)/), hint: expect.any(String)})
      expect(error.message.length).toBeLessThan(500)
      expect(await (await fetch(server.url + RABBITMQ)).json()).toMatchObject({user_overrides: STORED})
    },
  )

  it('rejects 10 MB before they are sent, and continues a client that waits', async () => {
    const url = server.url + RABBITMQ
    const send = (input: string) =>
      execa(
        'curl',
        [
          ...['--silent', '--request', 'PATCH', '--header', 'content-type: application/json'],
          ...['--header', 'Expect: 100-continue', '--expect100-timeout', '600'],
          ...['--write-out', '\n%{size_upload}', '--data-binary', '@-', url],
        ],
        {input, lines: true},
      )
    const {stdout: refused} = await send('x'.repeat(10 * 2 ** 20))
    expect(JSON.parse(refused[0] ?? '')).toMatchObject({error: {code: 'KK_TOO_LARGE'}})
    expect(refused[1]).toBe('0')
    expect(await (await fetch(url)).json()).toMatchObject({user_overrides: STORED})

    const body = file(STORED)
    const {stdout: taken} = await send(body)
    expect(JSON.parse(taken[0] ?? '')).toMatchObject({user_overrides: STORED})
    expect(taken[1]).toBe(`${body.length}`)
  })

  it.each(['/v1/helm_charts/%zz', '/%c0%ae'])('reports the problem with the address %s', async (path) => {
    const answer = await fetch(server.url + path)

    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({error: {code: 'KK_USAGE'}})
  })

  atNight(() => {
    it('passes every schemathesis check of its OpenAPI document', async () => {
      const checks = [
        'not_a_server_error',
        'status_code_conformance',
        'content_type_conformance',
        'response_schema_conformance',
        'response_headers_conformance',
        'negative_data_rejection',
      ]
      // Its own list, and what HTTP has for a query of many thousand parameters (RFC 6585: 431).
      const refused = [400, 401, 403, 404, 405, 406, 409, 415, 422, 428, 429, 431]
      await writeFile(
        join(workplace.directory, 'schemathesis.toml'),
        `[checks.negative_data_rejection]\nexpected-statuses = ${JSON.stringify(refused)}\n`,
      )
      const {exitCode, all} = await execa(
        await schemathesis(),
        [
          'run',
          `${server.url}/openapi.json`,
          ...['--seed', '5', '--max-examples', '12', '--phases', 'examples,coverage,fuzzing'],
          ...['--checks', checks.join(','), '--no-color'],
        ],
        {
          cwd: workplace.directory,
          reject: false,
          all: true,
          env: {HYPOTHESIS_STORAGE_DIRECTORY: workplace.directory},
        },
      )

      expect(exitCode, all).toBe(0)
      expect(all).toMatch(/Tested: 11/)
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    }, 180_000)
  })
})
