import {beforeAll, expect, it} from 'vitest'
import {succeed} from '../support/cloud.ts'
import {pushImages} from '../support/images.ts'
import {phase} from '../support/phase.ts'
import {expectConsistent, nodesUp, withTempest} from '../support/several-nodes.ts'
import {tempestResults} from '../support/tempest.ts'

const HOUR = 3_600_000
/** Tempest's tests that move servers between hypervisors, or place them on a chosen one. */
const TESTS =
  '^tempest\\.(api\\.compute\\.admin\\.(test_migrations|test_live_migration|test_servers_on_multinodes)|scenario\\.test_network_advanced_server_ops)\\..*\\bmultinode\\b'

beforeAll(nodesUp, HOUR)

it(
  "nova, neutron, cinder, tempest: OpenStack's tests that need two hypervisors pass",
  async () => {
    const file = await withTempest({conf: {run: {regex: TESTS, workers: 1}}})
    await pushImages('tempest')
    await phase('tempest deployed', () => succeed(['deploy', file, '--yes']))

    const tests = await phase("Tempest's tests of two nodes", () => tempestResults(file))

    const of = (wanted: string) => tests.filter(({outcome}) => outcome === wanted)
    process.stderr.write(`${of('passed').length} passed, ${of('skipped').length} skipped\n`)
    for (const {name, text = ''} of of('skipped')) process.stderr.write(`skipped: ${name}: ${text}\n`)
    expect(of('failed')).toEqual([])
    expect(of('passed').length).toBeGreaterThanOrEqual(12)
    await expectConsistent()
  },
  1.5 * HOUR,
)
