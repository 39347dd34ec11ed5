import FunctionKit
import HTTP1
import Testing

@testable import Gateway

struct TrustedProxiesTests {
  private let proxies: TrustedProxies

  init() throws { proxies = try TrustedProxies("127.0.0.1, 10.0.0.0/8 ::1 2001:db8:1::/48") }

  private func client(_ peer: String, _ fields: [(String, String)]) throws -> String? {
    var headers = HeaderFields()
    for (name, value) in fields { headers.append(name, value) }
    let request = HTTP1Request(method: "GET", path: "/", headers: headers)
    return try ClientAddress(proxies.client(of: request, from: IPAddress(peer))).description
  }

  @Test(arguments: [
    ("127.0.0.1", [], "127.0.0.1"), ("127.0.0.1", [("x-forwarded-for", "192.0.2.1")], "192.0.2.1"),
    // What a client has written before does not count, whatever it is.
    ("127.0.0.1", [("x-forwarded-for", "192.0.2.66, 192.0.2.1")], "192.0.2.1"),
    ("127.0.0.1", [("x-forwarded-for", "nonsense"), ("x-forwarded-for", "192.0.2.1")], "192.0.2.1"),
    ("127.0.0.1", [("x-forwarded-for", "192.0.2.66, 192.0.2.1, 10.1.2.3, 127.0.0.1")], "192.0.2.1"),
    ("10.255.0.1", [("x-forwarded-for", "10.0.0.1, 10.0.0.2")], "10.0.0.1"),
    ("::ffff:127.0.0.1", [("x-forwarded-for", "192.0.2.1:4711")], "192.0.2.1"),
    ("::1", [("x-forwarded-for", "[2001:db8:2::7]:80")], "2001:db8:2::/64"),
    ("2001:db8:1:ffff::9", [("x-forwarded-for", "2001:db8:2::7")], "2001:db8:2::/64"),
    // Nobody else is believed.
    ("192.0.2.9", [("x-forwarded-for", "198.51.100.1"), ("forwarded", "for=198.51.100.1")], "192.0.2.9"),
    ("2001:db8:2::1", [("x-forwarded-for", "198.51.100.1")], "2001:db8:2::/64"),
    ("127.0.0.1", [("forwarded", "for=192.0.2.66, For=192.0.2.1;proto=https;by=10.0.0.1")], "192.0.2.1"),
    ("127.0.0.1", [("forwarded", #"for=192.0.2.66;host="a,b", for="[2001:db8:2::7]:4711""#)], "2001:db8:2::/64"),
    ("127.0.0.1", [("forwarded", "for=192.0.2.1"), ("x-forwarded-for", "192.0.2.66, 192.0.2.1")], "192.0.2.1"),
  ])
  func theLastAddressThatIsNoProxyIsTheClient(_ peer: String, _ fields: [(String, String)], _ expected: String) throws {
    #expect(try client(peer, fields) == expected)
  }

  @Test(arguments: [
    [("x-forwarded-for", "nonsense")], [("x-forwarded-for", "")], [("x-forwarded-for", "192.0.2.1,")],
    [("x-forwarded-for", "192.0.2.1:")], [("x-forwarded-for", "192.0.2.1:70000")], [("x-forwarded-for", "[::1")],
    [("x-forwarded-for", "nonsense, 10.0.0.1")], [("x-forwarded-for", "192.0.2.001")],
    [("forwarded", "for=unknown")], [("forwarded", "for=_hidden")], [("forwarded", "proto=https")], [("forwarded", "")],
    [("forwarded", #"for="192.0.2.1"#)],
    [("forwarded", "for=192.0.2.1"), ("x-forwarded-for", "192.0.2.2")],
  ])
  func whatNobodyCanReadIsRefused(_ fields: [(String, String)]) {
    #expect(throws: UnreadableClient.self) { try client("127.0.0.1", fields) }
  }

  @Test(arguments: [
    "0.0.0.0/0", "::/0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "localhost", "10.0.0/8", "1.2.3.4/8/9",
  ])
  func whatIsNoNetworkIsRefused(_ text: String) {
    #expect { try TrustedProxies("127.0.0.1,\(text)") } throws: {
      ($0 as? FunctionError)?.code == .usage && "\($0)".contains("\(text) is none")
    }
  }

  @Test func withoutProxiesTheConnectionTells() throws {
    let request = HTTP1Request(method: "GET", path: "/", headers: ["x-forwarded-for": "198.51.100.1"])

    let client = try TrustedProxies(nil).client(of: request, from: IPAddress("127.0.0.1"))

    #expect(ClientAddress(client).description == "127.0.0.1")
  }
}
