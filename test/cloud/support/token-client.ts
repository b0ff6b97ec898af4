import {waitFor} from '../../e2e/support/cluster.ts'
import {NAMESPACE} from './cloud.ts'
import {imageOf} from './images.ts'
import {linesOf, startClient} from './own-cloud.ts'

const NAME = 'token-client'

/** Asks for a token twice a second through the Service, by connections of its own, and prints what came of each. */
const SCRIPT = `python3 -u - <<'PYTHON'
import json, time, urllib.request
password = {"user": {"name": "admin", "domain": {"id": "default"}, "password": "dev-admin"}}
scope = {"project": {"name": "admin", "domain": {"id": "default"}}}
body = json.dumps({"auth": {"identity": {"methods": ["password"], "password": password}, "scope": scope}}).encode()
while True:
    began = time.monotonic()
    try:
        call = urllib.request.Request("http://keystone-api:5000/v3/auth/tokens", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(call, timeout=20) as answer:
            print("token" if answer.headers["X-Subject-Token"] else "no token")
    except Exception as error:
        print("failed after %.1f s: %r" % (time.monotonic() - began, error))
    time.sleep(max(0, 0.5 - (time.monotonic() - began)))
PYTHON`

/** Starts a client in the cloud that asks Keystone for tokens until its pod is deleted. */
export async function startTokenClient(): Promise<void> {
  await startClient({namespace: NAMESPACE, name: NAME, image: imageOf('toolbox'), script: SCRIPT})
}

/** What that client saw from the time when `change` began until ten answers after its end: `token`, or what went wrong. */
export async function answersDuring(change: () => Promise<unknown>): Promise<readonly string[]> {
  const lines = () => linesOf(NAMESPACE, NAME)
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
