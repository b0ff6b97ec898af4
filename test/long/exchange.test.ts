import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {readYaml} from '../../src/yaml/yaml.ts'
import {waitFor} from '../e2e/support/cluster.ts'
import {
  type EnvironmentContent,
  makeEnvironment,
  type TestEnvironment,
  workloads,
} from '../e2e/support/environment.ts'
import {type OwnCluster, startOwnCluster} from '../e2e/support/guarded.ts'
import {installedIn} from '../e2e/support/installed.ts'
import {kk, kkEnvironment} from '../e2e/support/kk.ts'
import {exchangeTools} from './support/exchange-tools.ts'

// The tools that exports are for say whether these are theirs. Go builds them once, for half an hour where
// much else runs.
const ALL_TOOLS = 1_800_000

/** The kinds of the Prometheus operator. */
const OF_OPERATOR = new Set(['PodMonitor', 'PrometheusRule'])

const PASSWORD = 'kept-out-of-git'
const HOOK = {pod: {}, hook: 'post-install,post-upgrade'}

/**
 * Hooks that come after the rest, releases that need each other, a secret, a null, and words that YAMLs read
 * differently.
 */
function content(): EnvironmentContent {
  return workloads({
    db: {values: {auth: {password: PASSWORD}, nodeSelector: null}},
    api: {requires: ['db'], values: {job: HOOK, conf: {enabled: 'yes', at: '1:30'}}},
    ping: {requires: ['db', 'pong:applied']},
    pong: {requires: ['ping:applied']},
  })
}

let tools: string
beforeAll(async () => {
  tools = await exchangeTools()
}, ALL_TOOLS)

/** The environment of a test, with the other tools before kk's own. */
function withTools(): Record<string, string> {
  const environment = kkEnvironment()
  return {...environment, PATH: `${tools}:${environment.PATH}`}
}

async function exported(
  environment: TestEnvironment,
  format: string,
  ...more: readonly string[]
): Promise<string> {
  const out = join(environment.directory, `of-${format}`)
  const words = ['export', environment.file, '--format', format, '--output-dir', out, ...more]
  const {exitCode, stderr} = await kk(words, {env: withTools(), cwd: environment.directory})
  expect(exitCode, stderr).toBe(0)
  return out
}

/** Writes the secrets of `db` where scripts and helmfiles look for them. */
async function supplySecrets(environment: TestEnvironment, out: string): Promise<void> {
  const {exitCode, stdout, stderr} = await environment.kk('values show', 'db', '--secrets', '--show-secrets')
  expect(exitCode, stderr).toBe(0)
  await writeFile(join(out, 'secrets/db.yaml'), stdout)
}

