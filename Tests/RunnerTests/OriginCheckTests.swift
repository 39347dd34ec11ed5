import Testing

@testable import Runner

struct OriginCheckTests {
  private func isRefused(_ headers: [String: String]) -> Bool {
    OriginCheck.refusal(of: GatewayRequest(method: "POST", path: "/", headers: headers)) != nil
  }

  @Test(arguments: [
    [:], ["host": "localhost:54321"], ["host": "127.0.0.1"], ["host": "[::1]:80"], ["origin": "http://localhost:3000"],
    ["sec-fetch-site": "same-origin"], ["sec-fetch-site": "none"],
  ])
  func letsProgramsOfThisMachineIn(_ headers: [String: String]) {
    #expect(!isRefused(headers))
  }

  @Test(arguments: [
    ["host": "evil.example"], ["host": "localhost.evil.example"], ["host": "127.0.0.1.nip.io"], ["host": ""],
    ["origin": "https://evil.example"], ["origin": "null"], ["origin": "http://localhost.evil.example"],
    ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"],
  ])
  func keepsWebPagesOut(_ headers: [String: String]) {
    #expect(isRefused(headers))
  }
}
