import {expect, inject, it} from 'vitest'
import {emptyCorner} from './support/corner.ts'
import {openTerminal} from './support/terminal.ts'

it('kk init asks six questions, and kk accepts the written file unchanged', async () => {
  const corner = await emptyCorner('init')
  const terminal = openTerminal(`cd ${corner.directory} && ${inject('run').kk} init`, {
    columns: 120,
    rows: 30,
  })
  const answers = [
    [/name of the environment \[init-.*\]:\s*$/, corner.name],
    [/namespace of its releases \[openstack\]:\s*$/, 'A_b'],
    [/expected the name of a namespace[\s\S]*namespace of its releases \[openstack\]:\s*$/, corner.name],
    [/services, out of [\s\S]*keystone,\s*glance,\s*hor\s*izon\]:\s*$/, 'memcached'],
    [/kubeconfig context[^\n]*:\s*$/, ''],
    [/store data on volumes[^\n]*\[yes\]:\s*$/, 'no'],
    [/registry of the images[^\n]*\[localhost:5010\]:\s*$/, ''],
  ] as const

  for (const [question, answer] of answers) {
    await terminal.shows(question)
    terminal.type(`${answer}\r`)
  }
  const {exitCode, everything} = await terminal.end()
  const planned = await corner.kk(['plan'])
  const split = await corner.kk(['values', 'split', '--stdout'])
  const again = await corner.kk(['init', '--output', 'json'])

  expect(exitCode, everything).toBe(0)
  expect(everything).toContain('wrote kk.yaml, .gitignore, environment.schema.json')
  expect(planned.stdout, planned.stderr).toMatch(/\+ install +memcached[\s\S]*plan: 1 to install/)
  expect(split.stdout).toContain(
    '# Source: memcached.yaml\nglobal:\n  images:\n    registry: localhost:5010\n  storage:\n    ephemeral: true',
  )
  expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([2, {error: {code: 'KK_FILE'}}])
})
