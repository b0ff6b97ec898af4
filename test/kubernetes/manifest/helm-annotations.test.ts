import {expect, it} from 'vitest'
import {annotatedRelease} from '../../../src/kubernetes/manifest/helm-annotations.ts'

it.each([
  [{'meta.helm.sh/release-name': 'db', 'meta.helm.sh/release-namespace': 'infra'}, 'infra/db', 'infra/db'],
  [{'meta.helm.sh/release-name': 'db'}, undefined, 'home/db'],
  [{'meta.helm.sh/release-namespace': 'infra'}, undefined, undefined],
])(
  'the annotations %j name the release %s, and %s if the namespace is known',
  (annotations, alone, withHome) => {
    expect([annotatedRelease({annotations}), annotatedRelease({annotations}, 'home')]).toEqual([
      alone,
      withHome,
    ])
  },
)
