import {describe, expect, it} from 'vitest'
import {type ErrorCode, KkError} from '../../../src/base/errors.ts'
import type {TemplateOptions} from '../../../src/helm/helm.ts'
import {renderOnCluster} from '../../../src/prepare/rendering/render-on-cluster.ts'

const CALL = {name: 'db', namespace: 'openstack', chart: '/charts/db', values: {}}

type Way = 'preview' | 'look up' | 'offline'

/** A helm whose ways to render fail as told; what it renders bears the name of the way. */
function helmThat(failures: Partial<Record<Way, KkError>>) {
  const tried: Way[] = []
  const go = async (way: Way) => {
    tried.push(way)
    if (failures[way]) throw failures[way]
    return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${way}}`
  }
  const helm = {
    previewUpgrade: () => go('preview'),
    template: (_: unknown, {looksUp}: TemplateOptions = {}) => go(looksUp ? 'look up' : 'offline'),
  }
  return {helm, tried}
}

const error = (code: ErrorCode, message = 'no') => new KkError(code, message)
const LOOKUP = 'db: the chart does not render: at <lookup …>: error calling lookup: secrets is forbidden'

describe('a chart is rendered', () => {
  it.each([
    ['offline if it reads nothing from the cluster', {}, ['offline']],
    ['with its lookups', {looksUp: true}, ['look up']],
    ['with its revision', {revision: 2}, ['preview']],
    ['offline if that is revision 1', {revision: 1}, ['offline']],
    ['with lookups and its revision', {revision: 2, looksUp: true}, ['preview']],
  ] as const)('%s', async (_, asks, expected) => {
    const {helm, tried} = helmThat({})

    const objects = await renderOnCluster(helm, CALL, asks)

    expect(objects.map(({metadata}) => metadata.name)).toEqual(expected)
    expect(tried).toEqual(expected)
  })

  it.each([
    ['a kind does not exist yet', error('KK_HELM_FAILED', 'no matches for kind "Cache"')],
    ['lookups are forbidden', error('KK_RENDER', LOOKUP)],
  ] as const)('offline while %s', async (_, refusal) => {
    const {helm, tried} = helmThat({preview: refusal, 'look up': refusal})

    const objects = await renderOnCluster(helm, CALL, {revision: 2, looksUp: true})

    expect(objects[0]!.metadata.name).toBe('offline')
    expect(tried).toEqual(['preview', 'look up', 'offline'])
  })

  it.each(['KK_RENDER', 'KK_VALUES', 'KK_CHART', 'KK_UNREACHABLE', 'KK_INTERRUPTED'] as const)(
    'once after %s, which another render would hide',
    async (code) => {
      const {helm, tried} = helmThat({'look up': error(code)})

      const rendered = renderOnCluster(helm, CALL, {looksUp: true})

      await expect(rendered).rejects.toMatchObject({code})
      expect(tried).toEqual(['look up'])
    },
  )

  it('not at all if it fails without a forbidden lookup, with the error of the lookup', async () => {
    const {helm} = helmThat({'look up': error('KK_RENDER', LOOKUP), offline: error('KK_RENDER', 'no secret')})

    const rendered = renderOnCluster(helm, CALL, {looksUp: true})

    await expect(rendered).rejects.toThrow(LOOKUP)
  })
})
