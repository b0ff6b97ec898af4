import {chmod, mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {Corner} from '../support/corner.ts'
import {expectRefusal, openStanding} from '../support/refusal.ts'

const CHANGE = ['deploy', 'env.yaml', '--set', 'standing:replicas=2']

let corner: Corner
beforeAll(async () => {
  corner = await openStanding()
})

/** A program that answers to every question as this helm does to `helm version`. */
async function helmThatSays(name: string, answer: string): Promise<string> {
  const path = join(corner.directory, name)
  await writeFile(path, `#!/bin/sh\n${answer}\n`)
  await chmod(path, 0o755)
  return path
}

/** Helm 2 knows no template in which `.Version` stands alone, and asks Tiller unless told otherwise. */
const HELM_2 = `
case "$*" in
  *--client*) echo 'Client: v2.17.0+ga690bad';;
  *) echo 'Error: template: executing "version" at <.Version>' >&2; exit 1;;
esac`

describe.concurrent('kk deploy refuses', () => {
  it('to start without helm, and names where to get it', async () => {
    const nothing = join(corner.directory, 'nothing')
    await mkdir(nothing)

    await expectRefusal(
      corner,
      CHANGE,
      {exit: 2, code: 'KK_HELM_MISSING', says: `no helm was found in PATH`, hint: 'install helm 4 (https://'},
      {env: {PATH: nothing, KK_TOOLBOX: nothing, HOME: nothing}},
    )
  })

  it('a specified helm that does not exist', () =>
    expectRefusal(
      corner,
      CHANGE,
      {
        exit: 2,
        code: 'KK_HELM_MISSING',
        says: 'KK_HELM names /nonexistent/helm, which is not an executable file',
        hint: '--helm or KK_HELM',
      },
      {env: {KK_HELM: '/nonexistent/helm'}},
    ))

  it.each([
    ['helm 2, by its name', 'helm2', HELM_2, 'is helm 2.17.0+ga690bad, which keeps its releases in Tiller'],
    ['a helm 3 that is too old', 'helm3-old', "echo 'v3.16.4'", 'is helm 3.16.4'],
    ['a helm of an unknown major version', 'helm5', "echo 'v5.0.0'", 'is helm 5.0.0'],
    ['a program that is not helm', 'not-helm', 'echo hello', 'is a program that answers "hello"'],
  ])('%s', async (_, name, answer, says) => {
    const helm = await helmThatSays(name, answer)

    await expectRefusal(corner, [...CHANGE, '--helm', helm], {
      exit: 2,
      code: 'KK_HELM_VERSION',
      says: `kk needs helm 3.17 or newer, or helm 4; ${helm} ${says}`,
      hint: 'install helm 4',
    })
  })

  it('a HELM_DRIVER other than Secrets', () =>
    expectRefusal(
      corner,
      CHANGE,
      {
        exit: 2,
        code: 'KK_HELM_DRIVER',
        says: 'HELM_DRIVER is "configmap", but kk reads releases from Secrets only',
        hint: 'unset HELM_DRIVER',
      },
      {env: {HELM_DRIVER: 'configmap'}},
    ))
})

describe('kk without helm', () => {
  it('plans, reports the status, and deploys an unchanged environment', async () => {
    const env = {KK_HELM: '/nonexistent/helm'}

    const plan = await corner.kk(['plan', 'env.yaml'], {env})
    const unchanged = await corner.kk(['deploy', 'env.yaml'], {env})
    const status = await corner.kk(['status', 'env.yaml'], {env})

    expect([plan.exitCode, unchanged.exitCode, status.exitCode]).toEqual([0, 0, 0])
  })
})
