import {join} from 'node:path'
import {exists} from '../../../state/files/exists.ts'
import {bridgeOwner} from '../host/bridge.ts'
import {cgroupMounts} from '../host/cgroups.ts'
import {command} from '../host/command.ts'
import {BRIDGE, PODS, SERVICES} from '../network.ts'
import type {Finding} from './finding.ts'

/** Checks for another node of kk, another Kubernetes, or overlapping networks on this machine. */
export async function checkNeighbours(nodeDirectory: string): Promise<readonly Finding[]> {
  const findings = (await Promise.all([otherNode(nodeDirectory), otherKubernetes(), sameNetwork()])).flat()
  if (findings.length > 0) return findings
  return [
    {check: 'neighbours', level: 'ok', what: `no other Kubernetes, and ${PODS} and ${SERVICES} are free`},
  ]
}

async function otherNode(nodeDirectory: string): Promise<readonly Finding[]> {
  const owner = await bridgeOwner()
  if (owner === undefined || owner === nodeDirectory) return []
  const state = owner.replace(/\/kk\/sandboxes\/aio$/, '')
  return [
    {
      check: 'neighbours',
      level: 'problem',
      what: `another node of kk is on this machine: its files are in ${owner}, its bridge is ${BRIDGE}`,
      advice: `XDG_STATE_HOME=${state} kk aio down`,
    },
  ]
}

/** Finds another Kubernetes by its cgroup: every kubelet puts pods into one of these. */
async function otherKubernetes(): Promise<readonly Finding[]> {
  const places = (await cgroupMounts()).flatMap((mount) =>
    ['kubepods', 'kubepods.slice'].map((name) => join(mount, name)),
  )
  const existing = await Promise.all(places.map(exists))
  const place = places.find((_, index) => existing[index])
  if (place === undefined) return []
  return [
    {
      check: 'neighbours',
      level: 'problem',
      what: `another Kubernetes has pods on this machine (${place}): both would write the same iptables rules`,
      advice: 'stop it, or use another machine; kk can also deploy to that Kubernetes, with --kubeconfig',
    },
  ]
}

async function sameNetwork(): Promise<readonly Finding[]> {
  const routes = await command(['ip', '-4', '-o', 'route', 'show', 'table', 'all']).catch(() => '')
  const conflicts = routes
    .split('\n')
    .filter((route) => !route.includes(` dev ${BRIDGE} `) && isInside(route))
  return conflicts.map((route) => ({
    check: 'neighbours',
    level: 'problem',
    what: `the node's pods and Services use the addresses ${PODS} and ${SERVICES}, and so does the route: ${route.trim()}`,
    advice: 'stop the program that created that route; a route to a larger network around it does no harm',
  }))
}

/** Returns true if the destination of a route is inside one of the node's ranges, which both are /16. */
function isInside(route: string): boolean {
  const destination = route.replace(/^(?:local|broadcast|unicast|blackhole) /, '').split(' ')[0] ?? ''
  return [PODS, SERVICES].some((range) => destination.startsWith(range.replace(/0\.0\/16$/, '')))
}
