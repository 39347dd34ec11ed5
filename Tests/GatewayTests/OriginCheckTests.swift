import HTTP1
import Testing

@testable import Gateway

struct OriginCheckTests {
  private func isRefused(_ headers: HeaderFields, hosts: [String] = []) -> Bool {
    let request = HTTP1Request(method: "POST", path: "/", headers: headers)
    return OriginCheck(hosts: hosts).refusal(of: request) != nil
  }

  @Test(arguments: [
    [:], ["host": "localhost:54321"], ["host": "127.0.0.1"], ["host": "[::1]:80"],
    ["sec-fetch-site": "same-origin"], ["sec-fetch-site": "none"],
    ["host": "localhost:54321", "origin": "http://localhost:54321"],
    ["host": "127.0.0.1:54321", "origin": "http://localhost:54321"],
    ["host": "[::1]:54321", "origin": "http://[::1]:54321"],
    ["host": "localhost", "origin": "http://localhost"], ["host": "localhost:80", "origin": "http://localhost"],
    ["host": "localhost", "origin": "http://localhost:80"], ["host": "localhost", "origin": "https://localhost"],
    ["host": "localhost:443", "origin": "https://localhost"],
    // A proxy in front has another port, and the browser has seen that both are the same.
    ["host": "127.0.0.1:54321", "origin": "http://localhost:3000", "sec-fetch-site": "same-origin"],
  ])
  func letsProgramsOfThisMachineIn(_ headers: HeaderFields) {
    #expect(!isRefused(headers))
  }

  @Test(arguments: [
    ["host": "evil.example"], ["host": "localhost.evil.example"], ["host": "127.0.0.1.nip.io"], ["host": ""],
    ["host": "[::1].evil.com"], ["host": "localhost:evil"], ["host": "localhost:1@evil.com"], ["host": "[::1"],
    ["host": "localhost/"], ["origin": "http://localhost:evil@evil.com"], ["origin": "http://localhost@evil.com"],
    ["origin": "http://127.0.0.1:1/../evil"], ["origin": "http://localhost/"], ["origin": "http://[::1].evil.com"],
    ["origin": "http://localhost evil.com"], ["origin": "http://localhost:99999"],
    ["origin": "https://evil.example"], ["origin": "null"], ["origin": "http://localhost.evil.example"],
    ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"],
    ["host": "localhost:54321", "origin": "https://evil.example", "sec-fetch-site": "same-origin"],
  ])
  func keepsWebPagesOut(_ headers: HeaderFields) {
    #expect(isRefused(headers))
  }

  @Test(arguments: [
    ("localhost:54321", "http://localhost:3000"), ("localhost:54321", "http://127.0.0.1:3000"),
    ("localhost:54321", "http://localhost"), ("localhost:54321", "https://localhost"),
    ("localhost", "http://localhost:3000"), ("localhost", "https://localhost:8443"),
    ("localhost:80", "https://localhost"), ("localhost:443", "http://localhost"), ("[::1]:54321", "http://[::1]:1"),
    ("localhost:", "http://localhost:3000"), ("localhost:54321", "http://localhost:054322"),
  ])
  func keepsPagesOfOtherPortsOut(_ host: String, _ origin: String) {
    #expect(isRefused(["host": host, "origin": origin]))
    #expect(isRefused(["host": host, "origin": origin, "sec-fetch-site": "none"]))
    #expect(isRefused(["origin": origin]))
  }

  @Test func otherNamesOfTheGatewayAreItsOwn() {
    let hosts = ["192.0.2.1", "fe80::1", "Push.Example"]

    #expect(!isRefused(["host": "192.0.2.1:54321"], hosts: hosts))
    #expect(!isRefused(["host": "[fe80::1]:54321"], hosts: hosts))
    #expect(!isRefused(["host": "push.example", "origin": "https://push.example"], hosts: hosts))
    #expect(isRefused(["host": "192.0.2.2"], hosts: hosts))
  }
}
