import {copyFile, cp, mkdir, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {expect, inject} from 'vitest'
import {exampleOf} from '../../../src/cli/reference.ts'
import {IMAGE_TOOLS} from '../../../src/images/building/buildah.ts'
import {onPath} from '../../../src/state/files/on-path.ts'
import {table} from '../../../src/table.js'
import {testDirectory} from '../../support/test-directory.ts'
import {allInOne, FIXTURES, makeEnvironment, type TestEnvironment} from './environment.ts'
import {kkEnvironment} from './kk.ts'

/** Serves or operates until it is stopped. */
const ENDLESS = /^kk (serve|operator run)/

/** The node with real pods is tried by `npm run test:aio`. */
const ON_A_NODE = /^kk aio\b|--sandbox-name aio\b/

/** Copies images, which somebody must have built: `test/long/mirror.test.ts` does so. */
const OF_IMAGES = /^kk images mirror \S+\.yaml --to \.\//

/** The examples that the help of each command shows, of those that can be tried here. */
export const EXAMPLES = Object.values(table.commands).map((command) =>
  (command.examples ?? [])
    .map((example) => exampleOf(example).command)
    .filter((line) => ![ENDLESS, ON_A_NODE, OF_IMAGES].some((pattern) => pattern.test(line))),
)

/**
 * These are about what the test's cluster does not have, or ask somebody: kk must understand them, and say
 * so.
 */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^kk resume \d/, 'KK_NO_RUN'],
  [/^kk run follow/, 'KK_NO_RUN'],
  [/^kk run start/, 'KK_FILE'],
  [/^kk rollback \d/, 'KK_NO_RUN'],
  [/^kk rollback --release keystone --revision 3/, 'KK_NO_REVISION'],
  [/^kk rollback environments/, 'KK_UNCONFIRMED'],
  [/^kk node (add|drain|evacuate|remove|replace|return)/, 'KK_NO_NODE'],
  [/^kk node roll .*--exec/, 'KK_USAGE'],
  [/^kk node roll .*--old-qemu/, 'KK_NOT_INSTALLED'],
  [/^kk import --namespace/, 'KK_NOT_INSTALLED'],
  [/^kk adopt .*--former-owner/, 'KK_NOT_INSTALLED'],
  [/^kk remove placement/, 'KK_NOT_INSTALLED'],
  [/^kk apply plan\.json/, 'KK_FILE'],
  [/^kk secrets (rotate|show)/, 'KK_USAGE'],
  [/^kk overrides export/, 'KK_FILE'],
  // The `overrides.yaml` that is there is Armada's.
  [/^kk overrides import/, 'KK_VALUES'],
  [/^kk config (import|merge) \/etc\/kolla/, 'KK_FILE'],
  // A key of gpg's, and the file with its passphrase, are somebody's own: `signing.test.ts` has them.
  [/^kk charts package .*--sign/, 'KK_FILE'],
  [/^kk fleet plan \w/, 'KK_NO_OPERATED'],
  [/^kk operator (adopt|approve|follow|pause|resume|retry)/, 'KK_NO_OPERATED'],
  [/^kk charts explain oci:/, 'KK_CHART'],
  [/^kk images mirror --from/, 'KK_FILE'],
  [/^kk images mirror /, 'KK_IMAGE'],
  [/^kk charts search .*--from oci:/, 'KK_IMAGE'],
  [/^kk charts search .*--from https:/, 'KK_CHART'],
  [/^kk charts lock .*--check/, 'KK_LOCKED'],
  [/^kk unlock keystone/, 'KK_MOVED'],
  [/^kk unlock openstack\/keystone/, 'KK_UNKNOWN_RELEASE'],
  // A machine that never built images need not have the programs.
  ...(canBuildImages() ? [] : [[/^kk images prune/, 'KK_IMAGE_TOOLS'] as const]),
]

/** Refused, unless another example has stored the secret. */
const OF_STORED = /^kk secrets show/

/** What the examples suppose beside the environment. */
const FILES = {
  'cloud.yaml': 'kk: {namespace: openstack, charts: [../openstack-helm]}\nnova: {}\n',
  'helmfile.yaml': 'releases: [{name: nova, namespace: openstack, chart: ../openstack-helm/nova}]\n',
  'clusters/production/nova.yaml': `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nova, namespace: flux-system}
spec: {targetNamespace: openstack, storageNamespace: openstack, chart: {spec: {chart: nova}}}
`,
  'armada.yaml': `
schema: armada/Chart/v1
metadata: {schema: metadata/Document/v1, name: openstack-nova}
data: {chart_name: nova, release: nova, namespace: openstack, source: {type: local, location: ../openstack-helm, subpath: nova}}
---
schema: armada/ChartGroup/v1
metadata: {schema: metadata/Document/v1, name: compute}
data: {chart_group: [openstack-nova]}
---
schema: armada/Manifest/v1
metadata: {schema: metadata/Document/v1, name: cloud}
data: {release_prefix: cloud, chart_groups: [compute]}
`,
  'overrides.yaml': `
schema: armada/Chart/v1
metadata: {schema: metadata/Document/v1, name: openstack-nova}
data: {values: {pod: {replicas: {api: 2}}}}
`,
  'facts.yaml': 'controllers: 3\ncharts: {rabbitmq: [openstack]}\n',
  'passwords.yml': 'keystone_admin_password: kept-since-kolla\n',
  'plugins/swift': `#!/bin/sh\ngrep -q describe && echo '{"chart": "swift"}' || echo '{"values": {}}'\n`,
}

