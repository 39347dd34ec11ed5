import Formats
import FoundationEssentials
import FunctionKit
import HTTPClient
import Notifications
import PersonLive
import Signing

/// The mail server, and what every mail needs.
struct Post {
  let server: MailServer
  private let sender: Sender
  private let authenticator: MessageAuthenticator
  /// Where the links lead, such as `https://push.example.com`.
  private let base: String

  /// - Returns: `nil` if no mail server is named.
  /// - Throws: ``FunctionError/Code/misconfigured`` if something else is missing or wrong.
  init?(_ environment: Environment) throws(FunctionError) {
    guard let url = environment["SMTP_URL"], !url.isEmpty else { return nil }
    let trust = Self.path("SMTP_CA_PATH", environment).map { HTTPTrust.certificateAuthority(path: $0) } ?? .system
    guard let server = MailServer(url, login: try Self.login(environment), trust: trust) else {
      throw Self.wrong("SMTP_URL", "a URL such as smtp://mail.example.com:587 or smtps://mail.example.com")
    }
    guard let sender = Sender(try environment.require("MAIL_FROM")) else {
      throw Self.wrong("MAIL_FROM", "an address such as FeedbackKit <no-reply@example.com>")
    }
    guard let authenticator = MessageAuthenticator(secrets: try environment.require(UnsubscribeLink.secret)) else {
      throw UnsubscribeLink.unusableSecret
    }
    let base = try environment.require("UNSUBSCRIBE_URL")
    guard Self.isBase(base) else { throw Self.wrong("UNSUBSCRIBE_URL", "a URL such as https://push.example.com") }
    (self.server, self.sender, self.authenticator) = (server, sender, authenticator)
    self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
  }

  private static func login(_ environment: Environment) throws(FunctionError) -> (user: String, password: String)? {
    guard let user = environment["SMTP_USER"], !user.isEmpty else { return nil }
    guard let path = path("SMTP_PASSWORD_PATH", environment) else {
      return (user, try environment.require("SMTP_PASSWORD"))
    }
    guard let text = try? RegularFile.text(of: path, limit: 4_096) else {
      throw Self.wrong("SMTP_PASSWORD_PATH", "a file that can be read")
    }
    return (user, text.hasSuffix("\n") ? String(text.dropLast()) : text)
  }

  /// An empty variable, as files of variables have them, names nothing.
  private static func path(_ name: String, _ environment: Environment) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether links can begin with a URL: nothing in it ends a header field or HTML, and mail programs send only to https.
  private static func isBase(_ url: String) -> Bool {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"<>\"?#,".utf8.contains($0) }) else { return false }
    let scheme = "https://"
    if url.hasPrefix(scheme) { return url.dropFirst(scheme.utf8.count).first.map { !"/:".contains($0) } ?? false }
    return ["http://127.0.0.1", "http://localhost"].contains { base in
      url == base || url.hasPrefix("\(base):") || url.hasPrefix("\(base)/")
    }
  }

  private static func wrong(_ name: String, _ what: String) -> FunctionError {
    FunctionError(.misconfigured, "\(name) must be \(what).")
  }

  /// A mail to the person of a row; `nil` without an address that can be written to.
  func mail(_ row: MailUnread.Row, to email: String?, of app: App) throws -> Mail? {
    guard let email, Mail.isAddress(email) else { return nil }
    let unsubscription = Unsubscription(
      of: Person(id: row.person), from: .unread(app), issuedAt: row.notified, about: row.data?.proposal)
    guard let message = try unsubscription?.message else { return nil }
    let letter = Letter(
      row, from: sender, to: email, of: app,
      unsubscribe: UnsubscribeLink.url(authenticator.sign(message), on: base))
    return Mail(from: sender.address, to: email, Array(letter.text.utf8))
  }
}

/// Whom mails are from.
struct Sender {
  let address: String
  /// Empty without a name.
  let name: String

  /// Reads `no-reply@example.com` or `FeedbackKit <no-reply@example.com>`.
  init?(_ text: String) {
    guard text.hasSuffix(">"), let start = text.lastIndex(of: "<") else {
      (address, name) = (text, "")
      guard Mail.isAddress(text) else { return nil }
      return
    }
    address = String(text[text.index(after: start)...].dropLast())
    let words = text[..<start].split(separator: " ").joined(separator: " ")
    let isQuoted = words.hasPrefix("\"") && words.hasSuffix("\"") && words.utf8.count > 1
    name = isQuoted ? String(words.dropFirst().dropLast()) : words
    guard Mail.isAddress(address) else { return nil }
  }

  /// The part of the address behind the `@`.
  var domain: String { String(address[address.index(after: address.firstIndex(of: "@") ?? address.startIndex)...]) }
}
