import {join} from 'node:path'
import {execa} from 'execa'
import {afterAll, beforeAll, describe, expect, inject, it} from 'vitest'
import type {RunEntry} from '../../src/kubernetes/records/run-entry.ts'
import {kubectl} from './support/cluster.ts'
import {type Corner, openCorner, TWO} from './support/corner.ts'
import {kkEnvironment} from './support/kk.ts'

interface Served {
  readonly url: string
  stop(): Promise<void>
}

const ENVIRONMENT = TWO.replace('api: {}', 'api: {conf: {a: b}}')

/** Starts `kk serve` in a corner, with a store of its own; resolves once it listens. */
async function serve(corner: Corner, args: readonly string[]): Promise<Served> {
  const child = execa(
    inject('run').kk,
    ['serve', '--listen', '127.0.0.1:0', '--store', join(corner.directory, 'store.sqlite'), ...args],
    {cwd: corner.directory, env: kkEnvironment(), extendEnv: false, reject: false, stdin: 'ignore'},
  )
  let log = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
      const [, found] = /serving .* at (http\S+)/.exec(log) ?? []
      if (found !== undefined) resolve(found)
    })
    void child.then(() => reject(new Error(log)))
  })
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await child
    },
  }
}

let corner: Corner
let served: Served
beforeAll(async () => {
  corner = await openCorner(ENVIRONMENT)
  const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml', '--message', 'the <first> one'])
  expect(exitCode, stderr).toBe(0)
  served = await serve(corner, ['-e', 'env.yaml'])
})
afterAll(() => served?.stop())

const part = async (path: string) => {
  const answer = await fetch(served.url + path, {headers: {'hx-request': 'true'}})
  return {status: answer.status, body: await answer.text()}
}

describe('the pages of kk serve on a cluster', () => {
  it('show what kk status, kk plan and kk history show', async () => {
    const history = JSON.parse((await corner.kk(['history', 'env.yaml', '--output', 'json'])).stdout)
    const [run] = history.runs as readonly RunEntry[]

    const overview = await part('/parts/status')
    const plan = await part('/plan/parts/plan')
    const runs = await part('/history/parts/runs')
    const one = await part(`/runs/${run!.id}/parts/run`)
    const fleet = await part('/fleet/parts/environments')

    expect(overview.body).toContain('<strong>2 of 2</strong> releases are deployed and healthy')
    expect(overview.body.match(/class="node good"/g)).toHaveLength(2)
    expect(plan.body).toContain('2 unchanged')
    expect(runs.body).toContain('the &lt;first&gt; one')
    expect(one.body).toMatch(/Outcome: <span class="good">succeeded<\/span>/)
    expect(one.body).toContain(`href="/releases/${corner.name}/db"`)
    expect(fleet.body).toContain(corner.name)
    expect([overview, plan, runs, one, fleet].map(({status}) => status)).toEqual([200, 200, 200, 200, 200])
  })

  it('show the revisions of a release, and the layer of each value', async () => {
    const revisions = await part(`/releases/${corner.name}/api/parts/revisions`)
    const values = await part(`/releases/${corner.name}/api/parts/values?all=true`)

    expect(revisions.body).toContain(`Of the environment ${corner.name}.`)
    expect(revisions.body).toContain('<span class="good">passed</span>')
    expect(values.body).toContain('<th scope="col">Defaults of the chart</th>')
    expect(values.body).toContain('<code>conf.a</code>')
  })

  it('show a deleted object as drift and in the plan, and a change of the file in the plan', async () => {
    await kubectl(['delete', 'configmap', 'api', '--namespace', corner.name])
    await corner.write('env.yaml', ENVIRONMENT.replace('a: b', 'a: changed'))

    const drift = await part('/drift/parts/drift')
    const plan = await part('/plan/parts/plan')

    expect(drift.body).toContain('1 of 2 releases differ')
    expect(drift.body).toMatch(/ConfigMap\/api is gone/)
    expect(drift.body).toContain('kk upgrade api --correct-drift')
    expect(plan.body).toMatch(/~ upgrade<\/span><\/td><th scope="row">api</)
  })

  it('show an error of the file with its code, and go on when it is corrected', async () => {
    await corner.write('env.yaml', `${ENVIRONMENT}\nnowhere: {}\n`)
    const broken = await part('/plan/parts/plan')
    await corner.write('env.yaml', ENVIRONMENT)
    const corrected = await part('/plan/parts/plan')

    expect(broken.status).toBeGreaterThanOrEqual(400)
    expect(broken.body).toMatch(/role="alert".*<strong>KK_\w+<\/strong>: .*nowhere/)
    expect(corrected.status).toBe(200)
  })

  it('say that the operator is not known if the cluster has none, or list its Environments', async () => {
    const {status, body} = await part('/fleet/parts/fleet')

    expect(status).toBe(200)
    expect(body).toMatch(
      /the operator is not installed; to install it: kk operator install|<th scope="col">phase/,
    )
  })

  it('show the graph, and the error, if no cluster answers', async () => {
    const kubeconfig = await corner.write(
      'unreachable.yaml',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{name: 'unreachable', cluster: {server: 'https://127.0.0.1:9'}}],
        users: [{name: 'admin', user: {token: 'none'}}],
        contexts: [{name: 'unreachable', context: {cluster: 'unreachable', user: 'admin'}}],
        'current-context': 'unreachable',
      }),
    )
    const alone = await serve(corner, ['-e', 'env.yaml', '--kubeconfig', kubeconfig])
    const answer = await fetch(`${alone.url}/parts/status`, {headers: {'hx-request': 'true'}})
    const body = await answer.text()
    await alone.stop()

    expect(body.match(/>not known</g)).toHaveLength(2)
    expect(body).toMatch(/<strong>KK_UNREACHABLE<\/strong>/)
  })
})
