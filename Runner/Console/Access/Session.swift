import Formats
import FoundationEssentials
import FunctionKit
import Gateway
import HTTP1
import Signing
import System

/// A session of somebody who is signed in: a cookie that only a holder of the key can have made.
///
/// No cookie is kept here, so it is good for all runners with the key, and after a restart. It is good for twelve hours,
/// unless somebody signs out (``SignOuts``).
@RunnerLoop
final class Sessions {
  static let seconds = 43_200
  /// Changes with each start: a form of a page from before it has to be loaded again.
  private let formKey = SHA256.digest(Array("\(RandomID.make())\(RandomID.make())".utf8))
  private let signOuts: SignOuts

  init(_ signOuts: SignOuts) {
    self.signOuts = signOuts
  }

  /// The session of a request; an empty text where nobody has to sign in, or the head shows the key.
  ///
  /// - Throws: ``KeyRefusal`` if somebody has to sign in first; `PostgresError` where the database is away, which knows
  ///   whether they have signed out.
  func session(of head: HTTP1Request, _ access: PageAccess) async throws -> String {
    let sessions = all(of: head, access)
    if !sessions.isEmpty, let session = try await signOuts.open(of: sessions) { return session }
    try access.check(head)
    return ""
  }

  /// The refusal of a request that can be told without the database.
  func refusal(of head: HTTP1Request, _ access: PageAccess) -> KeyRefusal? {
    guard all(of: head, access).isEmpty else { return nil }
    do { try access.check(head) } catch { return error }
    return nil
  }

  /// The field that signs somebody in.
  func signIn(_ head: HTTP1Request, _ access: PageAccess) -> String {
    let text = "\(Int(Date.now.timeIntervalSince1970) + Self.seconds).\(RandomID.make())"
    let session = "\(text).\(mac(of: text, access))"
    signOuts.begin(session)
    return field(session, head, access)
  }

  /// The field that signs somebody out; every session of the request is at its end, on all runners.
  func signOut(_ head: HTTP1Request, _ access: PageAccess) async throws -> String {
    try await signOuts.end(all(of: head, access))
    return field(nil, head, access)
  }

  /// Gives a session to a browser, or takes it away.
  private func field(_ session: String?, _ head: HTTP1Request, _ access: PageAccess) -> String {
    let secure = head.headers["x-forwarded-proto"] == "https" ? "; Secure" : ""
    let value = "\(name(access))=\(session ?? ""); Path=/_/console; Max-Age=\(session == nil ? 0 : Self.seconds)"
    return "\(value); HttpOnly; SameSite=Strict\(secure)"
  }

  /// The sessions of a request; somebody may have ended them.
  ///
  /// All cookies of the name are read: a page at another port may have set one that is none, and it may come first.
  private func all(of head: HTTP1Request, _ access: PageAccess) -> [String] {
    guard access.needsKey else { return [] }
    let prefix = "\(name(access))="
    let pairs = head.headers.values(of: "cookie").flatMap { field in
      field.split(separator: ";").map { pair in pair.drop { $0 == " " } }
    }
    return pairs.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      .filter { isGood($0, access) }
  }

  /// The token that forms of the session's pages have to show.
  func token(of session: String) -> String {
    Base64URL.encode(HMACSHA256.code(for: Array(session.utf8), key: formKey))
  }

  func isToken(_ text: String, of session: String) -> Bool {
    constantTimeEqual(Array(text.utf8), Array(token(of: session).utf8))
  }

  private func isGood(_ value: String, _ access: PageAccess) -> Bool {
    let parts = value.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let end = Double(parts[0]) else { return false }
    return constantTimeEqual(Array(parts[2].utf8), Array(mac(of: "\(parts[0]).\(parts[1])", access).utf8))
      && end > Date.now.timeIntervalSince1970
  }

  private func mac(of text: String, _ access: PageAccess) -> String {
    Base64URL.encode(HMACSHA256.code(for: Array(text.utf8), key: access.secret(for: "console session") ?? formKey))
  }

  /// Cookies know no ports: each key has a name of its own, so that runners on one machine do not sign each other out.
  private func name(_ access: PageAccess) -> String {
    "console-\(SHA256.hex(access.secret(for: "console cookie") ?? []).prefix(8))"
  }
}
