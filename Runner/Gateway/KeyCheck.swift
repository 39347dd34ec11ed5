import FunctionKit
package import HTTP1
import Manifest
import Signing
package import System

/// Decides who has the runner's key: one rule, wherever somebody shows or enters it.
///
/// Without a key only this machine may call, unless an engine stands in front, which decides about callers itself.
/// An address with too many wrong keys has to wait, with the right one as well, unless that was accepted from there
/// before.
@RunnerLoop
package final class KeyCheck {
  /// `nil` if nobody on this machine has to show one.
  var key: RunnerKey? {
    didSet { wrong = [] }
  }
  private let isBehindEngine: Bool
  private let failed: FailedTokens
  /// The hashes of wrong keys that were shown.
  ///
  /// The same wrong key again counts as no further guess: it may be the key before the last rotation.
  private var wrong: Set<Int> = []
  private static let mostRemembered = 1_000

  init(_ key: RunnerKey?, isBehindEngine: Bool = false, failed: FailedTokens) {
    (self.key, self.isBehindEngine, self.failed) = (key, isBehindEngine, failed)
  }

  /// Checks the key in the head of a request.
  func check(_ head: HTTP1Request) throws(KeyRefusal) {
    guard key != nil || isBehindEngine || head.isFromHere else { throw .notFromHere }
    try check(RunnerKey.shown(by: head), from: head.client)
  }

  /// Checks what somebody shows in the places of a key.
  func check(_ shown: [String], from client: ClientAddress) throws(KeyRefusal) {
    guard let key else { return }
    let tried = Set(shown).filter { !wrong.contains($0.hashValue) }
    let waits = tried.compactMap { failed.secondsToWait($0, from: client) }
    if let seconds = waits.first, waits.count == tried.count { throw .tooMany(seconds: seconds) }
    if let right = tried.first(where: key.isEqual) { return failed.count(right, from: client, isRefused: false) }
    for text in tried {
      failed.count(text, from: client, isRefused: true)
      if wrong.count >= Self.mostRemembered { wrong.removeAll(keepingCapacity: true) }
      wrong.insert(text.hashValue)
    }
    throw .missingOrWrong
  }
}

/// Why a request is refused that needs the runner's key.
package enum KeyRefusal: Error, Equatable {
  case missingOrWrong
  /// The runner has no key, and the request is from elsewhere.
  case notFromHere
  /// The address has shown too many wrong keys.
  case tooMany(seconds: Int)

  package var answer: HTTP1Answer {
    switch self {
    case .missingOrWrong: .unauthorized
    case .notFromHere: .notFromHere
    case .tooMany(let seconds): .guessing(seconds)
    }
  }
}

extension HTTP1Request {
  /// The fields by which proxies say that they forward a request.
  private static let ofProxies: Set = [
    "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via",
  ]

  /// Whether this machine sent it, and no proxy forwarded it, which may have got it from anybody.
  fileprivate var isFromHere: Bool {
    client.isLoopback && !headers.list.contains { Self.ofProxies.contains($0.name) }
  }
}

/// The key of the gateway.
///
/// A caller with the key may call functions and read figures.
struct RunnerKey: Sendable {
  /// In bytes.
  static let shortest = 16

  private let key: Secret<[UInt8]>

  /// The key in an environment; `nil` if there is none.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` for a key that is too short.
  init?(_ environment: FunctionKit.Environment) throws(FunctionError) {
    guard let text = environment[Settings.keyVariable] else { return nil }
    guard text.utf8.count >= Self.shortest else {
      throw FunctionError(.misconfigured, "\(Settings.keyVariable) must have at least \(Self.shortest) characters.")
    }
    key = Secret(Array(text.utf8))
  }

  /// The keys of a request, where they belong: `Authorization: Bearer KEY`, or Supabase's `apikey: KEY`.
  static func shown(by request: HTTP1Request) -> [String] {
    let token = request.headers["authorization"].flatMap { BearerToken.shown(in: $0) }
    return [request.headers["apikey"], token.map { String($0) }].compactMap(\.self)
  }

  /// Whether a text is the key.
  func isEqual(to text: String) -> Bool { constantTimeEqual(Array(text.utf8), key.exposed) }

  /// A secret for one purpose, which does not give away the key.
  func derived(for purpose: String) -> [UInt8] { HMACSHA256.code(for: Array(purpose.utf8), key: key.exposed) }
}
