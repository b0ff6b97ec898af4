import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it, type TestContext} from 'vitest'
import type {ErrorCode} from '../../../src/base/errors.ts'
import {kubectl, uniqueName, waitFor} from '../support/cluster.ts'
import type {Corner} from '../support/corner.ts'
import {expectRefusal, openStanding} from '../support/refusal.ts'

const CHANGE = ['deploy', 'env.yaml', '--set', 'standing:replicas=2']

let corner: Corner
beforeAll(async () => {
  corner = await openStanding()
})

/** A kubeconfig with one context, `elsewhere`. */
function kubeconfigOf(cluster: object, user: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'elsewhere',
    contexts: [{name: 'elsewhere', context: {cluster: 'elsewhere', user: 'somebody'}}],
    clusters: [{name: 'elsewhere', cluster}],
    users: [{name: 'somebody', user}],
  })
}

/** A home directory without a kubeconfig, which kk creates for its cache. */
const EMPTY_HOME = join(inject('run').home, 'empty-home')

describe.concurrent('kk deploy refuses', () => {
  it.each<[string, readonly string[], Record<string, string>, ErrorCode, string | RegExp, string]>([
    [
      'to go on without a kubeconfig',
      [],
      {KUBECONFIG: '', HOME: EMPTY_HOME},
      'KK_KUBECONFIG',
      `no kubeconfig was found (${EMPTY_HOME}/.kube/config)`,
      'or use --sandbox for a throwaway cluster',
    ],
    [
      'a kubeconfig that does not exist',
      ['--kubeconfig', '/nonexistent/config'],
      {},
      'KK_KUBECONFIG',
      '/nonexistent/config',
      'name a kubeconfig with --kubeconfig or KUBECONFIG',
    ],
    [
      'a context that the kubeconfig does not have',
      ['--context', 'sandbox-e2'],
      {},
      'KK_KUBECONFIG',
      /the kubeconfig has no context "sandbox-e2"; it has "sandbox-e2e-\d+"/,
      'did you mean --context sandbox-e2e-',
    ],
  ])('%s', (_, args, env, code, says, hint) =>
    expectRefusal(corner, [...CHANGE, ...args], {exit: 2, code, says, hint}, {env}),
  )

  it('a kubeconfig that is not YAML', async () => {
    const kubeconfig = await corner.write('broken-config', 'contexts: [\n')

    await expectRefusal(corner, [...CHANGE, '--kubeconfig', kubeconfig], {
      exit: 2,
      code: 'KK_KUBECONFIG',
      says: kubeconfig,
      hint: 'name a kubeconfig',
    })
  })

  it('a cluster that does not respond', async () => {
    const address = await closedAddress()
    const kubeconfig = await corner.write('unreachable', kubeconfigOf({server: `https://${address}`}))

    await expectRefusal(corner, [...CHANGE, '--kubeconfig', kubeconfig], {
      exit: 1,
      code: 'KK_UNREACHABLE',
      says: `the cluster of context "elsewhere" does not answer at https://${address}: connection refused`,
      hint: 'check that the cluster runs and that this is the context you mean (--context)',
    })
  })

  it('a cluster with a certificate that the kubeconfig does not trust', async () => {
    const {server} = clusterOfRun(await configOfRun())
    const kubeconfig = await corner.write('untrusted', kubeconfigOf({server}))

    await expectRefusal(corner, [...CHANGE, '--kubeconfig', kubeconfig], {
      exit: 1,
      code: 'KK_UNREACHABLE',
      says: 'its certificate is not signed by the authority of the kubeconfig',
      hint: 'check that',
    })
  })

  it('a Kubernetes that is too old', async ({onTestFinished}) => {
    const server = await oldKubernetes(onTestFinished)
    const kubeconfig = await corner.write('old', kubeconfigOf({server}))

    await expectRefusal(corner, [...CHANGE, '--kubeconfig', kubeconfig], {
      exit: 2,
      code: 'KK_KUBERNETES_VERSION',
      says: 'the cluster of context "elsewhere" runs Kubernetes v1.28.15; kk needs 1.29 or newer',
      hint: 'upgrade the cluster, or choose another with --context',
    })
  })
})

