import HTTP1
import TestSupport
import Testing

@testable import Gateway

/// Header fields that a caller can make as long as a head may be: twice the length costs twice the time.
struct CostTests {
  @Test(arguments: [
    ("x-forwarded-for", "10.0.0.1,"), ("x-forwarded-for", " , "), ("forwarded", "for=10.0.0.1,"), ("forwarded", "a=b;"),
    ("forwarded", "for=\"[::1]\" ;a,"), ("forwarded", "\""), ("forwarded", "   "), ("forwarded", "for=10.0.0.1 ,\t"),
  ])
  func theAddressesOfProxies(_ name: String, _ part: String) throws {
    let proxies = try TrustedProxies("10.0.0.0/8")
    let list = LongList(part) { count in
      let request = HTTP1Request(
        method: "GET", path: "/", headers: [name: String(repeating: part, count: count) + "10.0.0.1"])
      return { _ = try? proxies.client(of: request, from: IPAddress("10.0.0.2")) }
    }
    #expect(try list.growth() < 3)
  }

  @Test(arguments: ["wait=1,", "a;b=c,", "   ", ",", ";", "respond-async"]) func preferences(_ part: String) throws {
    let list = LongList(part) { count in
      let request = HTTP1Request(
        method: "POST", path: "/", headers: ["prefer": String(repeating: part, count: count)])
      return { _ = Preference.respondAsync.isExpressed(in: request) }
    }
    #expect(try list.growth() < 3)
  }
}
