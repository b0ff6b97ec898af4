import {expect, it} from 'vitest'
import {openRecords} from '../../../src/kubernetes/records/records.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'

const SECRETS = '/api/v1/namespaces/openstack/secrets'

function secret(revision: number, labels: Readonly<Record<string, string>> = {owner: 'helm'}) {
  const name = `sh.helm.release.v1.nova.v${revision}`
  return {metadata: {name, namespace: 'openstack', uid: name, resourceVersion: '1', labels}}
}

/**
 * What is found where these revisions exist, and how the API server was asked for it: by `list`, or by
 * revisions.
 */
async function found(secrets: readonly ReturnType<typeof secret>[], expected?: number) {
  const {client, asked} = await scriptedServer(({path}, response) => {
    if (path === SECRETS) return json(response, {metadata: {resourceVersion: '1'}, items: secrets})
    const one = secrets.find(({metadata}) => path === `${SECRETS}/${metadata.name}`)
    return one ? json(response, one) : refuse(response, 404, 'not found')
  })
  const record = await openRecords(client).last('openstack/nova', expected)
  const questions = asked.map(({path}) => (path === SECRETS ? 'list' : path.replace(/.*\.v/, '')))
  return {revision: record?.revision, asked: questions.toSorted()}
}

it.each([
  ['is there', [secret(2), secret(3)], 3, {revision: 3, asked: ['3', '4']}],
  ['is none', [], 0, {revision: undefined, asked: ['1']}],
  ['was followed by another', [secret(3), secret(4)], 3, {revision: 4, asked: ['3', '4', 'list']}],
  ['is not there any more', [secret(2)], 3, {revision: 2, asked: ['3', '4', 'list']}],
  [
    'has lost the labels by which helm finds it',
    [secret(3, {})],
    3,
    {revision: 3, asked: ['3', '4', 'list']},
  ],
  ['was to be none, and is one', [secret(1)], 0, {revision: 1, asked: ['1', 'list']}],
  ['is not known', [secret(1)], undefined, {revision: 1, asked: ['list']}],
] as const)('the last revision that %s is found', async (_, secrets, expected, answer) => {
  expect(await found(secrets, expected)).toEqual(answer)
})
