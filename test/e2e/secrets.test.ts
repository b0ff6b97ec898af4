import {randomBytes} from 'node:crypto'
import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {kubectl} from './support/cluster.ts'
import {type Corner, openCorner} from './support/corner.ts'

const SECRET = `mark-${randomBytes(12).toString('hex')}`
const FORMS = [SECRET, Buffer.from(SECRET).toString('base64')]

/** The password goes into a Secret, and into the pods' own environment, as careless charts do it. */
const environment = (broken: string) => `
kk:
  OWN
  releases:
    db: {chart: workload, timeout: 20s}
    hooked: {chart: workload, timeout: 20s}
global: {endpoints: {oslo_db: {auth: {admin: {password: ${SECRET}}}}}}
db: {auth: {password: ${SECRET}}, leak: true, ${broken}}
hooked: {auth: {password: ${SECRET}}, leak: true}
`

/** The chart of another release says what is secret in `db`, as it renders. */
const said = (teller: string) => `
kk: {name: NAME, namespace: NAME, charts: [CHARTS, bare], releases: {db: {chart: workload}, teller: {chart: ${teller}}}}
db: {auth: {password: ${SECRET}}}
teller: {unrenderable: ${SECRET}}
`

let corner: Corner
/** What each command line has printed. */
const printed: Record<string, string> = {}
beforeAll(async () => {
  corner = await openCorner(environment(''))
  await corner.write(
    'broken.yaml',
    environment('pod: {fail: CrashLoopBackOff}, job: {hook: post-upgrade, pod: {fail: JobFailed}}'),
  )
  // The API server quotes what it refuses.
  await corner.write('odd.yaml', environment(`claim: ${SECRET}!`))
  await corner.write('said.yaml', said('workload'))
  // What is rendered to infer requirements.
  await corner.write('bare/bare/Chart.yaml', 'apiVersion: v2\nname: bare\nversion: 1.0.0\n')
  await corner.write('bare/bare/templates/map.yaml', '{{ fail .Values.unrenderable }}')
  await corner.write('said-bare.yaml', said('bare'))
  const env = {KK_HELM: await corner.helm('echo "$*" >> calls; exec $HELM "$@"'), TMPDIR: corner.directory}
  for (const args of [
    'plan env.yaml --diff',
    'deploy env.yaml --output ndjson',
    'plan broken.yaml --diff',
    'deploy broken.yaml --output ndjson',
    'deploy broken.yaml',
    'status broken.yaml',
    'status broken.yaml --output json',
    'deploy odd.yaml --output json',
    'plan said.yaml',
    'deploy said.yaml --output json',
    'plan said-bare.yaml',
    'graph env.yaml --output json',
    'values split env.yaml -o split',
    'values split env.yaml',
  ]) {
    const {exitCode, stdout, stderr} = await corner.kk(args.split(' '), {env})
    printed[args] = `exit ${exitCode}\n${stdout}\n${stderr}`
  }
})

const holdsSecret = (text: string) => FORMS.some((form) => text.includes(form))

describe('a password', () => {
  it('is printed by no command without a flag to show it, even if releases fail', () => {
    const leaks = Object.keys(printed).filter((args) => holdsSecret(printed[args]!))

    expect(leaks).toEqual([])
    expect(printed['deploy broken.yaml --output ndjson']).toMatch(/^exit 1[\s\S]*KK_(HELM_FAILED|UNHEALTHY)/)
    expect(printed['status broken.yaml']).toMatch(/^exit 1/)
    expect(printed['plan env.yaml --diff']).toContain('(masked')
    expect(printed['deploy odd.yaml --output json']).toMatch(/^exit 2[\s\S]*KK_INVALID_OBJECT/)
    for (const args of ['plan said.yaml', 'deploy said.yaml --output json', 'plan said-bare.yaml'])
      expect(printed[args]).toMatch(/^exit 2[\s\S]*KK_RENDER[\s\S]*execution error at \(\S+\): \*\*\*/)
  })

  it('is in no argument of helm, even in runs that call helm', async () => {
    const calls = await readFile(join(corner.directory, 'calls'), 'utf8')

    expect(calls).toMatch(/^install /m)
    expect(calls).toMatch(/^upgrade /m)
    expect(holdsSecret(calls)).toBe(false)
  })

  it('is in no label or annotation of a record, and in no Lease', async () => {
    const records = await kubectl([
      ...['get', 'secrets', '--namespace', corner.name, '--selector', 'owner=helm'],
      ...['--output', 'jsonpath={.items[*].metadata}'],
    ])
    const leases = await kubectl(['get', 'leases', '--namespace', 'kk-system', '--output', 'json'])

    expect(records).toContain('kk.openstack.org/inputs')
    expect([records, leases].map(holdsSecret)).toEqual([false, false])
  })

  it('is only in the values files, which only their owner can read', async () => {
    const entries = await readdir(corner.directory, {recursive: true, withFileTypes: true})
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({parentPath, name}) => join(parentPath, name))
    const holders = await Promise.all(
      files.map(async (file) => (holdsSecret(await readFile(file, 'latin1')) ? [file] : [])),
    )

    const own = ['env.yaml', 'broken.yaml', 'odd.yaml', 'said.yaml', 'said-bare.yaml'].map((file) =>
      join(corner.directory, file),
    )
    const others = holders.flat().filter((file) => !own.includes(file))
    expect(others.length).toBe(4)
    expect(others).toEqual(
      expect.arrayContaining([
        join(corner.directory, 'split/db.yaml'),
        expect.stringMatching(/\/helm\w{6}\/hooked\.yaml$/),
      ]),
    )
  })

  it('is shown by a command with the flag to show secrets', async () => {
    const {stdout} = await corner.kk(['values', 'show', 'db', 'env.yaml', '--show-secrets'])

    expect(stdout).toContain(SECRET)
    expect((await corner.kk(['values', 'show', 'db', 'env.yaml'])).stdout).toContain('***')
  })
})

