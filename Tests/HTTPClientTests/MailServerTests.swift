import Foundation
import TestSupport
import Testing

@testable import HTTPClient

/// Servers that take mail, and those that do not.
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

  @Test(arguments: [
    "http://mail.example.com", "smtp://", "mail.example.com", "smtp://user@mail.example.com",
    "smtp://mail.example.com/x", "smtp://mail.example.com\r\nX", "file:///etc/passwd",
  ])
  func whatIsNoServersURLIsRefused(_ url: String) {
    #expect(MailServer(url, login: nil) == nil)
  }

  @Test(arguments: [
    "", "a", "a@", "@b", "a@b@c", "a b@c", "a@b\r\nRCPT TO:<x@y>", "<a@b>", "a@b>", "ä@b", "\"a\"@b", "a@b,c@d",
  ])
  func whatIsNoAddressMakesNoMail(_ address: String) {
    #expect(Mail(from: "a@b", to: address, []) == nil && Mail(from: address, to: "a@b", []) == nil)
  }
}
