import FoundationEssentials
public import FunctionKit
import Notifications

/// What a function answers: who was told and who was not, and why.
public struct NotificationResult: Decodable, Sendable, Equatable {
  /// At most this many decisions and payloads are listed; the counts cover all.
  public static let listLimit = 1_000

  /// The function's name.
  public let function: String
  /// The event's id.
  public let event: String
  /// How many people are told.
  public internal(set) var notified = 0
  /// On how many devices.
  public internal(set) var deliveries = 0
  /// The decisions, in the order of the people's ids.
  public internal(set) var decisions: [Entry] = []
  /// How many people there are for each reason.
  public internal(set) var counts: [String: Int] = [:]
  /// Why nobody was even considered.
  public internal(set) var reason: String?
  /// Only in a dry run: `true`.
  public internal(set) var dryRun: Bool?
  /// Only in a dry run: whether the event has had its effect already.
  public internal(set) var alreadyApplied: Bool?

  /// Only in a dry run: the payload for each person who would be told, as an object of `user` and `payload`.
  public internal(set) var payloads: [RawJSON] = []

  /// Only in a dry run: what the gates were asked about each person.
  public internal(set) var candidates: [Rehearsed] = []

  /// A decision about one person.
  public struct Entry: Decodable, Sendable, Equatable {
    /// The person's id.
    public let user: String
    /// `notify`, `hold` or `suppress`.
    public let decision: String
    /// Why they were asked about, or why they are not told, or not yet.
    public let reason: String
  }

  private enum CodingKeys: String, CodingKey {
    case function, event, notified, deliveries, decisions, counts, reason, dryRun, alreadyApplied
  }

  init(of event: Occurrence, reason: String? = nil) {
    function = event.function
    self.event = event.id
    self.reason = reason
    dryRun = event.dryRun ? true : nil
  }

  /// The answer to an event about which there is nothing to say, without asking the database.
  public static func nothing(_ event: Occurrence, because reason: String) -> NotificationResult {
    NotificationResult(of: event, reason: reason)
  }

  /// How many people were decided about.
  var considered: Int { counts.values.reduce(0, +) }

  mutating func add(_ candidate: Candidate, _ decision: Decision) {
    let (word, reason) = (decision.word, decision.obstacle ?? candidate.reason.rawValue)
    if decision == .notify { notified += 1 }
    counts[reason, default: 0] += 1
    guard decisions.count < Self.listLimit else { return }
    decisions.append(Entry(user: candidate.user.uuidString.lowercased(), decision: word, reason: reason))
  }

  /// This answer with that of a part of the same event, which concerned other people.
  public func adding(_ part: NotificationResult) -> NotificationResult {
    var result = self
    result.notified += part.notified
    result.deliveries += part.deliveries
    result.decisions = Array((decisions + part.decisions).sorted { $0.user < $1.user }.prefix(Self.listLimit))
    result.counts.merge(part.counts, uniquingKeysWith: +)
    result.payloads = Array((payloads + part.payloads).prefix(Self.listLimit))
    result.candidates = Array((candidates + part.candidates).prefix(Self.listLimit))
    return result
  }

  /// The answer without what only a dry run has, as it is recorded.
  ///
  /// It is written by hand: every event writes it twice, and JSONEncoder takes several times as long.
  var document: RawJSON {
    let counts = counts.sorted { $0.key < $1.key }.map { ($0.key, RawJSON($0.value)) }
    let members: [(String, RawJSON?)] = [
      ("alreadyApplied", alreadyApplied.map { RawJSON($0) }), ("counts", RawJSON(object: counts)),
      ("decisions", RawJSON(array: decisions.map(\.document))), ("deliveries", RawJSON(deliveries)),
      ("dryRun", dryRun.map { RawJSON($0) }), ("event", RawJSON(event)), ("function", RawJSON(function)),
      ("notified", RawJSON(notified)), ("reason", reason.map { RawJSON($0) }),
    ]
    return RawJSON(object: members.compactMap { name, value in value.map { (name, $0) } })
  }

  /// The answer as the function writes it.
  public var json: RawJSON {
    get throws {
      guard dryRun == true else { return document }
      let list = payloads.map { Array($0.bytes) }.joined(separator: ",".utf8)
      let array = try RawJSON(validating: (Array("[".utf8) + list + "]".utf8)[...])
      return RawJSON(
        object: document.members.map { ($0.name, $0.value) } + [
          ("payloads", array), ("candidates", try JSONCoding.encode(candidates)),
        ])
    }
  }
}

extension NotificationResult.Entry {
  fileprivate var document: RawJSON {
    RawJSON(object: [("decision", RawJSON(decision)), ("reason", RawJSON(reason)), ("user", RawJSON(user))])
  }
}

extension Decision {
  /// The decision as results and `decisions.decision` say it.
  package var word: String {
    switch self {
    case .notify: "notify"
    case .hold: "hold"
    case .suppress: "suppress"
    }
  }

  /// What stands between the person and the push; `nil` when nothing does.
  package var obstacle: String? {
    switch self {
    case .notify: nil
    case .hold(let hold): hold.reason.rawValue
    case .suppress(let suppression): suppression.rawValue
    }
  }
}
