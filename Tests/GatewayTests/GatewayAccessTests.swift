import FunctionKit
import HTTP1
import Testing

@testable import Gateway
@testable import Manifest

struct GatewayAccessTests {
  private static let key = "0123456789abcdef"

  private func access(
    host: String = "127.0.0.1", _ environment: [String: String] = [:], functions: [FunctionEntry] = []
  ) throws -> GatewayAccess {
    try GatewayAccess(
      host: host, manifest: Manifest(directory: "/", functions: functions, services: [], commands: []),
      environment: Environment(environment))
  }

  private func isShown(_ headers: HeaderFields) throws -> Bool? {
    let key = try access(["RUNNER_KEY": Self.key]).key
    let shown = RunnerKey.shown(by: HTTP1Request(method: "POST", path: "/", headers: headers))
    return key.map { shown.contains(where: $0.isEqual) }
  }

  @Test func withoutAKeyOnlyThisMachineIsServed() throws {
    #expect(try access().key == nil)
    #expect(try access(host: "::1").key == nil)
    #expect { try access(host: "0.0.0.0") } throws: { "\($0)".contains("set RUNNER_KEY") }
    #expect(try access(host: "0.0.0.0", ["RUNNER_KEY": Self.key]).key != nil)
  }

  @Test(arguments: [
    ([:], false), (["RUNNER_TRUSTED_PROXIES": "127.0.0.1"], true), (["RUNNER_KEY": key], false),
    (["RUNNER_TRUSTED_PROXIES": "127.0.0.1", "RUNNER_KEY": key], false),
  ])
  func aProxyAsksForAKey(_ environment: [String: String], _ isNamed: Bool) throws {
    #expect((try access(environment).advice.map { "\($0)".hasSuffix("Set RUNNER_KEY") } == true) == isNamed)
    #expect((GatewayAccess.advice(Environment(environment)) != nil) == isNamed)
  }

  @Test func aKeyMustBeLong() {
    #expect { try access(["RUNNER_KEY": "0123456789abcde"]) } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains("16")
    }
  }

  @Test(
    arguments: [
      ["authorization": "Bearer \(key)"], ["authorization": "BEARER  \(key)"], ["apikey": key],
      ["authorization": "Bearer somebody's", "apikey": key],
    ] as [HeaderFields])
  func aKeyMayBeShownInTwoWays(_ headers: HeaderFields) throws {
    #expect(try isShown(headers) == true)
  }

  @Test(
    arguments: [
      [:], ["authorization": key], ["authorization": "Basic \(key)"], ["authorization": "Bearer"],
      ["apikey": "\(key)0"], ["apikey": "0123456789abcdeF"], ["apikey": ""],
    ] as [HeaderFields])
  func anythingElseIsNoKey(_ headers: HeaderFields) throws {
    #expect(try isShown(headers) == false)
  }

  @Test func otherNamesCountOnlyWhereTheGatewayCanBeReachedByThem() throws {
    let environment = ["RUNNER_KEY": Self.key, "RUNNER_HOSTS": "push.example api.example"]
    let request = HTTP1Request(method: "POST", path: "/", headers: ["host": "api.example:443"])

    #expect(try #require(access(host: "192.0.2.1", environment).origins).refusal(of: request) == nil)
    #expect(try #require(access(environment).origins).refusal(of: request)?.status == 403)
    let other = HTTP1Request(method: "GET", path: "/_/health", headers: ["host": "host.example:54321"])
    for (host, isNamed) in [("192.0.2.1", true), ("0.0.0.0", true), ("127.0.0.1", false)] {
      let refusal = try #require(access(host: host, environment).origins).refusal(of: other)
      let text = String(decoding: try #require(refusal).body, as: UTF8.self)
      #expect(text.contains("RUNNER_HOSTS has to name it") == isNamed, "\(host): \(text)")
    }
  }

  @Test func everySignedFunctionNeedsItsSecret() throws {
    let entry = FunctionEntry(
      name: "hook", triggers: [.http(HTTPTrigger(auth: .signature, secret: "HOOK_SECRET"))])

    #expect { try access(functions: [entry]) } throws: { "\($0)".contains("HOOK_SECRET") }
    #expect(
      try access(["HOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], functions: [entry]).secrets["hook"] != nil)
  }
}