describe('in a strict dry run with the CRDs of each tool', () => {
  let cluster: OwnCluster
  let environment: TestEnvironment
  beforeAll(async () => {
    cluster = await startOwnCluster()
    environment = await makeEnvironment({content: content()})
    for (const namespace of ['flux-system', 'argocd', 'argo'])
      await cluster.kubectl('create', 'namespace', namespace)
    const applied = await cluster.kubectl('apply', '--server-side', '--filename', join(tools, 'crds'))
    expect(applied.exitCode, applied.stderr).toBe(0)
    const established = ['wait', '--for', 'condition=Established', '--timeout', '60s', '--all', 'crd']
    // It fails at once for a definition that has no conditions yet.
    const isEstablished = async () => (await cluster.kubectl(...established)).exitCode === 0
    await waitFor(isEstablished, {until: 'the definitions are established'})
    return cluster.end
  })
  const dryRun = (...words: readonly string[]) =>
    cluster.kubectl('apply', '--dry-run=server', '--validate=strict', ...words)

  it('the API server accepts an export for Flux, built by its Kustomization', async () => {
    const out = await exported(environment, 'flux', '--charts', 'oci://registry.example.org/kk')

    const {exitCode, stdout, stderr} = await dryRun('--kustomize', out)

    expect(exitCode, stderr).toBe(0)
    expect(stdout.match(/^helmrelease\S+ created/gm)).toHaveLength(4)
    expect(stdout).toContain(`ocirepository.source.toolkit.fluxcd.io/${environment.name}.workload-`)
  })

  it('the API server accepts an export for Flux whose charts are in a repository', async () => {
    const other = await makeEnvironment({content: content()})
    const out = await exported(other, 'flux', '--charts', 'https://charts.example.org/kk')

    const {exitCode, stdout, stderr} = await dryRun('--kustomize', out)

    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/^helmrepository\.source\S+\/\S+\.charts\.example\.org-kk-\w{8} created/m)
    expect(stdout).toContain(`/${other.name}.charts.example.org-kk-`)
  })

  it('the API server accepts an export for Argo CD', async () => {
    const out = await exported(environment, 'argocd', '--charts', 'oci://registry.example.org/kk')

    const {exitCode, stdout, stderr} = await dryRun('--recursive', '--filename', out)

    expect(exitCode, stderr).toBe(0)
    expect(stdout.match(/^application\.argoproj\.io\S+ created/gm)).toHaveLength(4)
    expect(stdout).toMatch(/^appproject\.argoproj\.io/m)
  })

  it('the API server accepts an export for Argo Workflows', async () => {
    const out = await exported(environment, 'argo-workflows')

    const {exitCode, stderr} = await dryRun('--namespace', 'argo', '--filename', out)

    expect(exitCode, stderr).toBe(0)
  })

  it('the API server accepts the objects of the chart monitoring for the Prometheus operator', async () => {
    const values = {prometheus_operator: {enabled: true, labels: {release: 'kube-prometheus-stack'}}}
    const given = join(environment.directory, 'monitoring.yaml')
    const kkSection = {
      name: 'watched',
      namespace: 'argo',
      charts: [join(import.meta.dirname, '../../charts')],
    }
    await writeFile(given, JSON.stringify({kk: kkSection, monitoring: values}))
    const rendered = await kk(['render', given, '--output', 'json'])
    expect(rendered.exitCode, rendered.stderr).toBe(0)
    const {items} = JSON.parse(rendered.stdout) as {readonly items: readonly {readonly kind: string}[]}
    const objects = items.filter(({kind}) => OF_OPERATOR.has(kind))
    const file = join(environment.directory, 'monitors.json')
    await writeFile(file, JSON.stringify({apiVersion: 'v1', kind: 'List', items: objects}))

    const {exitCode, stdout, stderr} = await dryRun('--namespace', 'argo', '--filename', file)

    expect(exitCode, stderr).toBe(0)
    expect(stdout.match(/^podmonitor\S+ created/gm)).toHaveLength(4)
    expect(stdout).toContain('prometheusrule.monitoring.coreos.com/monitoring-alerts created')
  })

  it.each([
    ['flux', 'releases/api.yaml', /timeout: \S+/, 'timeout: soon', 'spec.timeout'],
    [
      'flux',
      'releases/api.yaml',
      'targetNamespace:',
      'targetNamespce:',
      'unknown field "spec.targetNamespce"',
    ],
    ['argocd', 'applications/api.yaml', 'destination:', 'destinatoin:', 'unknown field "spec.destinatoin"'],
  ])(
    'the API server refuses an export for %s with a typo in %s',
    async (format, file, right, wrong, says) => {
      const other = await makeEnvironment({content: content()})
      const out = await exported(other, format, '--charts', 'oci://registry.example.org/kk')
      const path = join(out, file)
      await writeFile(path, (await readFile(path, 'utf8')).replace(right, wrong))

      const {exitCode, stderr} = await dryRun('--filename', path)

      expect(exitCode).toBe(1)
      expect(stderr).toContain(says)
    },
  )
})

