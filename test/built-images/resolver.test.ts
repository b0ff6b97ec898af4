import {join} from 'node:path'
import {expect, it} from 'vitest'
import {CHARTS, useCharts} from '../own-charts/support/charts.ts'
import {find} from '../own-charts/support/objects.ts'
import {containerOf} from './support/container.ts'
import {imageOf} from './support/images.ts'

const charts = await useCharts()

/**
 * Connects to a server on this machine by its name, with Open vSwitch's library, and prints the error (0 for
 * none).
 */
const CONNECT = `
import socket
from ovs import stream
server = socket.create_server(("127.0.0.1", 0))
error, _ = stream.Stream.open_block(stream.Stream.open("tcp:localhost:%d" % server.getsockname()[1]), 5000)
print("error", error)
`

it("Open vSwitch's library connects to names without python3-unbound, as in kolla's images", async () => {
  const files = [join(CHARTS, 'values_overrides/neutron/kolla.yaml')]
  const {data = {}} = find(await charts.render('neutron', {files}), 'ConfigMap', 'neutron-bin')
  const container = await containerOf(imageOf('neutron-server'))
  const connect = (path: string) =>
    container.run(`PYTHONPATH=${path} python3 -c '${CONNECT}'`, {isAlone: true})
  await container.run(`mkdir -p /tmp/kolla /tmp/charts
    echo 'raise ImportError' | tee /tmp/kolla/unbound.py >/tmp/charts/unbound.py
    cat >/tmp/charts/sitecustomize.py <<'PYTHON'\n${data['sitecustomize.py']}\nPYTHON`)

  const [without, with_] = [await connect('/tmp/kolla'), await connect('/tmp/charts')]

  expect(without.says).toMatch(/error (?!0\b)/)
  expect(with_.says.trim()).toBe('error 0')
})
