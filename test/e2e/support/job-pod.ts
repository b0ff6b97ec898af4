import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {load} from 'js-yaml'
import {inject} from 'vitest'
import {killedAt} from '../../support/killed-at.ts'
import {askApi} from './api.ts'
import {get, kubectl, uniqueName, waitFor} from './cluster.ts'
import {kkEnvironment} from './kk.ts'

/** Simulated, and running for ever: what it does, a process of the test does in its place. */
export const ENDLESS_IMAGE = 'sandbox.kk.openstack.org/never-ready:1'

interface Pod {
  readonly metadata: {readonly name: string; readonly uid: string}
  readonly spec: {
    readonly serviceAccountName: string
    readonly containers: readonly [
      {
        readonly name: string
        readonly command: readonly string[]
        readonly volumeMounts: readonly {readonly name: string; readonly mountPath: string}[]
      },
    ]
    readonly volumes: readonly {readonly name: string; readonly secret?: {readonly secretName: string}}[]
  }
  readonly status: {readonly phase: string}
}

/** A pod of the Job of a run, with what the node would give it. */
export interface JobPod {
  readonly name: string
  /**
   * Runs its command with the files and the rights of the pod, and no other; resolves when that has ended.
   */
  run(
    env?: Readonly<Record<string, string>>,
    killAt?: number,
  ): Promise<{
    readonly exitCode?: number | undefined
    readonly signal?: string | undefined
    readonly stderr: string
  }>
  /** Has the node say that it has ended with this exit code. */
  ended(exitCode: number): Promise<void>
}

/** Resolves with the pod of a run that is at work, once it runs; not with one of these names. */
export async function podOfRun(
  run: string,
  namespace: string,
  former: readonly string[] = [],
): Promise<JobPod> {
  const selector = `kk.openstack.org/run=${run}`
  const pod = await waitFor(
    async () => {
      const {items} = await get<{items: readonly Pod[]}>(
        ...['pods', '--namespace', namespace, '--selector', selector],
      )
      return items.find(({metadata, status}) => status.phase === 'Running' && !former.includes(metadata.name))
    },
    {until: `a pod of run ${run} is at work`},
  )
  const {name} = pod.metadata
  const [container] = pod.spec.containers
  return {
    name,
    async run(env = {}, killAt) {
      const directory = join(inject('run').home, uniqueName(name))
      const [named, ...args] = await mounted(pod, namespace, directory)
      if (named !== 'kk') throw new Error(`the pod runs ${named}`)
      const [program, words] = killedAt(killAt, [inject('run').kk, ...args])
      return await execa(program, words, {
        env: {
          ...kkEnvironment(),
          KUBECONFIG: await kubeconfigOf(pod, namespace, directory),
          XDG_STATE_HOME: join(directory, 'state'),
          ...env,
        },
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
      })
    },
    async ended(exitCode) {
      const terminated = {exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: new Date()}
      const containerStatuses = [{name: container.name, image: ENDLESS_IMAGE, imageID: '', ready: false}]
      const status = {
        phase: exitCode === 0 ? 'Succeeded' : 'Failed',
        containerStatuses: containerStatuses.map((each) => ({
          ...{...each, restartCount: 0},
          state: {terminated},
        })),
      }
      await kubectl([
        ...['patch', 'pod', name, '--namespace', namespace, '--subresource', 'status'],
        ...['--type', 'merge', '--patch', JSON.stringify({status})],
      ])
    },
  }
}

/** Writes the files that the pod mounts, and returns its command with their place. */
async function mounted(pod: Pod, namespace: string, directory: string): Promise<readonly string[]> {
  const [{command, volumeMounts}] = pod.spec.containers
  let words = command
  for (const {name, secret} of pod.spec.volumes) {
    if (!secret) continue
    const path = `/api/v1/namespaces/${namespace}/secrets/${secret.secretName}`
    const {data} = await askApi<{data: Record<string, string>}>(inject('run').kubeconfig, {path})
    const place = join(directory, name)
    await mkdir(place, {recursive: true})
    for (const [file, text] of Object.entries(data))
      await writeFile(join(place, file), Buffer.from(text, 'base64'))
    const {mountPath} = volumeMounts.find((mount) => mount.name === name)!
    words = words.map((word) => (word === mountPath ? place : word))
  }
  return words
}

async function kubeconfigOf({spec}: Pod, namespace: string, directory: string): Promise<string> {
  const token = await kubectl(['create', 'token', spec.serviceAccountName, '--namespace', namespace])
  const config = load(await readFile(inject('run').kubeconfig, 'utf8')) as {users: readonly {name: string}[]}
  const users = config.users.map(({name}) => ({name, user: {token}}))
  const path = join(directory, 'kubeconfig')
  await writeFile(path, JSON.stringify({...config, users}), {mode: 0o600})
  return path
}
