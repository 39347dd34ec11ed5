import FoundationEssentials
import HTTP2
import Signing
import TestSupport
import Testing

@testable import Push

/// The doctor's findings when it asks servers.
@Suite(.heavy)
struct LiveTests {
  @Test func asksAPNsWithoutACredentialAndGoogleForAnAccessTokenOnly() async throws {
    let scene = try await DoctorScene()

    let outcome = try await scene.examine(["--live"])

    #expect(outcome.exit == 0, "\(outcome.stdout)")
    #expect(outcome.stdout.contains("answers as APNs does") && outcome.stdout.contains("access token granted"))
    #expect(outcome.stdout.split(separator: "\n").count { $0.contains("clock") && $0.contains("agrees") } == 3)
    #expect(scene.requests.map(\.path) == ["/3/device/\(String(repeating: "0", count: 64))", "/token"])
    #expect(scene.requests[0].headers["authorization"] == nil)
  }

  @Test func asksFCMOnlyOnDemandAndSendsNothing() async throws {
    let scene = try await DoctorScene()

    let findings = try await scene.findings(["--live", "--validate-only"])

    #expect(findings.contains("ok FCM live: test-project: a message would be taken"))
    let message = try #require(scene.requests.last)
    #expect(message.path == "/v1/projects/test-project/messages:send")
    #expect(String(decoding: message.body, as: UTF8.self).contains(#""validate_only":true"#))
  }

