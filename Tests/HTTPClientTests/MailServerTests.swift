import Foundation
import TestSupport
import Testing

@testable import HTTPClient

/// Servers that take mail, and those that do not.
@Suite(.heavy)
struct MailServerTests {
  private func mail() throws -> Mail {
    try #require(Mail(from: "a@example.com", to: "b@example.com", Array("Subject: x\r\n\r\nx\r\n".utf8)))
  }

  @Test func aServerThatSaysNothingIsGivenUpInTime() async throws {
    let (socket, port) = try Sockets.listen()
    defer { close(socket) }
    let server = try #require(
      MailServer("smtp://127.0.0.1:\(port)", login: nil, limits: HTTPLimits(total: .milliseconds(200))))

    await #expect { try await server.send(try mail()) } throws: { ($0 as? MailError)?.code == .away }
  }

  /// Why a server has not taken a mail; `nil` if it has.
  private func failure(
    of sink: MailSink, login: (user: String, password: String)? = nil, trust: HTTPTrust? = nil
  ) async throws -> MailError.Code? {
    let trust = trust ?? .certificateAuthority(path: sink.authority)
    let server = try #require(MailServer(sink.url, login: login, trust: trust))
    let mail = try mail()
    do throws(MailError) {
      try await server.send(mail)
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: [MailSink.Security.startTLS, .tls])
  func anotherMachineIsSpokenToEncryptedOnlyAndGivenTheLogin(_ security: MailSink.Security) async throws {
    let sink = try await MailSink(security, login: "me:secret")

    let wrong = try await failure(of: sink, login: ("me", "wrong"))
    let none = try await failure(of: sink)
    let stranger = try await failure(of: sink, login: ("me", "secret"), trust: .system)
    let before = sink.count
    let right = try await failure(of: sink, login: ("me", "secret"))

    #expect([wrong, none, stranger] == [.misconfigured, .misconfigured, .misconfigured] && before == 0)
    #expect(right == nil)
    #expect(try await sink.mails(1).count == 1)
  }

  /// A line that begins with a dot, and one that is a dot, stay as they are.
  @Test(
    .enabled(
      if: (try? BuiltExecutables.installed("smtp-sink")) != nil,
      "Not run: Postfix's smtp-sink is missing, which Tests/run installs."))
  func aServerThatIsNoneOfOursTakesAMailAsItIs() async throws {
    let folder = try TemporaryDirectory()
    chmod(folder.path, 0o777)
    let port = try RunningProgram.freePort()
    let text = "Subject: =?utf-8?B?w6Q=?=\r\n\r\n.one\r\n.\r\n..two\r\nthe end\r\n"
    let mail = try #require(Mail(from: "a@example.com", to: "b@example.com", Array(text.utf8)))
    let server = try #require(MailServer("smtp://127.0.0.1:\(port)", login: nil))

    let sink = try RunningProgram(
      try BuiltExecutables.installed("smtp-sink"),
      (geteuid() == 0 ? ["-u", "nobody"] : []) + ["-d", "\(folder.path)/mail.", "127.0.0.1:\(port)", "10"])
    let pauses = Pauses()
    while (try? await server.send(mail)) == nil { try await pauses.next() }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    func taken() throws -> String { try String(contentsOfFile: "\(folder.path)/\(files[0])", encoding: .utf8) }
    try #require(files.count == 1)
    while try !taken().contains("the end") { try await pauses.next() }
    sink.send(SIGTERM)

    let found = try taken()
    #expect(found.contains("X-Mail-Args: <a@example.com>") && found.contains("X-Rcpt-Args: <b@example.com>"))
    #expect(found.contains(text.replacing("\r\n", with: "\n")), "\(found)")
  }

  @Test func anotherMachineThatDoesNotEncryptGetsNothing() async throws {
    let sink = try await MailSink(.elsewhere)

    #expect(try await failure(of: sink, trust: .system) == .misconfigured)
    #expect(sink.count == 0)
  }

  @Test(arguments: [
    "AUTH 454 4.7.0 Temporary authentication failure", "STARTTLS 454 4.7.0 TLS not available", "AUTH 421 4.3.2 later",
  ])
  func aLoginOrEncryptionThatFailsForNowIsTriedAgain(_ refusal: String) async throws {
    let sink = try await MailSink(refusing: refusal, .startTLS, login: "me:secret")

    #expect(try await failure(of: sink, login: ("me", "secret")) == .away)
  }

  @Test(arguments: [
    ("RCPT 550 5.1.1 no such person", MailError.Code.noMailbox), ("RCPT 556 5.1.10 null MX", .noMailbox),
    ("RCPT 552 5.2.2 mailbox full", .refused),
    ("RCPT 553 5.1.3 bad address", .refused), ("TEXT 550 5.2.1 mailbox disabled", .refused),
    ("RCPT 554 5.7.1 Relay access denied", .misconfigured),
    ("RCPT 530 5.7.0 Authentication required", .misconfigured),
    ("RCPT 550 5.7.1 Client host blocked", .misconfigured), ("RCPT 553 5.1.8 Sender's domain", .misconfigured),
    ("RCPT 553 5.7.1 Sender address rejected: not owned by user", .misconfigured),
    ("RCPT 554 no", .misconfigured), ("DATA 554 5.7.1 no", .misconfigured), ("MAIL 553 not yours", .misconfigured),
    ("RCPT 550 relay not permitted", .away), ("RCPT 501 5.5.4 syntax", .away), ("RCPT 450 4.1.1 busy", .away),
    ("TEXT 554 5.7.1 spam", .away), ("TEXT 552 5.3.4 too big", .away), ("TEXT 452 4.3.1 full", .away),
    ("GREETING 554 no", .away), ("GREETING 421 later", .away),
  ])
  func onlyWhatIsSaidOfTheMailboxIsAboutThePerson(refusal: String, code: MailError.Code) async throws {
    let sink = try await MailSink(refusing: refusal)

    #expect(try await failure(of: sink) == code)
    #expect(sink.count == 0)
  }

  @Test(arguments: [
    ("smtp://127.0.0.1", true), ("smtp://127.0.0.1:25", true), ("smtps://localhost:465", true),
    ("smtp://[::1]:25", true), ("smtp://127.0.0.1.evil", false), ("smtp://localhost.evil:25", false),
    ("smtp://127.0.0.11", false), ("smtp://mail.example.com", false), ("smtp://[::1].evil", false),
    ("smtp://127.0.0.2:25", false),
  ])
  func onlyThisMachineMayBeSpokenToInPlainText(url: String, isHere: Bool) {
    #expect(MailServer.isOnThisMachine(url) == isHere)
  }

  @Test func aServerMayExamineATextForTenMinutes() {
    #expect(MailServer.limits.total > .seconds(600))
  }

  @Test(arguments: [
    "http://mail.example.com", "smtp://", "mail.example.com", "smtp://user@mail.example.com",
    "smtp://mail.example.com/x", "smtp://mail.example.com\r\nX", "file:///etc/passwd", "smtp://mail.example.com:99999",
    "smtp://mail.example.com:0", "smtp://mail.example.com:", "smtp://mail.example.com:+25",
    "smtps://mail.example.com:smtp",
    "smtp://:25", "smtp://mail.example.com:25:25", "smtp://::1",
  ])
  func whatIsNoServersURLIsRefused(_ url: String) {
    #expect(MailServer(url, login: nil) == nil)
  }

  @Test(arguments: [
    "smtp://mail.example.com", "smtp://mail.example.com:587", "smtps://127.0.0.1:65535", "smtp://[::1]",
    "smtp://[::1]:25",
  ])
  func aHostMayHaveAPort(_ url: String) {
    #expect(MailServer(url, login: nil) != nil)
  }

  @Test(arguments: [
    "", "a", "a@", "@b", "a@b@c", "a b@c", "a@b\r\nRCPT TO:<x@y>", "<a@b>", "a@b>", "ä@b", "\"a\"@b", "a@b,c@d",
  ])
  func whatIsNoAddressMakesNoMail(_ address: String) {
    #expect(Mail(from: "a@b", to: address, []) == nil && Mail(from: address, to: "a@b", []) == nil)
  }
}
