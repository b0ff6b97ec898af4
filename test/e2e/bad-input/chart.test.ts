import {beforeAll, describe, it} from 'vitest'
import type {ErrorCode} from '../../../src/base/errors.ts'
import type {Corner} from '../support/corner.ts'
import {expectRefusal, openStanding} from '../support/refusal.ts'

let corner: Corner
beforeAll(async () => {
  corner = await openStanding()
})

/** `standing` would be changed and `fine` be new, were it not for `bad`, which requires both. */
const environment = (bad: string) => `
kk:
  OWN
  releases:
    standing: {chart: workload}
    fine: {chart: workload}
    bad: {chart: workload, requires: [standing, fine]}
standing: {replicas: 2}
fine: {}
bad: ${bad}
`

describe.concurrent('kk deploy refuses to start', () => {
  it.each<[string, string, ErrorCode, string | RegExp, string]>([
    [
      'a chart that does not render, with file and line of the template',
      '{unrenderable: the database is missing}',
      'KK_RENDER',
      'bad: the chart does not render: execution error at (workload/templates/deployment.yaml:2:4): the database is missing',
      'correct the template or the values of bad; "kk values show bad" prints what helm gets',
    ],
    [
      'a chart that renders what is not YAML',
      '{claim: "a: b: c"}',
      'KK_RENDER',
      'bad: the chart does not render: YAML parse error on workload/templates/claim.yaml',
      'correct the template or the values of bad',
    ],
    [
      'values that break the schema of their chart',
      '{replicas: many}',
      'KK_VALUES',
      /bad: the values break the schema of the chart:\n +KK_VALUES-16\.yaml:12:7: replicas: got string, want integer$/,
      'correct the values of bad',
    ],
    [
      'an object that the cluster would not accept',
      '{claim: Not a Class}',
      'KK_INVALID_OBJECT',
      'NAME/bad: PersistentVolumeClaim/bad: PersistentVolumeClaim "bad" is invalid: spec.storageClassName',
      'correct the values of these releases, or their charts; nothing was changed',
    ],
  ])('with %s', async (_, bad, code, says, hint) => {
    const file = `${code}-${bad.length}.yaml`
    await corner.write(file, environment(bad))

    await expectRefusal(corner, ['deploy', file], {exit: 2, code, says, hint})
  })

  it.each<[string, string, string, string]>([
    [
      'that is a library',
      'type: library\n',
      'is a library: it can only be part of other charts',
      'do not deploy library itself',
    ],
    [
      'that requires another version of Kubernetes',
      'kubeVersion: ">= 9.0.0"\n',
      'chart requires kubeVersion: >= 9.0.0 which is incompatible with Kubernetes v1.',
      'correct the chart',
    ],
    ['that states no version', '', 'library/Chart.yaml: ', 'correct the chart'],
  ])('with a chart %s', async (_, more, says, hint) => {
    const name = more.split(':')[0] || 'versionless'
    const version = more === '' ? '' : 'version: 1.0.0\n'
    await corner.write(
      `charts-${name}/library/Chart.yaml`,
      `apiVersion: v2\nname: library\n${version}${more}`,
    )
    await corner.write(
      `${name}.yaml`,
      `
kk:
  name: NAME
  namespace: NAME
  charts: [charts-${name}, CHARTS]
  releases: {standing: {chart: workload}}
standing: {replicas: 2}
library: {}
`,
    )

    await expectRefusal(corner, ['deploy', `${name}.yaml`], {exit: 2, code: 'KK_CHART', says, hint})
  })
})
