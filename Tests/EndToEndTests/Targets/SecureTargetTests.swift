import Foundation
import Postgres
import Signing
import TestSupport
import Testing

/// Functions elsewhere behind TLS: what cannot be trusted gets nothing, and HTTP/2 loses nothing.
@Suite(.heavy)
struct SecureTargetTests {
  /// The mistake of a server that is not to be trusted.
  enum Mistake: String, CaseIterable, Sendable {
    case ofAnotherAuthority, expired, forAnotherHost

    func certificate(_ authority: CertificateAuthority) throws -> ServerCertificate {
      switch self {
      case .ofAnotherAuthority: try CertificateAuthority.make(named: "Another").issue(for: ["localhost"])
      case .expired: try authority.issue(for: ["localhost"], days: 0)
      case .forAnotherHost: try authority.issue(for: ["another.example"])
      }
    }
  }

  private struct Scene {
    let runner: RunningRunner
    let front: SecureFront
    let authority: CertificateAuthority
    let functions: RemoteFunctions

    /// - Parameter trusts: what the function's entry says of certificates.
    init(
      _ settings: String, faults: Double = 0, trusts: String = #","certificates":"ca.pem""#
    ) async throws {
      let port = try RunningProgram.freePort()
      front = try SecureFront(to: port)
      authority = try .make(named: "Private")
      runner = try await RunningRunner.withLedgers(
        Ledger.manifest(
          #""remote":{"url":"https://localhost:\#(front.port)/remote"\#(trusts),"attempts":100,"timeout":10,"#
            + #""triggers":[{"table":"entries","events":["INSERT"]}],"key":"key"\#(settings)}"#), scripts: [:])
      try runner.project.write(authority.certificatePEM, to: "ca.pem")
      functions = RemoteFunctions(in: runner.project, port: port, faults: faults)
    }

    func right() throws -> ServerCertificate { try authority.issue(for: ["localhost"]) }
  }

  @Test(arguments: Mistake.allCases)
  func aServerThatCannotBeTrustedGetsNothingAndLosesNothing(_ mistake: Mistake) async throws {
    let scene = try await Scene(#","headers":{"Authorization":"Bearer hidden"}"#)
    let functions = try await scene.functions.start()
    try await scene.front.start(mistake.certificate(scene.authority))
    let served = try await scene.runner.start()

    try await scene.runner.database.script(
      "INSERT INTO entries SELECT n, 'k' || n % 3 FROM generate_series(1, 30) AS n")
    try await served.program.line { $0.contains("The function's target is away") && $0.contains("certificate") }
    #expect(try scene.front.requests().isEmpty)
    #expect(try await scene.runner.database.query("SELECT FROM runner.retries").isEmpty)

    try await scene.front.start(scene.right())
    #expect(try await scene.runner.run(["resume", "remote"]).exit == 0)
    try await scene.runner.waitUntilEmpty()
    let ledger = try Ledger("remote", of: scene.runner)
    #expect(ledger.entries.count == 30 && ledger.numbers == Set(1...30))
    #expect(ledger.entries.allSatisfy { $0.attempt == 0 } && ledger.misplaced().isEmpty)
    withExtendedLifetime(functions) {}
  }

  /// In the first run the server is of an authority that nobody knows, and nothing is lost by that.
  @Test func theVariableOfOpenSSLNamesAPrivateAuthority() async throws {
    let scene = try await Scene("", trusts: "")
    let functions = try await scene.functions.start()
    try await scene.front.start(scene.right())
    let without = try await scene.runner.start()
    try await scene.runner.database.script("INSERT INTO entries SELECT n, 'k' FROM generate_series(1, 5) AS n")
    try await without.program.line { $0.contains("The function's target is away") && $0.contains("certificate") }
    without.program.send(SIGTERM)
    try await without.program.exit()
    #expect(try scene.front.requests().isEmpty)

    let file = "\(scene.runner.project.path)/ca.pem"
    let served = try await scene.runner.start(environment: ["SSL_CERT_FILE": file])
    try await scene.runner.waitUntilEmpty()
    let ledger = try Ledger("remote", of: scene.runner)
    #expect(ledger.entries.count == 5 && ledger.numbers == Set(1...5))
    withExtendedLifetime((functions, served)) {}
  }

  @Test func eventsShareConnectionsOfHTTP2WhichEndAgainAndAgain() async throws {
    let scene = try await Scene(#","onFailure":"block","concurrency":64"#, faults: 0.02)
    let functions = try await scene.functions.start()
    try await scene.front.start(scene.right(), requests: 100)
    let served = try await scene.runner.start()

    try await scene.runner.database.script(
      "INSERT INTO entries SELECT n, 'k' || n % 200 FROM generate_series(1, 4000) AS n")
    try await scene.runner.waitUntilEmpty(within: .seconds(240))

    let ledger = try Ledger("remote", of: scene.runner)
    #expect(ledger.entries.count == 4_000 && ledger.numbers == Set(1...4_000))
    #expect(ledger.misplaced().isEmpty)
    #expect(try await scene.runner.database.query("SELECT FROM runner.dead_letters").isEmpty)
    let requests = try scene.front.requests()
    #expect(requests.count >= 4_000 && requests.allSatisfy { $0.version == "HTTP/2.0" })
    let connections = Dictionary(grouping: requests, by: \.connection)
    #expect(connections.count >= 40 && connections.count < 200, "\(connections.count)")
    withExtendedLifetime((functions, served)) {}
  }

  @Test func certificatesThatCannotBeReadAreNamedAtTheStart() async throws {
    let scene = try await Scene("")
    try scene.runner.project.write("no certificate", to: "ca.pem")

    let serve = try await scene.runner.run(["serve", "--port", "0", "--no-services", "--migrate", "--emulator"])
    let doctor = try await scene.runner.run(["doctor"])

    let problem =
      "remote has certificates in \(scene.runner.project.path)/ca.pem, which cannot be read or has none in it"
    #expect(serve.exit == 78 && (serve.stdout + serve.stderr).contains(problem), "\(serve)")
    #expect(doctor.exit != 0 && doctor.stdout.contains(problem), "\(doctor)")
  }
}
