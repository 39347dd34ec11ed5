package import HTTP1
package import System

/// Serves pages for people beside the functions.
///
/// It is asked only for requests that come neither for a foreign host name nor from another site.
@RunnerLoop
package protocol PageServer: AnyObject {
  /// The path that a browser is led to from `/`.
  var home: String { get }

  /// What the head of a request asks for; `nil` if its path is none of the pages'.
  func route(_ head: HTTP1Request, _ access: PageAccess) -> PageRoute?

  /// Answers a request with ``PageRoute/page``, now or later.
  func answer(
    _ request: HTTP1Request, _ access: PageAccess, _ answer: @escaping @RunnerLoop (HTTP1Answer) -> Void)

  /// Takes a stream, which ``PageRoute/stream`` has asked for, until one of both ends it.
  func serve(_ stream: any AnswerStream)

  /// Ends all streams, because the runner stops.
  func drain()
}

/// What the head of a request to a page asks for.
package enum PageRoute {
  /// The head alone decides the answer.
  case answered(HTTP1Answer)
  /// The answer comes later.
  case page
  /// An answer without an end, whose head this is.
  case stream(HTTP1Answer)
}

/// An answer whose end is open.
@RunnerLoop
package protocol AnswerStream: AnyObject {
  /// Sends bytes; a client that does not read is left.
  func send(_ bytes: [UInt8])
  /// Ends the answer after what was sent.
  func end()
  /// Called once, when the client has gone or the stream has ended.
  var onEnd: (@RunnerLoop () -> Void)? { get set }
}

/// Who may see pages.
package struct PageAccess: Sendable {
  let key: RunnerKey?

  /// Whether anybody has to show a key.
  package var needsKey: Bool { key != nil }

  /// Whether a request shows the key in its head, or there is none.
  package func admits(_ head: HTTP1Request) -> Bool { key?.isShown(by: head) ?? true }

  /// Whether a request shows a key in its head, right or wrong.
  package func isTried(by head: HTTP1Request) -> Bool { needsKey && !RunnerKey.shown(by: head).isEmpty }

  /// Whether a text that somebody has entered is the key.
  package func isKey(_ text: String) -> Bool { key?.isEqual(to: text) ?? false }

  /// A secret that only those have who have the key, for one purpose; `nil` if there is no key.
  package func secret(for purpose: String) -> [UInt8]? { key?.derived(for: purpose) }
}
