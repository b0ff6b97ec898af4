import {randomBytes} from 'node:crypto'
import {appendFile, cp, mkdir, readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {sandboxPaths} from '../../src/sandbox/paths.ts'
import {kubectl} from '../e2e/support/cluster.ts'
import {type Corner, openCorner} from '../e2e/support/corner.ts'
import {FIXTURES} from '../e2e/support/environment.ts'
import {plainHelm} from '../e2e/support/plain-helm.ts'
import {revisions} from '../e2e/support/records.ts'
import {watchProcesses} from './support/watch-processes.ts'

const mark = (where: string) => `${where}-${randomBytes(12).toString('hex')}`
/** Where a secret can come from. */
const MARKS = {section: mark('section'), file: mark('file'), set: mark('set')}
/** As they are, and as they stand in a Secret. */
const FORMS = Object.values(MARKS).flatMap((secret) => [secret, Buffer.from(secret).toString('base64')])
const marksIn = (text: string) => FORMS.filter((form) => text.includes(form))

/** In a Secret, in a ConfigMap, and in the pods' own environment. */
const secretValues = (secret: string) =>
  `{auth: {password: ${secret}}, conf: {password: ${secret}, connection: "mysql://db:${secret}@db/db"}, leak: true`
const environment = (more = '', charts = 'CHARTS') => `
kk:
  name: NAME
  namespace: NAME
  charts: [${charts}]
  releases: {db: {chart: workload, timeout: 1m}, api: {chart: workload, requires: [db], timeout: 1m}}
global: {endpoints: {oslo_db: {auth: {admin: {password: ${MARKS.section}}}}}}
db: ${secretValues(MARKS.section)}, test: {pod: {fail: JobFailed}}${more}}
api: ${secretValues(MARKS.section)}, test: {pod: {}}}
`
const BROKEN = ', pod: {fail: CrashLoopBackOff}, job: {hook: post-upgrade, pod: {fail: JobFailed}}'
const REPORTS = ['json=r.json', 'html=r.html', 'junit=r.xml', 'trace=r.trace']
  .map((it) => `--report ${it}`)
  .join(' ')
const VALUES = '--values db=values.yaml'
const SET = `--set db:auth.password=${MARKS.set} --set api:conf.password=${MARKS.set}`

/** What somebody changes behind kk's back. */
const CHANGES = [
  ['secret', {data: {password: 'b3RoZXI='}}],
  ['configmap', {data: {'service.conf': '[database]\npassword = other\n'}}],
  [
    'deployment',
    {spec: {template: {spec: {containers: [{name: 'main', env: [{name: 'PASSWORD', value: 'other'}]}]}}}},
  ],
] as const

/** What helm refuses with the value in its words; the pattern goes into the schema of a copy of the chart. */
const STRICT = {auth: {type: 'object', properties: {password: {type: 'string', pattern: '^[0-9]+$'}}}}

/** Every verb, one after the other, with the exit code that shows that it came as far as it should. */
const STEPS: readonly (readonly [exit: number, line: string])[] = [
  [0, 'graph env.yaml --output json'],
  [0, 'graph env.yaml --format dot'],
  [0, 'plan env.yaml --diff'],
  [0, 'plan env.yaml --output json'],
  [0, `deploy env.yaml --output ndjson ${REPORTS}`],
  [1, `test env.yaml ${REPORTS.replaceAll('r.', 'test.')}`],
  [0, `plan env.yaml --diff ${VALUES} ${SET}`],
  [0, `upgrade env.yaml ${VALUES}`],
  [0, `update env.yaml db ${VALUES} --set db:replicas=2`],
  [0, `reconfigure env.yaml db api ${SET} --output json`],
  [0, `plan env.yaml --save plan.json ${VALUES} ${SET}`],
  [0, `apply plan.json ${SET} --output ndjson`],
  [0, 'status env.yaml'],
  [0, 'status env.yaml --output json'],
  [0, 'history env.yaml --output json'],
  [0, 'history db env.yaml --output json'],
  [0, 'drift env.yaml'],
  [0, 'drift env.yaml --output json'],
  [0, `upgrade env.yaml ${VALUES} ${SET} --correct-drift --force-conflicts`],
  [0, 'rollback env.yaml --yes'],
  [1, `deploy broken.yaml ${VALUES} ${SET} --on-failure rollback-run ${REPORTS.replaceAll('r.', 'undone.')}`],
  [1, `deploy broken.yaml --output ndjson ${REPORTS.replaceAll('r.', 'broken.')}`],
  [1, 'status broken.yaml --output json'],
  [1, 'resume broken.yaml --yes'],
  [2, 'plan unrenderable.yaml --diff'],
  [2, 'deploy unrenderable.yaml --output json'],
  [2, 'plan strict.yaml --diff'],
  [2, 'deploy strict.yaml --output json'],
  [2, 'plan twice.yaml'],
  [2, 'plan unclosed.yaml --output json'],
  [2, 'plan unknown.yaml'],
  [2, `plan env.yaml --set db:auth.password={${MARKS.set}`],
  [2, `plan env.yaml --values db=unclosed.yaml`],
  [0, 'doctor env.yaml'],
  [0, 'doctor env.yaml --output json'],
  [0, 'adopt api alone.yaml --yes --output json'],
  [0, 'deploy alone.yaml'],
  [1, 'deploy failing.yaml --output json'],
  [0, 'deploy alone.yaml --output ndjson'],
  [0, 'drift alone.yaml --prune --dry-run'],
  [0, 'drift alone.yaml --prune --yes --output ndjson --message tidy'],
  [0, 'history alone.yaml --output json'],
  [0, 'unlock api --revision LAST alone.yaml --yes'],
  [0, 'orphans env.yaml --output json'],
  [3, 'remove db env.yaml --yes'],
  [0, 'remove api env.yaml --yes --output ndjson'],
  [0, 'destroy env.yaml --confirm NAME --yes --output ndjson'],
]

/** What helm itself does differently, or says in other words; helm 3 knows no managers of fields. */
const BY_HELM = /^(deploy|test|upgrade|rollback|resume|drift env|remove api|destroy)/
const STEPS_OF = {
  helm4: STEPS,
  helm3: STEPS.filter(([, line]) => BY_HELM.test(line) && !/alone|failing|--force-conflicts/.test(line)),
}
type HelmVersion = keyof typeof STEPS_OF

/** What is done to the cluster before a line. */
const BEFORE: Readonly<Record<string, (namespace: string) => Promise<void>>> = {
  async 'drift env.yaml'(namespace) {
    for (const [kind, patch] of CHANGES)
      await kubectl(['patch', kind, 'db', '--namespace', namespace, '--patch', JSON.stringify(patch)])
  },
  async 'adopt api alone.yaml --yes --output json'(namespace) {
    const where = ['--namespace', `${namespace}-alone`, '--create-namespace', '--values', '-']
    const input = JSON.stringify({auth: {password: MARKS.section}})
    const {exitCode, stderr} = await plainHelm(['install', 'api', join(FIXTURES, 'workload'), ...where], {
      input,
    })
    expect(exitCode, stderr).toBe(0)
  },
  async 'unlock api --revision LAST alone.yaml --yes'(namespace) {
    const last = `sh.helm.release.v1.api.v${(await revisions(`${namespace}-alone`)).api}`
    const record = ['secret', last, '--namespace', `${namespace}-alone`]
    await kubectl(['label', ...record, '--overwrite', 'status=pending-upgrade'])
  },
}

/**
 * A helm that notes its arguments, its environment, files and objects of kk that hold a mark, and then works.
 */
function watchedHelm({directory}: Corner, version: HelmVersion): string {
  return [
    `cd ${directory}`,
    'echo "$*" >> calls',
    'env >> calls',
    `grep -rlFf ${directory}.marks tmp state >> holders`,
    'case "$1" in install|upgrade) kubectl get leases,configmaps -n kk-system -o yaml >> objects;; esac',
    'cd "$OLDPWD"',
    `exec $(dirname $HELM)/${version} "$@"`,
  ].join('\n')
}

async function writeFiles(corner: Corner): Promise<readonly string[]> {
  const {directory} = corner
  const charts = join(directory, 'charts')
  const own =
    'kk: {name: NAME-alone, namespace: NAME-alone, charts: [CHARTS], releases: {api: {chart: workload}}}'
  const secret = `auth: {password: ${MARKS.section}}`
  const files = {
    'env.yaml': environment(),
    'broken.yaml': environment(BROKEN),
    'unrenderable.yaml': environment(`, unrenderable: "no ${MARKS.section}"`),
    'strict.yaml': environment('', charts),
    'alone.yaml': `${own}\napi: {${secret}}\n`,
    'failing.yaml': `${own}\napi: {${secret}, conf: {password: ${MARKS.section}}, job: {hook: post-upgrade, pod: {fail: JobFailed}}}\n`,
    'twice.yaml': `${own}\napi: {auth: {password: ${MARKS.section}, password: ${MARKS.section}}}\n`,
    'unclosed.yaml': `${own}\napi: {auth: {password: "${MARKS.section}}}\n`,
    'unknown.yaml': `kk: {name: NAME, charts: [CHARTS], password: ${MARKS.section}}\napi: {}\n`,
    'values.yaml': `${secretValues(MARKS.file)}}`,
  }
  for (const [file, text] of Object.entries(files)) await corner.write(file, text)
  await cp(join(FIXTURES, 'workload'), join(charts, 'workload'), {recursive: true})
  await writeFile(join(charts, 'workload/values.schema.json'), JSON.stringify({properties: STRICT}))
  for (const place of ['tmp', 'state']) await mkdir(join(directory, place))
  await writeFile(`${directory}.marks`, FORMS.join('\n'))
  return Object.keys(files)
}

/** Every simulated container prints its password. */
async function printSecret(): Promise<void> {
  const {sandbox, state} = inject('run')
  const {containerLog} = sandboxPaths(sandbox, {XDG_STATE_HOME: state})
  await appendFile(containerLog, `2026-01-01T00:00:00.000000000Z stdout F password is ${MARKS.section}\n`)
}

/** Looks at the status until it has been shown once. */
async function watchStatus({kk}: Corner, env: Readonly<Record<string, string>>) {
  const watching = kk(['status', 'env.yaml', '--watch'], {env})
  watching.stdout!.once('data', () => watching.kill('SIGINT'))
  const {stdout, stderr} = await watching
  return `${stdout}\n${stderr}`
}

describe.each(['helm4', 'helm3'] as const)(
  'secrets in sections, values files, --set and logs, with %s and all debugging output,',
  (version) => {
    const ended: {readonly line: string; readonly exit: number | undefined; readonly text: string}[] = []
    let corner: Corner
    let inputs: readonly string[]
    let watched = ''
    let processes: Awaited<ReturnType<ReturnType<typeof watchProcesses>['end']>>
    beforeAll(async () => {
      corner = await openCorner()
      inputs = await writeFiles(corner)
      await printSecret()
      const {directory, name} = corner
      const env = {
        KK_HELM: await corner.helm(watchedHelm(corner, version)),
        TMPDIR: join(directory, 'tmp'),
        XDG_STATE_HOME: join(directory, 'state'),
        HOME: directory,
        ...{DEBUG: '*', KK_DEBUG: '1', HELM_DEBUG: '1'},
      }
      const watch = watchProcesses(FORMS, inject('run').kk)
      for (const [, line] of STEPS_OF[version]) {
        await BEFORE[line]?.(name)
        const last = line.includes('LAST') ? (await revisions(`${name}-alone`)).api : 0
        const words = line.replace('NAME', name).replace('LAST', String(last)).split(' ')
        const {exitCode, stdout, stderr} = await corner.kk(words, {env})
        ended.push({line, exit: exitCode, text: `${stdout}\n${stderr}`})
        if (line.startsWith('deploy env.yaml')) watched = await watchStatus(corner, env)
      }
      processes = await watch.end()
    })

    it.each(STEPS_OF[version])('are masked in the output with exit code %i: %s', (exit, line) => {
      const found = ended.find((each) => each.line === line)!

      // kk doctor tells of the whole cluster, which is not this test's alone.
      expect(line.startsWith('doctor') ? [0, 1] : [exit], found.text).toContain(found.exit)
      expect(marksIn(found.text), found.text).toEqual([])
    })

    it('are masked in kk status --watch', () => {
      expect(watched).toMatch(/ \S+\/db +revision 1/)
      expect(marksIn(watched)).toEqual([])
    })

    it('are masked in the quoted log lines of failed pods', () => {
      const quoting = ended.filter(({text}) => text.includes('password is ***'))

      expect(quoting.map(({line}) => line.split(' ')[0])).toEqual(expect.arrayContaining(['test', 'deploy']))
    })

    it('are in no argument, environment variable or message of helm', async () => {
      const calls = await readFile(join(corner.directory, 'calls'), 'utf8')

      for (const verb of ['install', 'upgrade', 'rollback', 'uninstall', 'test', 'template'])
        expect(calls).toMatch(new RegExp(`^${verb} `, 'm'))
      expect(calls).toContain('HELM_DRIVER=secret')
      expect(marksIn(calls)).toEqual([])
    })

    it('are in no arguments or environment variables of processes other than the kk that received them', () => {
      expect([...processes.looked]).toContain(version)
      expect(processes.holders).toEqual([])
    })

    it('are in no file: no journal, report, saved plan or leftover, and none while helm runs', async () => {
      const {directory} = corner
      const entries = await readdir(directory, {recursive: true, withFileTypes: true})
      const files = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
      const holding: string[] = []
      for (const file of files)
        if (marksIn(await readFile(file, 'latin1')).length > 0) holding.push(file.slice(directory.length + 1))

      expect(files.filter((file) => file.includes('/state/kk/runs/')).length).toBeGreaterThan(5)
      expect(files.map((file) => file.slice(directory.length + 1))).toEqual(
        expect.arrayContaining(['r.html', 'broken.trace', 'undone.json', 'test.xml']),
      )
      expect(holding.sort()).toEqual([...inputs].sort())
      expect(await readFile(join(directory, 'holders'), 'utf8')).toBe('')
      expect(await readdir(join(directory, 'tmp'))).toEqual([])
    })

    it('are in no record of a run, no Lease and no label of kk on the cluster', async () => {
      const during = await readFile(join(corner.directory, 'objects'), 'utf8')
      const after = await kubectl([
        'get',
        'all,leases,configmaps,secrets',
        '--namespace',
        'kk-system',
        '-o',
        'yaml',
      ])
      const metadata = 'jsonpath={.items[*].metadata}'
      const records = ['get', 'secrets', '--all-namespaces', '--selector', 'owner=helm', '--output', metadata]

      expect(during).toContain('kind: Lease')
      expect(after).toContain(corner.name)
      expect(marksIn(during + after + (await kubectl(records)))).toEqual([])
    })
  },
)
