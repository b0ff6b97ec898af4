import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {imageOf} from './images.ts'
import {linesOf, startClient} from './own-cloud.ts'

const NAME = 'steady-client'

/** Who asks: the administrator of `environments/cloud.yaml`, through the Services of the namespace. */
export const ACCOUNT = {
  OS_AUTH_URL: 'http://keystone-api:5000/v3',
  OS_USERNAME: 'admin',
  OS_PASSWORD: 'dev-admin',
  OS_PROJECT_NAME: 'admin',
  OS_USER_DOMAIN_NAME: 'Default',
  OS_PROJECT_DOMAIN_NAME: 'Default',
}

/**
 * Python that runs `ask()` twice a second, each call by a connection of its own, and prints what came of it.
 */
const script = (ask: string) => `python3 -u - <<'PYTHON'
import json, os, time, urllib.request

def call(method, url, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=20) as answer:
        text = answer.read()
        return answer.headers, json.loads(text) if text else None

def token():
    password = {"user": {"name": "admin", "domain": {"id": "default"}, "password": os.environ["OS_PASSWORD"]}}
    scope = {"project": {"name": "admin", "domain": {"id": "default"}}}
    auth = {"identity": {"methods": ["password"], "password": password}, "scope": scope}
    return call("POST", "http://keystone-api:5000/v3/auth/tokens", {"auth": auth})[0]["X-Subject-Token"]

${ask}

while True:
    began = time.monotonic()
    try:
        ask()
        print("answered")
    except Exception as error:
        print("failed after %.1f s: %r" % (time.monotonic() - began, error))
    time.sleep(max(0, 0.5 - (time.monotonic() - began)))
PYTHON`

/**
 * Starts a client that uses an API until its namespace goes: `ask` is Python with a function of that name.
 */
export async function startSteadyClient(namespace: string, ask: string): Promise<void> {
  await startClient({namespace, name: NAME, image: imageOf('toolbox'), script: script(ask), env: ACCOUNT})
  await waitFor(async () => (await linesOf(namespace, NAME)).includes('answered'), {
    until: 'the client has had an answer',
    seconds: 120,
  })
}

/** What a command of OpenStack's client prints in that pod; rejects when it fails. */
export function openstack(namespace: string, ...args: readonly string[]): Promise<string> {
  return kubectl(['exec', '--namespace', namespace, NAME, '--', 'openstack', ...args])
}

/** The same, read as JSON. */
export async function openstackJson<T>(namespace: string, ...args: readonly string[]): Promise<T> {
  return JSON.parse(await openstack(namespace, ...args, '--format', 'json'))
}

/**
 * What that client saw from the time when `change` began until ten answers after its end: `answered`, or what
 * went wrong.
 */
export async function answersDuring(
  namespace: string,
  change: () => Promise<unknown>,
): Promise<readonly string[]> {
  const lines = () => linesOf(namespace, NAME)
  const before = (await lines()).length
  await change()
  const after = (await lines()).length
  const all = await waitFor(
    async () => {
      const now = await lines()
      return now.length >= after + 10 && now
    },
    {until: 'the client has asked ten times more'},
  )
  return all.slice(before)
}