describe.concurrent('an environment that belongs to a context', () => {
  const belonging =
    'kk:\n  OWN\n  context: production\n  releases: {standing: {chart: workload}}\nstanding: {replicas: 2}\n'

  it('is not deployed to another', async () => {
    await corner.write('belonging.yaml', belonging)

    await expectRefusal(corner, ['deploy', 'belonging.yaml', '--context', inject('run').context], {
      exit: 3,
      code: 'KK_WRONG_CONTEXT',
      says: `belonging.yaml belongs to the context production, but ${inject('run').context} was specified`,
      hint: 'change kk.context in the file, or omit --context',
    })
  })

  it('is not deployed to the current context if its own context does not exist', async () => {
    await corner.write('absent.yaml', belonging)

    await expectRefusal(corner, ['deploy', 'absent.yaml'], {
      exit: 2,
      code: 'KK_KUBECONFIG',
      says: 'the kubeconfig has no context "production"',
      hint: '--context',
    })
  })
})

describe.concurrent('a user', () => {
  it('with unknown credentials gets an error about the credentials', async () => {
    const kubeconfig = await corner.write('unknown-user', await asUser({token: 'not-a-token'}))

    await expectRefusal(corner, [...CHANGE, '--kubeconfig', kubeconfig], {
      exit: 1,
      code: 'KK_FORBIDDEN',
      says: 'does not accept the credentials of context "elsewhere"',
      hint: 'log in again, or repair the user of this context in the kubeconfig',
    })
  })

  it('without permissions gets an error with the missing permission', async () => {
    const kubeconfig = await asAccount(corner, [])

    await expectRefusal(corner, [...CHANGE, '--kubeconfig', kubeconfig], {
      exit: 1,
      code: 'KK_FORBIDDEN',
      says: /context "elsewhere" may not .* is forbidden: User "system:serviceaccount:NAME:\S+" cannot /,
      hint: 'ask for a role that allows it, or use another context',
    })
  })

  it('with read permissions can plan, and is refused before the first change', async () => {
    const kubeconfig = await asAccount(corner, ['get', 'list', 'watch'])

    const plan = await corner.kk(['plan', 'env.yaml', '--kubeconfig', kubeconfig, '--save', 'plan.json'])

    expect(plan.exitCode, plan.stderr).toBe(0)
    await expectRefusal(corner, [...CHANGE, '--kubeconfig', kubeconfig], {
      exit: 1,
      code: 'KK_FORBIDDEN',
      says: /context "elsewhere" may not .*deployments.* is forbidden/,
      hint: 'ask for a role that allows it, or use another context',
    })
  })
})

/** A loopback address on which nobody listens any more. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const {port} = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `127.0.0.1:${port}`
}

/** As much of an API server as says its age. */
async function oldKubernetes(onTestFinished: TestContext['onTestFinished']): Promise<string> {
  const server = createServer((request, response) => {
    const answer =
      request.url === '/version'
        ? {major: '1', minor: '28', gitVersion: 'v1.28.15'}
        : {metadata: {name: 'kube-system', uid: 'a-uid'}, items: []}
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Kubeconfig {
  readonly clusters: readonly {readonly cluster: {readonly server: string}}[]
}

async function configOfRun(): Promise<Kubeconfig> {
  return JSON.parse(await kubectl(['config', 'view', '--raw', '--output', 'json']))
}

function clusterOfRun({clusters}: Kubeconfig) {
  return clusters[0]!.cluster
}

/** The kubeconfig of another user on the control plane of the run. */
async function asUser(user: object): Promise<string> {
  return kubeconfigOf(clusterOfRun(await configOfRun()), user)
}

/**
 * The file of a new service account which may do these things, all over the cluster; the cluster knows it by
 * then.
 */
async function asAccount({name, write, kk}: Corner, verbs: readonly string[]): Promise<string> {
  const account = uniqueName('account')
  await kubectl(['create', 'serviceaccount', account, '--namespace', name])
  if (verbs.length > 0) {
    await kubectl(['create', 'clusterrole', account, `--verb=${verbs.join(',')}`, '--resource=*.*,*'])
    await kubectl([
      ...['create', 'clusterrolebinding', account],
      ...['--clusterrole', account, '--serviceaccount', `${name}:${account}`],
    ])
  }
  const token = await kubectl(['create', 'token', account, '--namespace', name])
  const file = await write(account, await asUser({token}))
  const isKnown = async () => {
    const {stderr} = await kk(['plan', 'env.yaml', '--kubeconfig', file])
    return !stderr.includes('does not accept the credentials')
  }
  await waitFor(isKnown, {until: 'the API server knows the new account'})
  return file
}
