import {join} from 'node:path'
import {exists} from '../../../state/files/exists.ts'
import {bridgeOwner} from '../host/bridge.ts'
import {cgroupMounts} from '../host/cgroups.ts'
import {command} from '../host/command.ts'
import {BRIDGE, PODS, SERVICES} from '../network.ts'
import type {Finding} from './finding.ts'

/** Checks for another node of kk, another Kubernetes, or a network of the same addresses on this machine. */
export async function checkNeighbours(home: string): Promise<readonly Finding[]> {
  const found = (await Promise.all([otherNode(home), otherKubernetes(), sameNetwork()])).flat()
  if (found.length > 0) return found
  return [
    {check: 'neighbours', level: 'ok', what: `no other Kubernetes, and ${PODS} and ${SERVICES} are free`},
  ]
}

async function otherNode(home: string): Promise<readonly Finding[]> {
  const owner = await bridgeOwner()
  if (owner === undefined || owner === home) return []
  const state = owner.replace(/\/kk\/sandboxes\/aio$/, '')
  return [
    {
      check: 'neighbours',
      level: 'problem',
      what: `another node of kk has this machine: its files are in ${owner}, its bridge is ${BRIDGE}`,
      advice: `XDG_STATE_HOME=${state} kk aio down`,
    },
  ]
}

/** Finds another Kubernetes by its cgroup: kubelets of all kinds put pods into one of these names. */
async function otherKubernetes(): Promise<readonly Finding[]> {
  const places = (await cgroupMounts()).flatMap((mount) =>
    ['kubepods', 'kubepods.slice'].map((name) => join(mount, name)),
  )
  const there = await Promise.all(places.map(exists))
  const place = places.find((_, index) => there[index])
  if (place === undefined) return []
  return [
    {
      check: 'neighbours',
      level: 'problem',
      what: `another Kubernetes has pods on this machine (${place}): both would write the same iptables rules`,
      advice: 'end it, or take another machine; kk deploys to that Kubernetes, too, with --kubeconfig',
    },
  ]
}

async function sameNetwork(): Promise<readonly Finding[]> {
  const routes = await command(['ip', '-4', '-o', 'route', 'show', 'table', 'all']).catch(() => '')
  const taken = routes.split('\n').filter((route) => !route.includes(` dev ${BRIDGE} `) && isInside(route))
  return taken.map((route) => ({
    check: 'neighbours',
    level: 'problem',
    what: `the node's pods and Services have the addresses ${PODS} and ${SERVICES}, and so has: ${route.trim()}`,
    advice: 'end what made that route; a route to a larger network around it is no hindrance',
  }))
}

/** Returns true where the destination of a route lies in the node's ranges, which are both of 16 bits. */
function isInside(route: string): boolean {
  const destination = route.replace(/^(?:local|broadcast|unicast|blackhole) /, '').split(' ')[0] ?? ''
  return [PODS, SERVICES].some((range) => destination.startsWith(range.replace(/0\.0\/16$/, '')))
}
