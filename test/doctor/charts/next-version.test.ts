import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {nextObjects, withOtherImages} from '../../../src/doctor/charts/next-version.ts'
import {templatesOf} from '../../../src/doctor/charts/templates.ts'
import {renderedObjects} from '../../../src/kubernetes/manifest/manifest.ts'
import {testDirectory} from '../../support/test-directory.ts'

it.each([
  [{image: 'nginx:1'}, {image: 'nginx:1-next'}],
  [
    {images: {tags: {api: 'api:1'}, pull_policy: 'Always'}},
    {images: {tags: {api: 'api:1-next'}, pull_policy: 'Always'}},
  ],
  [{image: {repository: 'nginx', tag: 8}}, {image: {repository: 'nginx-next', tag: '8-next'}}],
  [
    {initImage: 'a@sha256:1', replicas: 2},
    {initImage: 'a@sha256:1', replicas: 2},
  ],
])('the images of the next version of %j are %j', (values, expected) => {
  expect(withOtherImages('/no/chart/is/here', values)).toEqual(expected)
})

it.each([
  ['other images alone', '{{ .Chart.Name }}', 'x.example.org/api:1', 'x.example.org/api:1-next of api:1'],
  ['a version that is asked for', '{{ include "labels" . }}', 'x.example.org/api:1', undefined],
  ['an image that is put together', '{{ .Chart.Name }}', 'api', undefined],
])('the objects of the next version are derived without a render: %s', async (_, action, image, expected) => {
  const chart = testDirectory()
  await mkdir(join(chart, 'templates'))
  await writeFile(join(chart, 'templates/_labels.tpl'), '{{ define "labels" }}{{ .Chart.Version }}{{ end }}')
  await writeFile(join(chart, 'templates/all.yaml'), `{{/* .Chart.Version */}}\nname: ${action}\n`)
  const objects = renderedObjects(
    '{apiVersion: v1, kind: X, metadata: {name: x}, image: "x.example.org/api:1 of api:1"}',
  )

  const found = nextObjects(chart, {images: {tags: {api: image}}}, {objects, templates: templatesOf(chart)})

  expect(found?.map(({object}) => object.image)).toEqual(expected && [expected])
})
