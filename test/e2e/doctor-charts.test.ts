import {cp, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, inject, it} from 'vitest'
import type {ChartFault} from '../../src/doctor/charts/chart-fault.ts'
import {FIXTURES, makeEnvironment} from './support/environment.ts'

it('kk doctor compares charts with the deployed revisions, and reports changes that the cluster would refuse', async () => {
  const environment = await makeEnvironment()
  await cp(join(FIXTURES, 'workload'), join(environment.directory, 'charts/workload'), {recursive: true})
  const values = (storageClass: string, version: string) => ({
    kk: {charts: ['charts']},
    workload: {claim: storageClass, job: {pod: {}}, image: `registry.example.org/workload:${version}`},
  })
  const findings = async (...flags: readonly string[]) => {
    const {stdout, stderr} = await environment.kk('check', ...flags, '--output', 'json')
    const document = JSON.parse(stdout || stderr) as {findings: readonly ChartFault[]}
    return document.findings.map(({check, level, object}) => `${level} ${check} ${object}`)
  }
  await environment.write(values('general', '1'))
  await environment.deploy()

  const same = await findings('--kubeconfig', inject('run').kubeconfig)
  await environment.write(values('other', '2'))
  const job = join(environment.directory, 'charts/workload/templates/job.yaml')
  await writeFile(job, (await readFile(job, 'utf8')).replace('job:1', 'job:2'))
  const without = await findings()
  const changed = await findings('--kubeconfig', inject('run').kubeconfig)

  expect(same).toEqual([])
  expect(without).toEqual([])
  expect(changed).toEqual([
    'problem names of Jobs Job/workload-job',
    'problem immutable fields PersistentVolumeClaim/workload',
  ])
})

it('kk doctor accepts fields that the dry run of the cluster accepts, and reports what else the cluster refuses', async () => {
  const environment = await makeEnvironment()
  const chart = join(environment.directory, 'charts/workload')
  await cp(join(FIXTURES, 'workload'), chart, {recursive: true})
  const template = join(chart, 'templates/claim.yaml')
  const stated = await readFile(template, 'utf8')
  await writeFile(template, stated.replace('storageClassName: {{ . }}', ''))
  await environment.write({kk: {charts: ['charts']}, workload: {claim: 'general'}})
  await environment.deploy()
  const findings = async () => {
    const cluster = ['--kubeconfig', inject('run').kubeconfig]
    const {stdout, stderr} = await environment.kk('check', ...cluster, '--output', 'json')
    return (JSON.parse(stdout || stderr) as {findings: readonly ChartFault[]}).findings
  }

  await writeFile(template, stated)
  const named = await findings()
  await writeFile(template, stated.replace('1Gi', '512Mi'))
  const smaller = await findings()

  expect(named).toEqual([])
  expect(smaller).toMatchObject([
    {
      check: 'refused changes',
      level: 'problem',
      object: 'PersistentVolumeClaim/workload',
      what: expect.stringContaining('field can not be less than'),
      advice: expect.stringContaining('which deletes its data'),
    },
  ])
})
