import FoundationEssentials
import FunctionKit
import Gateway
import HTTP1
import Signing
import System

/// Who is signed in: a cookie that only somebody with the key can have made.
///
/// No cookie is kept here, so it is good for all runners with the key, and after a restart. It is good for twelve hours,
/// and not after signing out here.
@RunnerLoop
final class Sessions {
  static let seconds = 43_200
  /// Changes with each start: a form of a page from before it has to be loaded again.
  private let formKey = SHA256.digest(Array("\(RandomID.make())\(RandomID.make())".utf8))
  private var ended: [String: Double] = [:]
  private let now: @RunnerLoop () -> Double

  init(now: @escaping @RunnerLoop () -> Double = { Date.now.timeIntervalSince1970 }) {
    self.now = now
  }

  /// The session of a request; an empty text where nobody has to sign in, or the head shows the key.
  ///
  /// - Throws: ``KeyRefusal`` if somebody has to sign in first.
  func session(of head: HTTP1Request, _ access: PageAccess) throws(KeyRefusal) -> String {
    guard access.needsKey else { return "" }
    if let value = cookies(of: head, access).first { return value }
    try access.check(head)
    return ""
  }

  /// The field that signs somebody in.
  func signIn(_ head: HTTP1Request, _ access: PageAccess) -> String {
    let text = "\(Int(now()) + Self.seconds).\(RandomID.make())"
    return field("\(text).\(mac(of: text, access))", seconds: Self.seconds, head, access)
  }

  /// The field that signs somebody out; every session of the request is at its end.
  func signOut(_ head: HTTP1Request, _ access: PageAccess) -> String {
    let now = now()
    ended = ended.filter { $0.value > now }
    for value in cookies(of: head, access) { ended[value] = now + Double(Self.seconds) }
    return field("", seconds: 0, head, access)
  }

  /// What forms of the session's pages have to show.
  func token(of session: String) -> String {
    Base64URL.encode(HMACSHA256.code(for: Array(session.utf8), key: formKey))
  }

  func isToken(_ text: String, of session: String) -> Bool {
    constantTimeEqual(Array(text.utf8), Array(token(of: session).utf8))
  }

  private func isGood(_ value: String, _ access: PageAccess) -> Bool {
    let parts = value.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let end = Double(parts[0]), ended[value] == nil else { return false }
    return constantTimeEqual(Array(parts[2].utf8), Array(mac(of: "\(parts[0]).\(parts[1])", access).utf8))
      && end > now()
  }

  private func mac(of text: String, _ access: PageAccess) -> String {
    Base64URL.encode(HMACSHA256.code(for: Array(text.utf8), key: access.secret(for: "console session") ?? formKey))
  }

  /// Cookies know no ports: each key has a name of its own, so that runners on one machine do not sign each other out.
  private func name(_ access: PageAccess) -> String {
    "console-\(SHA256.hex(access.secret(for: "console cookie") ?? []).prefix(8))"
  }

  /// The good ones of the name: a page at another port may have set one that is none, and it may come first.
  private func cookies(of head: HTTP1Request, _ access: PageAccess) -> [String] {
    let prefix = "\(name(access))="
    let pairs = head.headers.values(of: "cookie").flatMap { field in
      field.split(separator: ";").map { pair in pair.drop { $0 == " " } }
    }
    return pairs.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      .filter { isGood($0, access) }
  }

  private func field(_ value: String, seconds: Int, _ head: HTTP1Request, _ access: PageAccess) -> String {
    let secure = head.headers["x-forwarded-proto"] == "https" ? "; Secure" : ""
    return "\(name(access))=\(value); Path=/_/console; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(secure)"
  }
}
