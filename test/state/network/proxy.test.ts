import {describe, expect, it} from 'vitest'
import {namesProxy, proxyFor} from '../../../src/state/network/proxy.ts'

const PROXY = 'http://proxy:3128'

// What golang.org/x/net/http/httpproxy (v0.57.0) answers, asked with the same.
describe('NO_PROXY, with the rules of Go', () => {
  it.each([
    ['example.com', 'https://example.com'],
    ['example.com', 'https://a.example.com:6443'],
    [' Example.COM ,x', 'https://a.example.com'],
    ['.example.com', 'https://a.example.com'],
    ['*.example.com', 'https://b.a.example.com'],
    ['com', 'https://example.com'],
    ['.svc', 'https://kubernetes.default.svc'],
    ['example.com:6443', 'https://example.com:6443'],
    ['example.com:443', 'https://example.com'],
    ['example.com:80', 'http://example.com'],
    ['example.com:', 'https://example.com'],
    ['bücher.example', 'https://xn--bcher-kva.example'],
    ['10.0.0.1', 'https://10.0.0.1:6443'],
    ['10.0.0.1:6443', 'https://10.0.0.1:6443'],
    ['10.0.0.0/8', 'https://10.1.2.3'],
    ['fd00::1', 'https://[fd00::1]:6443'],
    ['[fd00::1]:443', 'https://[fd00::1]'],
    ['fd00:1::/32', 'https://[fd00:1::5]'],
    ['*', 'https://10.0.0.1'],
    ['x,*', 'https://example.com'],
    ['', 'https://localhost:6443'],
    ['', 'https://127.5.5.5:6443'],
    ['', 'https://[::1]:6443'],
  ])('%j excludes %s from the proxy', (noProxy, url) => {
    expect(proxyFor(url, {HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: noProxy})).toBeUndefined()
  })

  it.each([
    ['example.com', 'https://notexample.com'],
    ['.example.com', 'https://example.com'],
    ['*.example.com', 'https://example.com'],
    ['*example.com', 'https://a.example.com'],
    ['example.com:8443', 'https://example.com:6443'],
    ['example.com:443', 'http://example.com'],
    [':443', 'https://example.com'],
    ['[example.com]', 'https://example.com'],
    ['10.0.0.1:6443', 'https://10.0.0.1'],
    ['10.0.0.0', 'https://10.0.0.1'],
    ['10.0.0.0/33', 'https://10.0.0.1'],
    ['10.0.0.0/8', 'https://a10.example.com'],
    ['192.168.1', 'https://192.168.1.5'],
    ['[fd00::1]', 'https://[fd00::1]'],
    ['::/0', 'https://10.0.0.1'],
    [' , ', 'https://example.com'],
  ])('%j does not exclude %s from the proxy', (noProxy, url) => {
    expect(proxyFor(url, {HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: noProxy})).toBe(PROXY)
  })
})

describe('proxyFor', () => {
  it.each([
    ['https://a', {HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://p:1'}, 'http://s:1'],
    ['http://a', {HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://p:1'}, 'http://p:1'],
    ['https://a', {https_proxy: 'http://s:1'}, 'http://s:1'],
    ['https://a', {HTTPS_PROXY: '', https_proxy: 'http://s:1'}, 'http://s:1'],
    ['https://a', {HTTPS_PROXY: 'http://s:1', https_proxy: 'http://t:1'}, 'http://s:1'],
    ['https://a', {HTTPS_PROXY: 'http://s:1', no_proxy: 'a'}, undefined],
    ['https://a', {HTTPS_PROXY: 's:1'}, 'http://s:1'],
    ['https://a', {HTTPS_PROXY: 'socks5://s:1'}, 'socks5://s:1'],
    ['https://a', {HTTP_PROXY: 'http://p:1'}, undefined],
    ['https://a', {HTTPS_PROXY: 'http://[bad'}, undefined],
    ['http://a', {HTTP_PROXY: 'http://p:1', REQUEST_METHOD: 'GET'}, undefined],
    ['https://a', {ALL_PROXY: 'http://p:1'}, undefined],
  ])('returns, for %s with %j, %s', (url, env, proxy) => {
    expect(proxyFor(url, env)).toBe(proxy)
  })

  it('is evaluated only if the environment names a proxy', () => {
    expect([{}, {NO_PROXY: 'a'}, {HTTP_PROXY: ''}].map(namesProxy)).toEqual([false, false, false])
    expect(namesProxy({https_proxy: 's:1'})).toBe(true)
  })
})
