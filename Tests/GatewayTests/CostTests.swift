import FunctionKit
import HTTP1
import TestSupport
import Testing

@testable import Gateway

/// Header fields that a caller can make as long as a head may be, and what else a request or an answer has many of:
/// twice the length costs twice the time.
struct CostTests {
  @Test(arguments: requests) func noListCostsTheSquareOfItsLength(_ list: LongList) throws {
    #expect(try list.growth() < 3)
  }

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

  private static let requests = [
    LongList("ce- headers") { count in
      let fields = (0..<count).map { ("ce-e\($0)", #""a\"%20""#) }
      return {
        var headers: HeaderFields = [
          "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "t",
        ]
        for field in fields { headers.append(field.0, field.1) }
        _ = try Envelope(HTTP1Request(method: "POST", path: "/", headers: headers), source: "/", callID: "1")
      }
    },
    LongList("tracestate headers") { count in
      var headers: HeaderFields = ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]
      for number in 0..<count { headers.append("tracestate", "a\(number)=1") }
      let request = HTTP1Request(method: "POST", path: "/", headers: headers)
      return { _ = Envelope(id: "1", source: "/", type: "t", data: .null).traced(by: request) }
    },
    LongList("query parameters") { count in
      let query = (0..<count).map { "n\($0)=%C3%A9+b" }.joined(separator: "&")
      return { _ = ProxyRequest.data(of: HTTP1Request(method: "GET", path: "/", query: query)) }
    },
    LongList("query parameters of one name") { count in
      let query = (0..<count).map { "n=\($0)" }.joined(separator: "&")
      return { _ = ProxyRequest.data(of: HTTP1Request(method: "GET", path: "/", query: query)) }
    },
    LongList("headers of an answer") { count in
      let headers = RawJSON(object: (0..<count).map { ("h\($0)", RawJSON("v")) })
      let result = RawJSON(object: [("statusCode", RawJSON(200)), ("headers", headers)])
      return { _ = ProxyAnswer.answer(of: result) }
    },
  ]
}
