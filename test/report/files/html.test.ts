import {instance} from '@viz-js/viz'
import {expect, it} from 'vitest'
import {htmlReport} from '../../../src/report/files/html.ts'
import {brokenRun, expecting, goodRun} from '../support/all-in-one.ts'
import {recorder} from '../support/recorder.ts'
import {readPage} from './support/read-by-python.ts'
import {brokenOff, failing, stateOf} from './support/state-of.ts'

const NASTY = '</style><script>alert(1)</script>"\' onload=x <!-- ]]> \u0007 https://example.org/x.js'

it.each([
  ['succeeded', goodRun()],
  ['failed', brokenRun()],
  ['was broken off', brokenOff()],
  ['failed with texts that look like markup', failing(NASTY)],
])('the page of a run that %s is well-formed, loads nothing and runs nothing', async (_ending, events) => {
  const page = await htmlReport(stateOf(events), instance)
  const {problems, focusable} = await readPage(page)

  expect(problems).toEqual([])
  expect(focusable).toBeGreaterThan(3)
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
})

it('the page of a run explains its colours and bars in words', async () => {
  const {text} = await readPage(await htmlReport(stateOf(goodRun()), instance))

  expect(text).toContain('The run succeeded after 47 s: 6 succeeded')
  expect(text).toContain('✔ installed, revision 1')
  expect(text).toContain('longest path: mariadb (12 s) → keystone (19 s) → glance (16 s)')
  expect(text).toMatch(/keystone.*00:12 after mariadb.*19 s health 17 s/)
})

it('the page of a run has what earlier runs let expect', async () => {
  const events = expecting(goodRun(), {keystone: {seconds: 6, runs: 2}, glance: {seconds: 3, runs: 0}})

  const {text} = await readPage(await htmlReport(stateOf(events), instance))

  expect(text).toMatch(/keystone.*19 s expected 6 s, health 17 s/)
  // The estimate of a first installation.
  expect(text).not.toContain('expected about 3 s')
})

it('the page of a run contains each failure with its log, with links from the table and the graph', async () => {
  const {text, links} = await readPage(await htmlReport(stateOf(brokenRun()), instance))

  expect(text).toContain('keystone failed after 28 s')
  expect(text).toContain('What to do next: look at the pod with "kubectl -n openstack logs')
  expect(text).toContain('Skipped because of it: glance, horizon')
  expect(text).toContain('Traceback (most recent call last):\nOperationalError: (1045) Access denied')
  expect(links).toEqual(expect.arrayContaining(['#failures', '#failure-4', '#release-4']))
})

it('the page of a run has the graph by Graphviz, each release with the class of its result', async () => {
  const page = await htmlReport(stateOf(brokenRun()), instance)

  expect([...page.matchAll(/class="node (\w+)"/g)].map(([, state]) => state).toSorted()).toEqual([
    'failed',
    'skipped',
    'skipped',
    'succeeded',
    'succeeded',
    'succeeded',
  ])
  expect(page.match(/class="edge"/g)).toHaveLength(5)
})

it('the page of a run frames groups, and dashes edges to requirements that need only exist', async () => {
  const run = recorder({nova: ['neutron'], neutron: ['nova']})
  const begin = run.begin()
  if (begin.type !== 'run-started') throw new Error(begin.type)
  const actions = begin.actions.map((action) => ({...action, applied: action.requires}))

  const page = await htmlReport(stateOf([{...begin, actions}]), instance)

  expect(page).toContain('class="cluster"')
  expect(page.match(/stroke-dasharray/g)).toHaveLength(3)
})

it('the page of a run omits, with a note, a drawing of more releases than Graphviz can lay out quickly', async () => {
  const names = Array.from({length: 301}, (_, index) => [`service-${index}`, []] as const)
  const run = recorder(Object.fromEntries(names))

  const page = await htmlReport(stateOf([run.begin(), run.finish(1, 'succeeded')]), () => {
    throw new Error('Graphviz is not to be loaded')
  })

  expect(page).toContain('A graph of 301 releases is not drawn')
  expect(page.match(/<tr id=/g)).toHaveLength(301)
})