  @Test func anAccountWithoutTheRightToSendIsFound() async throws {
    let scene = try await DoctorScene { request, responder in
      guard request.path.hasPrefix("/v1/") else { return DoctorScene.asTheyDo(request, responder) }
      responder.respond(HTTP2Response(status: 403, body: Array(#"{"error":{"status":"PERMISSION_DENIED"}}"#.utf8)))
    }

    let findings = try await scene.findings(["--live", "--validate-only"])

    #expect(findings.contains("MISSING FCM live: test-project: FCM answers 403 PERMISSION_DENIED"))
  }

  @Test func aKeyThatGoogleRefusesIsFound() async throws {
    let scene = try await DoctorScene { request, responder in
      guard request.path == "/token" else { return DoctorScene.asTheyDo(request, responder) }
      responder.respond(HTTP2Response(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8)))
    }

    let outcome = try await scene.examine(["--live"])

    #expect(outcome.exit == 78 && outcome.stdout.contains("test-project: OAuth invalid_grant"))
  }

  @Test(arguments: [(200, ""), (403, #"{"reason":"Forbidden"}"#), (404, "<html>")])
  func aServerThatIsNotAPNsIsFound(status: Int, body: String) async throws {
    let scene = try await DoctorScene { request, responder in
      guard request.path.hasPrefix("/3/") else { return DoctorScene.asTheyDo(request, responder) }
      responder.respond(HTTP2Response(status: status, body: Array(body.utf8)))
    }

    let outcome = try await scene.examine(["--live"])

    #expect(outcome.exit == 78 && outcome.stdout.contains("answers \(status) "))
    #expect(outcome.stdout.contains("in place of 403 MissingProviderToken"))
  }

  @Test func aCertificateOfAnotherAuthorityIsFound() async throws {
    let scene = try await DoctorScene()
    let other = try CertificateAuthority.make(named: "Other CA")
    try scene.directory.write(other.certificatePEM, to: "other.pem")

    let findings = try await scene.findings(["--live"], ["APNS_CA_PATH": "\(scene.directory.path)/other.pem"])

    let live = try #require(findings.first { $0.contains("APNs live") })
    #expect(live.hasPrefix("MISSING") && live.contains("certificate refused") && live.contains("APNS_CA_PATH"))
    #expect(findings.contains("ok FCM live: test-project: access token granted"))
  }

  @Test func behindAProxyEveryProbeGoesThroughIt() async throws {
    let scene = try await DoctorScene()
    let proxy = try TunnelProxy(to: .server(port: scene.port))
    let changes = try scene.behind("http://me:secret@127.0.0.1:\(proxy.port)")

    let findings = try await scene.findings(["--live", "--validate-only"], changes)

    let host = "push.example:\(scene.port)"
    #expect(findings.contains("ok APNs live: \(host) answers as APNs does"), "\(findings)")
    #expect(findings.contains("ok FCM live: test-project: a message would be taken"), "\(findings)")
    #expect(proxy.targets == [host, host, host])
    #expect(proxy.heads.allSatisfy { $0.contains("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n") })
  }

  @Test(arguments: [
    ("407 Proxy Authentication Required", " refused", "look at HTTPS_PROXY"),
    ("403 Forbidden", " refused", "look at HTTPS_PROXY"),
    ("502 Bad Gateway", " cannot reach ", "open from the proxy to the outside?"),
    ("503 Service Unavailable", " cannot reach ", "open from the proxy to the outside?"),
    ("504 Gateway Timeout", " cannot reach ", "open from the proxy to the outside?"),
  ])
  func aProxyThatMakesNoTunnelIsFoundForEveryProvider(answer: String, problem: String, advice: String) async throws {
    let scene = try await DoctorScene()
    let head = "HTTP/1.1 \(answer)\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"
    let proxy = try TunnelProxy(answer: [head], to: .end)

    let findings = try await scene.findings(["--live"], try scene.behind("http://127.0.0.1:\(proxy.port)"))

    let live = findings.filter { $0.contains(" live: ") && !$0.contains("was not asked") }
    #expect(live.count == 2 && live.allSatisfy { $0.hasPrefix("MISSING") && $0.contains(problem) }, "\(findings)")
    #expect(live.allSatisfy { $0.contains("the proxy 127.0.0.1:\(proxy.port)\(problem)") }, "\(findings)")
    #expect(live.allSatisfy { $0.contains(": HTTP/1.1 \(answer); ") && $0.contains(advice) }, "\(findings)")
    #expect(live.allSatisfy { $0.contains("HTTPS_PROXY") == problem.hasSuffix("refused") }, "\(findings)")
    #expect(scene.requests.isEmpty)
  }

  @Test(arguments: ["http://127.0.0.1:1", "http://\(String(repeating: "x", count: 64)):3128"])
  func aProxyThatIsNotThereIsFoundForEveryProvider(proxy: String) async throws {
    let scene = try await DoctorScene()

    let findings = try await scene.findings(["--live"], try scene.behind(proxy))

    let live = findings.filter { $0.contains(" live: ") && !$0.contains("was not asked") }
    #expect(
      live.count == 2 && live.allSatisfy { $0.contains("the proxy \(proxy.dropFirst(7)) cannot be reached: ") },
      "\(findings)")
    #expect(live.allSatisfy { $0.contains("; look at HTTPS_PROXY") && !$0.contains("port 443") }, "\(findings)")
  }

  @Test func aClosedPortIsFound() async throws {
    let scene = try await DoctorScene()

    let findings = try await scene.findings(
      ["--live"], ["APNS_URL": "https://127.0.0.1:1", "FCM_URL": "https://127.0.0.1:1"])

    let live = try #require(findings.first { $0.contains("APNs live") })
    #expect(live.hasPrefix("MISSING") && live.contains("127.0.0.1:1: unreachable") && live.contains("port 443"))
    #expect(live.contains("set HTTPS_PROXY"))
  }

  @Test(arguments: [(3_600.0, "MISSING", "behind"), (-3_600, "MISSING", "ahead of"), (90, "warning", "behind")])
  func aWrongClockIsFound(offset: TimeInterval, grade: String, word: String) async throws {
    let scene = try await DoctorScene { request, responder in
      responder.respond(DoctorScene.answer(to: request, at: .now + offset))
    }

    let findings = try await scene.findings(["--live"])

    let clocks = findings.filter { $0.hasPrefix("\(grade) clock: this machine is ") }
    #expect(clocks.count == 2 && clocks.allSatisfy { $0.contains(" s \(word) ") && $0.contains("synchronise") })
    // The database lives on this machine.
    #expect(findings.contains("ok clock: agrees with the database"))
  }

  @Test(arguments: ["true", "false"])
  func productionIsAskedOnDemandAndBesideTheSandbox(configured: String) async throws {
    let scene = try await DoctorScene()
    let (sandbox, production) = ("localhost:\(scene.port)", "127.0.0.1:\(scene.port)")
    let changes = ["APNS_SANDBOX_URL": "https://\(sandbox)", "APNS_PRODUCTION": configured]

    let without = try await scene.findings(["--live"], changes)
    let with = try await scene.findings(["--live", "--production"], changes)

    let answers = [sandbox, production].map { "ok APNs live: \($0) answers as APNs does" }
    let unasked = "ok APNs live: \(production) was not asked: --production"
    #expect(without.filter { $0.contains("APNs live") } == [answers[0], unasked])
    #expect(with.filter { $0.contains("APNs live") } == answers)
  }

  @Test func aServerOfBothEnvironmentsIsAskedOnce() async throws {
    let scene = try await DoctorScene()

    let findings = try await scene.findings(["--live", "--production"], ["APNS_PRODUCTION": "true"])

    let answer = "ok APNs live: 127.0.0.1:\(scene.port) answers as APNs does"
    #expect(findings.filter { $0.contains("APNs live") } == [answer])
  }

  @Test(arguments: [(0.0, 0.0), (5, 0), (-0.5, 0.5), (12, -2), (400, -390), (-400, 400)])
  func theTimeAnAnswerTakesIsNoSkew(theirs: TimeInterval, seconds: TimeInterval) {
    let before = Date(timeIntervalSince1970: 1_800_000_000)

    let skew = ClockSkew(theirs: before + theirs, before: before, after: before + 10)

    #expect(abs(skew.seconds - seconds) < 0.001)
  }
}
