import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {writeFiles} from '../charts/support/write-files.ts'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()
const objects = await charts.render('tempest')
const scripts = find(objects, 'ConfigMap', 'tempest-bin').data!
const results = scripts['tempest-results.py']!

/** What a program prints; it has what reads Tempest's stream by name alone. */
async function python(program: string): Promise<string> {
  const nothing =
    'import sys, types\nfor name in ("subunit", "testtools"): sys.modules[name] = types.ModuleType(name)\n'
  const {stdout} = await execa('python3', ['-c', `${nothing}${program}`])
  return stdout
}

/** The start of a program: `kept` are the results of tests in a directory, the `place`. */
const resultsIn = (directory: string) => `${results}
import pathlib
place = pathlib.Path(${JSON.stringify(directory)})
kept = Kept(place / "results.jsonl")`

describe('an excluded test of Tempest', () => {
  it('has a reason: a missing requirement or an upstream bug', () => {
    const excluded = JSON.parse(find(objects, 'ConfigMap', 'tempest-etc').data!['excluded.json']!) as {
      readonly test: string
      readonly reason: string
      readonly nodes?: number
      readonly needs?: string
      readonly bug?: string
    }[]

    expect(excluded.length).toBeGreaterThan(0)
    for (const {test, reason, nodes, needs, bug} of excluded) {
      expect(reason, test).not.toBe('')
      if (nodes === undefined && needs === undefined) expect(bug, test).toMatch(/^https:\/\//)
    }
  })

  it('counts as failed like a skipped one, except for missing requirements', async () => {
    const place = writeFiles({})
    const said = await python(`${resultsIn(place)}
for name, status in (("passed", "passed"), ("skipped", "skipped"), ("other", "passed")):
    kept.add({"id": "a.B." + name, "status": status, "seconds": 1, "text": ""})
reasons = {"a.B.known": {"reason": "a bug", "bug": "https://example.org"}, "a.B.two": {"nodes": 2, "reason": "moves"}}
print(conclude(place, kept, ["a.B." + name for name in ("passed", "skipped", "other", "known", "two")], reasons))`)

    expect(said).toContain('# 2 of 4 that this cloud could pass: 50.0 %')
    expect(said).toMatch(/\n0$/)
    expect(await readFile(join(place, 'junit.xml'), 'utf8')).toContain(
      'tests="5" failures="0" errors="0" skipped="3"',
    )
  })

  it('does not include tests that were not run in time, which are errors and run in the next call', async () => {
    const place = writeFiles({})
    const said = await python(`${resultsIn(place)}
kept.add({"id": "a.B.one", "status": "passed", "seconds": 1, "text": ""})
print(conclude(place, kept, ["a.B.one", "a.B.two"], {}))
again = Kept(place / "results.jsonl")
print([again.is_done("a.B." + name) for name in ("one", "two")])`)

    expect(said).toMatch(/\n1\n\[True, False\]$/)
  })
})

it('shards contain each test once, and the tests of a class together', async () => {
  const [ofShard] = /^def of_shard[\s\S]*?(?=\n\n\nos\.chdir)/m
    .exec(scripts['tempest-run.py']!)!
    .map((text) => text.replace(/^def run[\s\S]*/m, ''))
  const said = await python(`${results}
import hashlib
results = types.SimpleNamespace(class_of=class_of)
${ofShard}
tests = ["a.C%d.test_%d[id]" % (c, t) for c in range(20) for t in range(3)]
shards = [of_shard(tests, "%d/8" % n) for n in range(1, 9)]
print(sorted(sum(shards, [])) == sorted(tests))
print(all(len({class_of(t) for t in shard}) * 3 == len(shard) for shard in shards))`)

  expect(said).toBe('True\nTrue')
})