atNight(() => {
  it('a secret is masked in the output of a pod of another release', async () => {
    const pair = (teller: string) => `
kk:
  OWN
  releases: {db: {chart: workload}, teller: {chart: workload, timeout: 5s}}
db: {auth: {password: ${SECRET}}}
teller: {${teller}}
`
    const other = await openCorner(pair(''))
    await other.kk(['deploy', 'env.yaml'])
    await other.write(
      'env.yaml',
      pair(`image: "registry.example.org/${SECRET}:1", pod: {fail: ImagePullBackOff}`),
    )

    const texts: string[] = []
    for (const words of [
      'deploy env.yaml',
      'status env.yaml',
      'status env.yaml teller',
      'rollback env.yaml --release teller --revision 2 --yes',
    ]) {
      const {stdout, stderr} = await other.kk(words.split(' '))
      texts.push(`${stdout}\n${stderr}`)
    }

    for (const text of texts) expect(text).toContain('Back-off pulling image "registry.example.org/***')
    expect(texts.filter(holdsSecret)).toEqual([])
  })
})

atNight(() => {
  describe('a Secret of many lines that exceeds the limit of a regular expression', () => {
    it('is printed by no command, even if the API server refuses another object', async () => {
      const large = await openCorner()
      const linesOf = (word: string) =>
        Array.from({length: 500}, (_, at) => `  - ${word}-${at}: ${randomBytes(16).toString('hex')}`)
      const [first, second] = [linesOf('first'), linesOf('second')]
      await large.write('charts/large/Chart.yaml', 'apiVersion: v2\nname: large\nversion: 0.1.0\n')
      await large.write(
        'charts/large/templates/all.yaml',
        [
          'apiVersion: v1\nkind: Secret\nmetadata: {name: large}',
          'data: {pipeline.yaml: {{ .Values.text | b64enc }}}\n---',
          'apiVersion: v1\nkind: Service\nmetadata: {name: large}',
          'spec: {selector: {app: large}, ports: [{port: {{ .Values.port }}}]}\n',
        ].join('\n'),
      )
      const write = (file: string, port: number, lines: readonly string[]) =>
        large.write(
          file,
          `kk: {name: NAME, namespace: NAME, charts: [charts]}\nlarge: ${JSON.stringify({port, text: lines.join('\n')})}\n`,
        )
      await write('good.yaml', 80, first)
      await write('bad.yaml', 99999, second)

      const deployed = await large.kk(['deploy', 'good.yaml'])
      const results = [
        await large.kk(['deploy', 'bad.yaml', '--dry-run']),
        await large.kk(['deploy', 'bad.yaml']),
        await large.kk(['plan', 'bad.yaml', '--diff']),
      ]

      expect(deployed.exitCode, deployed.stderr).toBe(0)
      const said = results.map(({stdout, stderr}) => `${stdout}\n${stderr}`)
      expect(said[1]).toMatch(/KK_INVALID_OBJECT[\s\S]*99999/)
      expect(said[2]).toContain('pipeline.yaml')
      const secrets = [first, second].flatMap((lines) => [
        ...lines.map((line) => line.trim()),
        ...(Buffer.from(lines.join('\n')).toString('base64').match(/.{60}/g) ?? []),
      ])
      expect(
        said.filter((text) => secrets.some((secret) => text.includes(secret)) || text.includes('KK_BUG')),
      ).toEqual([])
    })
  })
})
