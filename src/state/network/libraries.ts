export {Agent, fetch, ProxyAgent, Socks5ProxyAgent} from 'undici'