/** What needs no cluster is tried with kk's own charts. */
export async function allInOneEnvironment(): Promise<TestEnvironment> {
  const content = {...(await allInOne()), kk: {charts: ['built-in']}}
  return makeEnvironment({namespace: 'openstack', content})
}

/**
 * Runs a line in a shell, as somebody who copies it; rejects unless it does what it shall, or is refused as
 * it must be.
 */
export async function expectToWork(line: string, environment: TestEnvironment): Promise<void> {
  const binaries = dirname(inject('run').kk)

  const {exitCode, stderr} = await execa('/bin/sh', ['-c', inSandboxOfRun(line, environment.name)], {
    cwd: await directoryFor(environment, line),
    env: {
      ...kkEnvironment(),
      KK_HELM: environment.helm,
      // The store that kk takes by itself would belong to the cluster of this run, and be refused by the
      // next.
      ...(/^kk (helm-)?override/.test(line) && {KK_STORE: join(environment.directory, 'overrides.sqlite')}),
      // The images of this machine are as many as somebody has built.
      ...(line.startsWith('kk images') && {CONTAINERS_STORAGE_CONF: await emptyStorage()}),
      PATH: `${binaries}:${kkEnvironment().PATH}`,
    },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  })

  const [, refusal] = REFUSED.find(([pattern]) => pattern.test(line)) ?? []
  const isStored = OF_STORED.test(line) && exitCode === 0
  if (refusal !== undefined && !isStored) return expect(stderr).toContain(`error ${refusal}`)
  const expected = [
    0,
    ...(line.includes('--detailed-exitcode') ? [4] : []),
    // Nothing can be executed in the pods of the cluster of this run.
    ...(/^kk (audit|check|doctor|logs)\b/.test(line) ? [1] : []),
  ]
  expect(expected, stderr).toContain(exitCode)
}

function canBuildImages(): boolean {
  return Object.keys(IMAGE_TOOLS).every((program) => onPath(program, process.env.PATH) !== undefined)
}

/** Configures a storage of images that has none. */
async function emptyStorage(): Promise<string> {
  const storage = testDirectory()
  const file = join(storage, 'storage.conf')
  await writeFile(
    file,
    `[storage]\ndriver = "vfs"\ngraphroot = "${storage}/images"\nrunroot = "${storage}/run"\n`,
  )
  return file
}

/** A directory of the line's own: what one line writes is no other's. */
async function directoryFor({file}: TestEnvironment, line: string): Promise<string> {
  const own = join(testDirectory(), 'here')
  await mkdir(own)
  // A copy, for what is indexed there is known to every kk of the run.
  await cp(join(FIXTURES, '../unannotated'), join(own, '../openstack-helm'), {recursive: true})
  await mkdir(join(own, 'environments'))
  await copyFile(file, join(own, 'environments/all-in-one.yaml'))
  for (const [name, text] of Object.entries(FILES)) {
    if (line.includes(`--file ${name}`)) continue
    await mkdir(dirname(join(own, name)), {recursive: true})
    await writeFile(join(own, name), text, {mode: text.startsWith('#!') ? 0o755 : 0o644})
  }
  return own
}

/**
 * The example on the sandbox of the run; what would remove a sandbox is told of one that is not there, and
 * releases of that name that others have there are left out.
 */
function inSandboxOfRun(line: string, environment: string): string {
  const {sandbox} = inject('run')
  const name = line.startsWith('kk sandbox down') ? `${sandbox}-gone` : sandbox
  return line
    .replace(/--(owner|confirm) all-in-one\b/, `--$1 ${environment}`)
    .replace(/^kk (unlock|rollback --release) .*/, (words) => `${words} --owner ${environment}`)
    .replace(/ --context \S+/, ` --context sandbox-${sandbox}`)
    .replace(/ --sandbox-name \S+/, '')
    .replace(/ --sandbox\b/, ` --sandbox-name ${name}`)
    .replace(/^kk sandbox \w+/, (words) => `${words} --sandbox-name ${name}`)
}
