import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readPages} from './support/pages.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Sentences that a review found unreadable or wrong; some stood on several pages. */
const REJECTED = [
  'belongs to this environment already is said to',
  'by who says whose they are now',
  'Who repeats a removal that was cut short',
  'What cannot be read counts against the change',
  'Who installs what requires X',
  'Who begins while another run',
  'Who waits gives up',
  'writes what there shall be into OVN',
  'hides them behind its own address',
  'what others say of who they are',
  'What a node may be given away for',
  'that are for two processors and little memory',
  'it hears when they say it',
  'Clusters of Kubernetes, ordered as one thing',
  'Stacks of everything else, from one template',
  'What brings clients outside to the services',
  'Who has deleted the Secret',
  'So it is for who turns off generated secrets',
  'A password that is stated no more',
  'Whoever wants to can state them',
  'In the clear stays',
  'who comes in the clear is turned away',
  'What decides kk in the images',
  'What nobody may read',
  'later it is said, and the run goes on',
  'It never goes forward unasked',
  'were it by a moment',
  'Environments that come after each other are refused',
  'Whoever waits for the pods first',
  'nobody works on it',
  'proves nothing: on some machines',
  'They get it: it is one of the packages',
  'Who has run OpenStack with kolla-ansible',
  'What has no like in kk',
  'say goodbye',
  'how far it is, the plan with its digest',
  'What a report of a fault should name',
  'is told once more',
  // Claims that do not hold.
  'replaces a pod when somebody deletes it',
  'so a wrong key or type is an error before anything is changed',
  'stopped and started, or moved',
  'No ConfigMap holds one; a test looks',
  'about ten minutes the first time',
  'has no modules for federation',
  'git clone REPOSITORY',
  '3 failed; 82.9',
] as const

/** The pages of today; the changelog quotes former ones. */
const pages = readPages()
  .filter(({path}) => path !== 'CHANGELOG.md')
  .map(({path, text}) => ({path, text: text.replaceAll(/\s+/g, ' ').toLowerCase()}))

it.each(REJECTED)('no page has the rejected sentence "%s"', (sentence) => {
  const found = pages.filter(({text}) => text.includes(sentence.toLowerCase()))

  expect(found.map(({path}) => path)).toEqual([])
})

it('no message names a file of docs/, which packages do not have: kk docs PAGE prints it', () => {
  const files = globSync(['src/**/*.{ts,yaml}', 'charts/**/*.tpl'], {cwd: ROOT})
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n')
    const messages = lines.filter((line) => !/^\s*(\*|\/\*|\/\/|#|\{\{-? *\/\*)/.test(line))
    return messages.filter((line) => /docs\/[\w-]+\.md/.test(line)).map((line) => `${file}: ${line.trim()}`)
  })

  expect(found).toEqual([expect.stringMatching(/^src\/state\/assets\.ts: export const CONCEPTS/)])
})

it('each page that a message names with kk docs exists', () => {
  const files = globSync(['src/**/*.{ts,yaml}', 'charts/**/*.tpl'], {cwd: ROOT})
  const named = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    return [...text.matchAll(/\bkk docs ([a-z]+(?:-[a-z]+)*)\b/g)].map(([, page = '']) => page)
  })
  const names = pages.map(({path}) => /([\w-]+)\.md$/.exec(path)?.[1])
  const verbs = ['registry']

  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((page) => !names.includes(page) && !verbs.includes(page))).toEqual([])
})