describe('helmfile', () => {
  const helmfile = (out: string, ...words: readonly string[]) =>
    execa('helmfile', ['--file', join(out, 'helmfile.yaml'), '--helm-binary', 'helm4', ...words], {
      env: withTools(),
      extendEnv: false,
      cwd: out,
      reject: false,
    })

  it('builds an export, and kk imports the output with the same releases', async () => {
    const environment = await makeEnvironment({content: content()})
    const out = await exported(environment, 'helmfile')
    await supplySecrets(environment, out)

    const built = await helmfile(out, 'build')
    const imported = await kk(['import', join(out, 'helmfile.yaml'), '--show-secrets'], {env: withTools()})

    expect(built.exitCode, built.stderr).toBe(0)
    expect(built.stdout).toContain('name: api')
    expect(imported.exitCode, imported.stderr).toBe(0)
    expect(imported.stdout).toContain('as helmfile build prints it')
    const {kk: settings, ...sections} = readYaml(imported.stdout) as Record<string, unknown>
    const {kk: _, ...stated} = content()
    expect(sections).toEqual(stated)
    expect(settings).toMatchObject({releases: {api: {requires: ['db']}, ping: {requires: ['db']}}})
  })

  it('installs from an export the same charts, values and manifests as kk deploys', async () => {
    const byKk = await makeEnvironment({content: content()})
    const byHelmfile = await makeEnvironment({content: content()})
    const out = await exported(byHelmfile, 'helmfile')
    await supplySecrets(byHelmfile, out)

    await byKk.deploy()
    const synced = await helmfile(out, 'sync')

    expect(synced.exitCode, synced.stderr).toBe(0)
    expect(await installedIn(byHelmfile.name)).toEqual(await installedIn(byKk.name))
  })
})

describe('secrets that are exported for an age recipient', () => {
  let key: string
  let recipient: string
  beforeAll(async () => {
    key = join(inject('run').home, 'age.key')
    const {stderr} = await execa(join(tools, 'age-keygen'), ['--output', key])
    recipient = /age1\w+/.exec(stderr)![0]
  })
  const withKey = () => ({...withTools(), SOPS_AGE_KEY_FILE: key})

  it('are encrypted by sops, which decrypts them to the original values', async () => {
    const environment = await makeEnvironment({content: content()})
    // As in repositories of Flux: of other files, these keys alone would be encrypted.
    const rule = {path_regex: '.*', encrypted_regex: '^(data|stringData)$', age: recipient}
    await writeFile(join(environment.directory, '.sops.yaml'), JSON.stringify({creation_rules: [rule]}))
    const out = await exported(
      environment,
      'flux',
      ...['--charts', 'oci://registry.example.org/kk'],
      ...['--sops-age', recipient],
    )
    const plain = await exported(environment, 'helm', '--sops-age', recipient)
    const decrypted = async (file: string) => {
      const options = {env: withKey(), extendEnv: false, stripFinalNewline: false} as const
      return readYaml((await execa('sops', ['--decrypt', file], options)).stdout)
    }

    const [ofFlux, ofHelm] = [join(out, 'secrets/db.yaml'), join(plain, 'secrets/db.yaml')]

    for (const file of [ofFlux, ofHelm]) expect(await readFile(file, 'utf8')).not.toContain(PASSWORD)
    expect(await decrypted(ofHelm)).toEqual({auth: {password: PASSWORD}})
    const secret = await decrypted(ofFlux)
    expect(secret).toMatchObject({
      kind: 'Secret',
      metadata: {name: `${environment.name}.db-secret-values`, namespace: 'flux-system'},
      stringData: {'values.yaml': `auth:\n  password: ${PASSWORD}\n`},
    })
  })

  it('are passed to helm by the script, which installs the same as kk deploys', async () => {
    const byKk = await makeEnvironment({content: content()})
    const bySops = await makeEnvironment({content: content()})
    const out = await exported(bySops, 'helm', '--sops-age', recipient)

    await byKk.deploy()
    const {exitCode, stderr} = await execa(join(out, 'deploy.sh'), {
      env: {...withKey(), HELM: 'helm4'},
      extendEnv: false,
      reject: false,
    })

    expect(exitCode, stderr).toBe(0)
    expect(await installedIn(bySops.name)).toEqual(await installedIn(byKk.name))
  })
})
