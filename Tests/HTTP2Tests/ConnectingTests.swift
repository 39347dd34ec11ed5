import COpenSSL
import EventLoop
import Glibc
import Platform
import Testing

@testable import HTTP2

struct ConnectingTests {
  @Test(arguments: ["127.0.0.1", "localhost"])
  func connectsByAddressAndByName(host: String) async throws {
    try await withServer(answer: { _ in .ok }) { test in
      let client = try await test.connect(host: host)

      #expect(await client.isUsable)
      #expect(await client.send(.sample(), timeout: .seconds(120)).status == 200)
    }
  }

  @Test func anotherAuthorityIsRefused() async throws {
    let other = try Credentials()
    try await withServer { test in
      await #expect {
        try await test.connect(trust: other.trust)
      } throws: { error in
        guard case HTTP2Error.certificateRefused = error else { return false }
        return true
      }
    }
  }

  @Test func aPrivateAuthorityIsNoSystemAuthority() async throws {
    try await withServer { test in
      await #expect {
        try await test.connect(trust: .system)
      } throws: { error in
        guard case HTTP2Error.certificateRefused = error else { return false }
        return true
      }
    }
  }

  @Test(arguments: [
    (["other.example", "127.0.0.1"], "localhost", "hostname mismatch"),
    (["localhost", "127.0.0.2"], "127.0.0.1", "IP address mismatch"),
  ])
  func aCertificateForAnotherHostIsRefused(hosts: [String], host: String, reason: String) async throws {
    try await withServer(hosts: hosts) { test in
      await #expect(throws: HTTP2Error.certificateRefused(reason: reason)) { try await test.connect(host: host) }
    }
  }

  @Test func aCertificateThatHasExpiredIsRefused() async throws {
    try await withServer(credentials: try Credentials(days: 0)) { test in
      await #expect(throws: HTTP2Error.certificateRefused(reason: "certificate has expired")) {
        try await test.connect()
      }
    }
  }

  @Test func aCertificateThatNobodyVouchesForIsRefused() async throws {
    try await withServer(credentials: try Credentials(isSelfSigned: true)) { test in
      let other = try Credentials()
      await #expect(throws: HTTP2Error.certificateRefused(reason: "self-signed certificate")) {
        try await test.connect(trust: other.trust)
      }
    }
  }

  @Test func aServerThatSpeaksOnlyAnOlderTLSIsRefused() async throws {
    try await withBareServer { context in
      SSL_CTX_set_cipher_list(context.handle, "ALL:@SECLEVEL=0")
      SSL_CTX_ctrl(context.handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_1_VERSION), nil)
      SSL_CTX_ctrl(context.handle, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_1_VERSION), nil)
    } connect: { connect in
      await #expect(throws: HTTP2Error.handshakeFailed(reason: "tlsv1 alert protocol version")) {
        try await connect(.seconds(120))
      }
    }
  }

  @Test func anAuthorityFileThatIsMissingIsNamed() async throws {
    try await withServer { test in
      await #expect {
        try await test.connect(trust: .certificateAuthority(path: "/missing/ca.pem"))
      } throws: { error in
        guard case HTTP2Error.unusableFile(path: "/missing/ca.pem", _) = error else { return false }
        return true
      }
    }
  }

  @Test func aServerWithoutALPNIsRefused() async throws {
    try await withBareServer { context in
      SSL_CTX_set_alpn_select_cb(context.handle, nil, nil)
    } connect: { connect in
      await #expect(throws: HTTP2Error.http2NotOffered) { try await connect(.seconds(120)) }
    }
  }

  @Test func aServerThatRefusesHTTP2ByAlertIsRefused() async throws {
    try await withBareServer { context in
      SSL_CTX_set_alpn_select_cb(context.handle, { _, _, _, _, _, _ in SSL_TLSEXT_ERR_ALERT_FATAL }, nil)
    } connect: { connect in
      await #expect(throws: HTTP2Error.http2NotOffered) { try await connect(.seconds(120)) }
    }
  }

  @Test func aServerThatSendsNoSettingsTimesOut() async throws {
    try await withBareServer { _ in
    } connect: { connect in
      // No matter how slow the machine is, some time is enough for the handshake.
      var limit = Duration.milliseconds(100)
      var failure: HTTP2Error?
      repeat {
        limit *= 2
        do throws(HTTP2Error) { _ = try await connect(limit) } catch { failure = error }
      } while failure == .timedOut(.handshaking)

      #expect(failure == .timedOut(.settling))
    }
  }

  @Test func aListenerThatNeverAnswersTimesOut() async throws {
    let listener = try HTTP2Server.listener(on: Endpoint(host: "127.0.0.1", port: 0))
    defer { close(listener.descriptor) }
    let loop = EventLoop(name: "test")
    defer { loop.stop() }

    await #expect(throws: HTTP2Error.timedOut(.handshaking)) {
      try await HTTP2Client.connect(
        to: listener.address.endpoint, connectTimeout: .milliseconds(50), loop: loop)
    }
  }

  @Test func aClosedPortIsUnreachable() async throws {
    let loop = EventLoop(name: "test")
    defer { loop.stop() }
    let listener = try HTTP2Server.listener(on: Endpoint(host: "127.0.0.1", port: 0))
    let endpoint = listener.address.endpoint
    close(listener.descriptor)

    await #expect(throws: HTTP2Error.unreachable(reason: "\(endpoint): Connection refused")) {
      try await HTTP2Client.connect(to: endpoint, loop: loop)
    }
  }

  @Test func aNameWithoutAddressIsReported() async throws {
    let loop = EventLoop(name: "test")
    defer { loop.stop() }

    await #expect {
      try await HTTP2Client.connect(
        to: Endpoint(host: "host.invalid", port: 443), connectTimeout: .milliseconds(500), loop: loop)
    } throws: { error in
      switch error as? HTTP2Error {
      case .unresolved(host: "host.invalid", _), .timedOut(.resolving): true
      default: false
      }
    }
  }

  @Test func theNextAddressIsTriedAfterOneThatFails() async throws {
    try await withServer(answer: { _ in .ok }) { test in
      let port = test.server.endpoint.port
      let addresses =
        try SocketAddress.resolve(Endpoint(host: "::1", port: port)) + SocketAddress.resolve(test.server.endpoint)
      let dialing = Dialing(loop: test.loop)

      let descriptor = try await dialing.dial(addresses).get()

      #expect(SocketAddress { getpeername(descriptor, $0, $1) }.endpoint == test.server.endpoint)
      close(descriptor)
    }
  }

  @Test func theNextAddressIsTriedBesideOneThatKeepsSilent() async throws {
    try await withServer(answer: { _ in .ok }) { test in
      // A client that connects to a listener with a full queue hears nothing at all.
      let deaf = try DeafListener()
      let dialing = Dialing(loop: test.loop)

      let descriptor = try await dialing.dial(
        SocketAddress.resolve(deaf.endpoint) + SocketAddress.resolve(test.server.endpoint)
      ).get()

      #expect(SocketAddress { getpeername(descriptor, $0, $1) }.endpoint == test.server.endpoint)
      close(descriptor)
    }
  }

  @Test func aListenerThatKeepsSilentTimesOut() async throws {
    let deaf = try DeafListener()
    let loop = EventLoop(name: "test")
    defer { loop.stop() }

    await #expect(throws: HTTP2Error.timedOut(.connecting)) {
      try await HTTP2Client.connect(to: deaf.endpoint, connectTimeout: .milliseconds(50), loop: loop)
    }
  }

  @Test func aPortThatIsTakenIsReported() async throws {
    try await withServer { test in
      await #expect(throws: HTTP2Error.cannotListen(reason: "\(test.server.endpoint): Address already in use")) {
        try await HTTP2Server.start(
          on: test.server.endpoint, certificateChain: test.credentials.certificatePath,
          privateKey: test.credentials.keyPath, loop: test.loop, handler: { _, _ in })
      }
    }
  }

  @Test func aKeyThatDoesNotFitTheCertificateIsRefused() async throws {
    let credentials = try Credentials()
    let other = try Credentials()
    let loop = EventLoop(name: "test")
    defer { loop.stop() }

    await #expect(throws: HTTP2Error.unusableFile(path: other.keyPath, reason: "key values mismatch")) {
      try await HTTP2Server.start(
        on: Endpoint(host: "127.0.0.1", port: 0), certificateChain: credentials.certificatePath,
        privateKey: other.keyPath, loop: loop, handler: { _, _ in })
    }
  }
}
