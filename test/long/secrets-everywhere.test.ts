import {randomBytes} from 'node:crypto'
import {mkdir, readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../e2e/support/cluster.ts'
import {type Corner, openCorner} from '../e2e/support/corner.ts'

const mark = (where: string) => `${where}-${randomBytes(12).toString('hex')}`
/** Where a secret can come from. */
const MARKS = {section: mark('section'), file: mark('file'), set: mark('set')}
/** As they are, and as they stand in a Secret. */
const FORMS = Object.values(MARKS).flatMap((secret) => [secret, Buffer.from(secret).toString('base64')])
const marksIn = (text: string) => FORMS.filter((form) => text.includes(form))

/** In a Secret, in a ConfigMap, and in the pods' own environment. */
const secretValues = (secret: string) =>
  `{auth: {password: ${secret}}, conf: {password: ${secret}, connection: "mysql://db:${secret}@db/db"}, leak: true`
const environment = (more = '') => `
kk:
  OWN
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
  [0, `reconfigure env.yaml api ${SET} --output json`],
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
  [0, 'doctor env.yaml'],
  [0, 'doctor env.yaml --output json'],
  [0, 'deploy alone.yaml'],
  [0, 'unlock api --revision 1 alone.yaml --yes'],
  [0, 'orphans env.yaml --output json'],
  [3, 'remove db env.yaml --yes'],
  [0, 'remove api env.yaml --yes --output ndjson'],
  [0, 'destroy env.yaml --confirm NAME --yes --output ndjson'],
]

/** What is done to the cluster before a line. */
const BEFORE: Readonly<Record<string, (namespace: string) => Promise<void>>> = {
  async 'drift env.yaml'(namespace) {
    for (const [kind, patch] of CHANGES)
      await kubectl(['patch', kind, 'db', '--namespace', namespace, '--patch', JSON.stringify(patch)])
  },
  async 'unlock api --revision 1 alone.yaml --yes'(namespace) {
    const record = ['secret', 'sh.helm.release.v1.api.v1', '--namespace', `${namespace}-alone`]
    await kubectl(['label', ...record, '--overwrite', 'status=pending-install'])
  },
}

/** A helm that notes its arguments, its environment, files and objects of kk that hold a mark, and then works. */
function watchedHelm({directory}: Corner): string {
  const marks = FORMS.map((form) => `-e ${form}`).join(' ')
  return [
    `cd ${directory}`,
    'echo "$*" >> calls',
    'env >> calls',
    `grep -rlF ${marks} tmp state >> holders`,
    'case "$1" in install|upgrade) kubectl get leases,configmaps -n kk-system -o yaml >> objects;; esac',
    'cd "$OLDPWD"',
    'exec $HELM "$@"',
  ].join('\n')
}

let corner: Corner
const ended: {readonly line: string; readonly exit: number | undefined; readonly text: string}[] = []
beforeAll(async () => {
  corner = await openCorner(environment())
  const {directory, name} = corner
  await corner.write('broken.yaml', environment(BROKEN))
  await corner.write('unrenderable.yaml', environment(`, unrenderable: "no ${MARKS.section}"`))
  await corner.write(
    'alone.yaml',
    `kk: {name: NAME-alone, namespace: NAME-alone, charts: [CHARTS], releases: {api: {chart: workload}}}\napi: ${secretValues(MARKS.section)}}\n`,
  )
  await corner.write('values.yaml', `${secretValues(MARKS.file)}}`)
  for (const place of ['tmp', 'state']) await mkdir(join(directory, place))
  const env = {
    KK_HELM: await corner.helm(watchedHelm(corner)),
    TMPDIR: join(directory, 'tmp'),
    XDG_STATE_HOME: join(directory, 'state'),
    HOME: directory,
    ...{DEBUG: '*', KK_DEBUG: '1', HELM_DEBUG: '1'},
  }
  for (const [, line] of STEPS) {
    await BEFORE[line]?.(name)
    const {exitCode, stdout, stderr} = await corner.kk(line.replace('NAME', name).split(' '), {env})
    ended.push({line, exit: exitCode, text: `${stdout}\n${stderr}`})
  }
})

describe('secrets in sections, in files of --values and in --set, with all debugging output on,', () => {
  it.each(STEPS)('exit %i: %s', (exit, line) => {
    const found = ended.find((each) => each.line === line)!

    // kk doctor tells of the whole cluster, which is not this test's alone.
    expect(line.startsWith('doctor') ? [0, 1] : [exit], found.text).toContain(found.exit)
    expect(marksIn(found.text), found.text).toEqual([])
  })

  it('are in no argument and no variable of helm, and in none of its messages', async () => {
    const calls = await readFile(join(corner.directory, 'calls'), 'utf8')

    for (const verb of ['install', 'upgrade', 'rollback', 'uninstall', 'test', 'template'])
      expect(calls).toMatch(new RegExp(`^${verb} `, 'm'))
    expect(calls).toContain('HELM_DRIVER=secret')
    expect(marksIn(calls)).toEqual([])
  })

  it('are in no file: no journal, report, saved plan, nothing left behind, and nothing while helm runs', async () => {
    const entries = await readdir(corner.directory, {recursive: true, withFileTypes: true})
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const holding: string[] = []
    for (const file of files)
      if (marksIn(await readFile(file, 'latin1')).length > 0)
        holding.push(file.slice(corner.directory.length + 1))

    expect(files.filter((file) => file.includes('/state/kk/runs/')).length).toBeGreaterThan(5)
    expect(files.map((file) => file.slice(corner.directory.length + 1))).toEqual(
      expect.arrayContaining(['plan.json', 'r.html', 'broken.trace', 'undone.json', 'test.xml']),
    )
    expect(holding.sort()).toEqual([
      'alone.yaml',
      'broken.yaml',
      'env.yaml',
      'helm',
      'unrenderable.yaml',
      'values.yaml',
    ])
    expect(await readFile(join(corner.directory, 'holders'), 'utf8')).toBe('')
    expect(await readdir(join(corner.directory, 'tmp'))).toEqual([])
  })

  it("are in no record of a run, no Lease and no label: nothing of kk's on the cluster", async () => {
    const during = await readFile(join(corner.directory, 'objects'), 'utf8')
    const after = await kubectl(['get', 'leases,configmaps', '--namespace', 'kk-system', '--output', 'yaml'])
    const metadata = 'jsonpath={.items[*].metadata}'
    const records = ['get', 'secrets', '--namespace', `${corner.name}-alone`, '--output', metadata]

    expect(during).toContain('kind: Lease')
    expect(after).toContain(corner.name)
    expect(marksIn(during + after + (await kubectl(records)))).toEqual([])
  })
})
